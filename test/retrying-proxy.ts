import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A proxy for callbacks that stays up while the relay restarts, as relay/docs/guides/deploy.md requires. It repeats each callback
 * until the relay answers below 500. Without it, a callback to a killed relay is lost, because the service repeats none.
 * @param to returns the relay's current address for callbacks
 */
export async function startRetryingProxy(to: () => string) {
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
