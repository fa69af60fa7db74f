import { createServer } from "node:http";
import { Pool } from "undici";

export type Mock = { url: string; callTo: (port: number, path: string) => void; close: () => Promise<void> };

/** The service at its fastest: answers at once and calls back at once, so that the relay is what is measured. */
export async function startMock(): Promise<Mock> {
  let target: { pool: Pool; path: string } | undefined;
  let replies = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end('{"success":true,"messageId":"m"}');
      const { customData } = JSON.parse(body) as { customData: { fromId: string; body: string } };
      void callBack(customData.fromId, customData.body);
    });
  });

  async function callBack(toId: string, text: string): Promise<void> {
    const answer = await target?.pool.request({
      method: "POST",
      path: target.path,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        contactId: "c",
        messageId: `m${replies++}`,
        userId: "u",
        body: text,
        toId,
        channel: "website",
      }),
    });
    if (answer === undefined || answer.statusCode !== 200)
      throw new Error(`The callback was answered ${answer?.statusCode}`);
    await answer.body.dump();
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    callTo(to, path) {
      target = { pool: new Pool(`http://127.0.0.1:${to}`, { connections: 64, pipelining: 1 }), path };
    },
    async close() {
      await target?.pool.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}
