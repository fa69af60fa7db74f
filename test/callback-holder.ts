import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * An address for callbacks that stays while the relay restarts, as relay/docs/guides/deploy.md wants it: it passes each callback
 * to the relay until the relay answers. Without it, a callback to a killed relay is lost: the service repeats none.
 * @param to the relay's address for callbacks
 */
export async function startHolder(to: () => string) {
  const ended = new AbortController();
  async function pass(body: string): Promise<number> {
    while (!ended.signal.aborted) {
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(to(), { method: "POST", headers, body }).catch(() => undefined);
      if (answer !== undefined && answer.status < 500) return answer.status;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return 503;
  }
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    response.writeHead(await pass(body)).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = async (): Promise<void> => {
    ended.abort();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, stop };
}
