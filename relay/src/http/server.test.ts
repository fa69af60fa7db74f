import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it } from "vitest";
import { realClock } from "../base/clock.ts";
import { createConnectionSlots } from "../base/connection-slots.ts";
import { limitPeers, type Peers } from "./peers.ts";
import { limitPipelining, refuseEarlyUpgrades } from "./pipelining.ts";
import { createHttpServer } from "./server.ts";

async function start(
  options?: Parameters<typeof createHttpServer>[1],
  listener: RequestListener = (_, response) => void response.end("ok"),
) {
  const server = createHttpServer(listener, options).listen(0, "127.0.0.1");
  await once(server, "listening");
  const connectClient = async () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => {}).resume();
    await once(socket, "connect");
    return socket;
  };
  const stop = (): void => void server.close().closeAllConnections();
  return { server, connectClient, stop };
}

it("closes a connection whose headers are never completed (A24)", async () => {
  const { connectClient, stop } = await start({ headersMs: 60, requestMs: 60_000, checkMs: 20 });
  const slow = await connectClient();
  slow.write("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ");
  await expect.poll(() => slow.destroyed, { timeout: 5_000 }).toBe(true);
  stop();
});

it("checks for late headers often enough to enforce the deadline", async () => {
  const { server, stop } = await start();
  expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 300_000 });
  stop();
});

it("answers a request that offers another protocol over HTTP, also in the middle of a connection", async () => {
  const { server, connectClient, stop } = await start({}, async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    response.end(`read ${body}.`);
  });
  server.on("upgrade", (_, socket) => socket.destroy());
  const client = await connectClient();
  let answer = "";
  client.on("data", (part) => {
    answer += part;
  });
  const offer = "Host: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\n";
  for (const n of [1, 2]) {
    client.write(`POST /callbacks/reply/x HTTP/1.1\r\n${offer}Content-Length: 7\r\n\r\nre`);
    client.write(`ply ${n}`);
    await expect.poll(() => answer).toContain(`read reply ${n}.`);
  }
  expect(client.destroyed).toBe(false);
  stop();
});

it("limits the TCP connections of one address, and closes further ones before they send anything (A24, A26)", async () => {
  const { server, connectClient, stop } = await start();
  const slots = createConnectionSlots({ perAddress: 20, total: 0 });
  limitPeers(server, slots, { clock: realClock, proxied: false });
  const all = await Promise.all(Array.from({ length: 100 }, connectClient));
  await expect.poll(() => all.filter(({ destroyed }) => destroyed).length).toBe(80);
  for (const socket of all) socket.destroy();
  await expect.poll(slots.taken).toBe(0);
  const honest = await connectClient();
  honest.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  expect(String((await once(honest, "data"))[0])).toContain("200 OK");
  stop();
});

describe("pipelined requests", () => {
  const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  /** A server with the limit. It answers when the test tells it to. */
  async function begin(proxied = false) {
    let time = 0;
    const handled: ServerResponse[] = [];
    const takes = (_: IncomingMessage, response: ServerResponse): void => void handled.push(response);
    let peers: Peers | undefined;
    const { server, connectClient, stop } = await start(
      undefined,
      limitPipelining((socket) => peers?.block(socket), takes),
    );
    const clock = { uptime: () => time };
    peers = limitPeers(server, createConnectionSlots({ perAddress: 100, total: 0 }), { clock, proxied });
    const pass = (ms: number): void => {
      time += ms;
    };
    return { handled, connectClient, stop, pass };
  }

  it("are handled one after the other when there are nine, so that no answer waits in memory (A24)", async () => {
    const { handled, connectClient, stop } = await begin();
    const client = await connectClient();
    let answer = "";
    client.on("data", (part) => {
      answer += part;
    });
    client.write(GET.repeat(9));
    for (let n = 1; n <= 9; n++) {
      await expect.poll(() => handled.length).toBe(n);
      handled.at(-1)?.end(`answer ${n}.`);
      await expect.poll(() => answer).toContain(`answer ${n}.`);
    }
    client.write(GET);
    await expect.poll(() => handled.length).toBe(10);
    stop();
  });

  it("end the connection when there are more, and the rest is not handled (A24)", async () => {
    const { handled, connectClient, stop } = await begin();
    const client = await connectClient();
    client.write(GET.repeat(1_000));
    await expect.poll(() => client.destroyed).toBe(true);
    expect(handled.length).toBe(1);
    stop();
  });

  it("close the other HTTP connections of the address, and block it for ten seconds", async () => {
    const { handled, connectClient, stop, pass } = await begin();
    const [client, other] = [await connectClient(), await connectClient()];
    client.write(GET.repeat(10));
    await expect.poll(() => other.destroyed).toBe(true);
    pass(9_999);
    const early = await connectClient();
    early.write(GET);
    await expect.poll(() => early.destroyed).toBe(true);
    expect(handled.length).toBe(1);
    pass(1);
    (await connectClient()).write(GET);
    await expect.poll(() => handled.length).toBe(2);
    stop();
  });

  it("are cut off, those that wait longest first, while all that wait take too much memory (A24)", async () => {
    const { handled, connectClient, stop } = await begin();
    const clients: Awaited<ReturnType<typeof connectClient>>[] = [];
    for (let n = 1; n <= 30; n++) {
      const client = await connectClient();
      clients.push(client);
      client.write(GET + "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx".repeat(8));
      await expect.poll(() => handled.length).toBe(n);
    }
    // Eight with a body count as 640 KB of 16 MB.
    await expect.poll(() => clients.filter(({ destroyed }) => destroyed).length).toBe(5);
    expect(clients.map(({ destroyed }) => destroyed).lastIndexOf(true)).toBe(4);
    for (const client of clients) client.destroy();
    const honest = await connectClient();
    honest.write(GET.repeat(9));
    await expect.poll(() => handled.length).toBe(31);
    expect(honest.destroyed).toBe(false);
    stop();
  });

  it("close only their own connection behind a proxy, whose address many clients share", async () => {
    const { handled, connectClient, stop } = await begin(true);
    const [client, other] = [await connectClient(), await connectClient()];
    client.write(GET.repeat(10));
    await expect.poll(() => client.destroyed).toBe(true);
    other.write(GET);
    await expect.poll(() => handled.length).toBe(2);
    stop();
  });
});

describe("a request for a WebSocket", () => {
  const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  const UPGRADE = "GET /socket HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

  /** A server that answers requests when the test tells it to, and upgrades at once. */
  async function begin() {
    const handled: ServerResponse[] = [];
    const { server, connectClient, stop } = await start(
      { isUpgrade: () => true },
      (_, response) => void handled.push(response),
    );
    server.on("upgrade", (_, socket) => socket.write("upgraded"));
    refuseEarlyUpgrades(server);
    const client = await connectClient();
    let received = "";
    client.on("data", (part) => {
      received += part;
    });
    return { handled, client, stop, received: () => received };
  }

  it("ends the connection when earlier requests of it are not answered, so that no answer overtakes another (A34)", async () => {
    const { handled, client, stop, received } = await begin();
    client.write(GET + GET + UPGRADE);
    await expect.poll(() => client.destroyed || received() !== "").toBe(true);
    expect([handled.length, received()]).toEqual([2, ""]);
    stop();
  });

  it("is accepted after the answer to the request before it", async () => {
    const { handled, client, stop, received } = await begin();
    client.write(GET);
    await expect.poll(() => handled.length).toBe(1);
    handled[0]?.end("first");
    await expect.poll(received).toContain("first");
    client.write(UPGRADE);
    await expect.poll(received).toContain("upgraded");
    stop();
  });
});
