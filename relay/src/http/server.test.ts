import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { createPlaces } from "../base/places.ts";
import { limitPeers } from "./peers.ts";
import { createHttpServer } from "./server.ts";

async function start(options?: Parameters<typeof createHttpServer>[1]) {
  const server = createHttpServer((_, response) => void response.end("ok"), options).listen(0, "127.0.0.1");
  await once(server, "listening");
  const knock = async () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => {}).resume();
    await once(socket, "connect");
    return socket;
  };
  const stop = (): void => void server.close().closeAllConnections();
  return { server, knock, stop };
}

it("lets go who never comes to the end of their headers (A24)", async () => {
  const { knock, stop } = await start({ headersMs: 60, requestMs: 60_000, lookMs: 20 });
  const drip = await knock();
  drip.write("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ");
  await expect.poll(() => drip.destroyed, { timeout: 5_000 }).toBe(true);
  stop();
});

it("looks for late headers often enough for their deadline to be one", async () => {
  const { server, stop } = await start();
  expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 300_000 });
  stop();
});

it("takes so many TCP connections of one peer and closes all others, before they say a word (A24, A26)", async () => {
  const { server, knock, stop } = await start();
  const places = createPlaces({ perAddress: 20, total: 0 });
  limitPeers(server, places);
  const all = await Promise.all(Array.from({ length: 100 }, knock));
  await expect.poll(() => all.filter(({ destroyed }) => destroyed).length).toBe(80);
  for (const socket of all) socket.destroy();
  await expect.poll(places.taken).toBe(0);
  const honest = await knock();
  honest.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(String((await once(honest, "data"))[0])).toContain("200 OK");
  stop();
});
