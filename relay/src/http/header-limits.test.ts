import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { limitHeaders } from "./header-limits.ts";
import { limitIncompleteHeaders } from "./incomplete-headers.ts";
import { createHttpServer } from "./server.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n";
const CHUNKED = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n";
const fields = (count: number): string => "ab: c\r\n".repeat(count);
const large = (bytes: number): string => `X-Large: ${"x".repeat(bytes)}`;

async function start(listener: RequestListener = (_, response) => void response.end("ok.")) {
  const server = createHttpServer(listener, { isUpgrade: () => true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  server.on("upgrade", (_, socket) => socket.end("upgraded"));
  /** Opens a connection that has sent `text`. */
  async function client(text: string) {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    let received = "";
    socket
      .on("error", () => {})
      .on("data", (part) => {
        received += part;
      });
    const [peer] = await Promise.all([
      once(server, "connection"),
      new Promise((resolve) => socket.write(text, resolve)),
    ]);
    return { socket, peer: peer[0], received: () => received };
  }
  const stop = (): void => void server.close().closeAllConnections();
  return { server, client, stop };
}

it("refuses a request, also for a WebSocket, with more than a hundred header fields (A24)", async () => {
  const { client, stop } = await start();
  const accepted = await client(`${GET}${fields(90)}\r\n`);
  await expect.poll(accepted.received).toContain("200 OK");
  for (const more of [fields(100), fields(800), `Connection: Upgrade\r\nUpgrade: websocket\r\n${fields(100)}`]) {
    const refused = await client(`${GET}${more}\r\n`);
    await expect.poll(() => refused.socket.destroyed).toBe(true);
    expect(refused.received()).toMatch(/^HTTP\/1\.1 431 .*Connection: close/s);
  }
  stop();
});

it("refuses large headers while those of unanswered requests take too much, and ordinary ones never (A24)", async () => {
  const handled: ServerResponse[] = [];
  const { client, stop } = await start(limitHeaders((_, response) => void handled.push(response), 12_000));
  await client(`${GET}${large(8_000)}\r\n\r\n`);
  await expect.poll(() => handled.length).toBe(1);
  const refused = await client(`${GET}${large(8_000)}\r\n\r\n`);
  await expect.poll(() => refused.socket.destroyed).toBe(true);
  expect(refused.received()).toContain("431");
  for (let n = 2; n <= 4; n++) {
    await client(`${GET}${large(3_900)}\r\n\r\n`);
    await expect.poll(() => handled.length).toBe(n);
  }
  for (const response of handled.splice(0)) response.end();
  await client(`${GET}${large(8_000)}\r\n\r\n`);
  await expect.poll(() => handled.length).toBe(1);
  stop();
});

/** Most bytes of incomplete headers in these tests. */
const MAX = 20_000;

/** Clients that have sent these texts, to a server that has read all of them and counted once. */
async function afterCount(...texts: string[]) {
  const clock = manualClock();
  const { server, client, stop } = await start();
  limitIncompleteHeaders(server, clock, MAX);
  const clients = [];
  for (const text of texts) {
    const one = await client(text);
    await expect.poll(() => one.peer.bytesRead).toBe(text.length);
    clients.push(one);
  }
  clock.pass(250);
  return { clients, clock, stop };
}

it("cuts off the connections with the largest incomplete headers while all together are too large (A24)", async () => {
  const { clients, stop } = await afterCount(GET + large(8_000), GET + large(15_000), GET, "");
  const [smaller, largest, honest, silent] = clients;
  await expect.poll(() => largest?.socket.destroyed).toBe(true);
  honest?.socket.write("\r\n");
  await expect.poll(honest?.received ?? String).toContain("200 OK");
  expect([smaller?.socket.destroyed, silent?.socket.destroyed]).toEqual([false, false]);
  stop();
});

it("counts incomplete headers that follow a complete request, and no complete ones", async () => {
  const body = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 15000\r\n\r\n${"x".repeat(15_000)}`;
  const many = `${GET}${large(900)}\r\n\r\n`;
  const { clients, clock, stop } = await afterCount(
    `${GET}\r\n${GET}${large(15_000)}`,
    body,
    GET + large(14_000),
    many,
  );
  const [followed, complete, , kept] = clients;
  await expect.poll(() => followed?.socket.destroyed).toBe(true);
  for (let n = 2; n <= 30; n++) {
    kept?.socket.write(many);
    await expect.poll(() => kept?.received().split("ok.").length).toBe(n + 1);
  }
  clock.pass(250);
  expect([complete?.socket.destroyed, kept?.socket.destroyed]).toEqual([false, false]);
  stop();
});

it("ends the connection after a body in chunks, whose size is unknown", async () => {
  const { clients, stop } = await afterCount(CHUNKED + GET + large(15_000), GET);
  await expect.poll(() => clients[0]?.socket.destroyed).toBe(true);
  stop();
});

it("says that the connection ends in an answer that follows a body in chunks", async () => {
  const { server, client, stop } = await start((request, response) =>
    request.resume().once("end", () => response.end("ok.")),
  );
  limitIncompleteHeaders(server, manualClock(), MAX);
  const { socket, received } = await client(CHUNKED);
  await expect.poll(() => socket.destroyed).toBe(true);
  expect(received()).toContain("Connection: close");
  stop();
});

it("reads the rest of a body in chunks after an early answer, which the client would lose otherwise", async () => {
  const { server, client, stop } = await start();
  limitIncompleteHeaders(server, manualClock(), MAX);
  const rest = "0\r\n\r\n";
  const { socket, peer, received } = await client(CHUNKED.slice(0, -rest.length));
  await expect.poll(received).toContain("200 OK");
  socket.write(rest);
  await expect.poll(() => socket.destroyed).toBe(true);
  expect(peer.bytesRead).toBe(CHUNKED.length);
  stop();
});

it("does not cut off a callback whose body comes in chunks, however large the headers of others are", async () => {
  const { server, client, stop } = await start((request, response) =>
    request.resume().once("end", () => response.end("ok.")),
  );
  const clock = manualClock();
  limitIncompleteHeaders(server, clock, MAX);
  const callback = await client("POST /callbacks/reply/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  callback.socket.write(`3a98\r\n${"x".repeat(15_000)}\r\n`);
  await expect.poll(() => callback.peer.bytesRead).toBeGreaterThan(15_000);
  const others = [await client(GET + large(14_000)), await client(GET + large(14_000))];
  for (const { peer } of others) await expect.poll(() => peer.bytesRead).toBeGreaterThan(14_000);
  clock.pass(250);
  await expect.poll(() => others.map(({ socket }) => socket.destroyed)).toContain(true);
  callback.socket.write("0\r\n\r\n");
  await expect.poll(callback.received).toContain("200 OK");
  stop();
});

it("keeps the connection of a callback that came in chunks and was accepted", async () => {
  const { clients, clock, stop } = await afterCount(CHUNKED.replace("/", "/callbacks/reply/x"), GET, GET);
  const [callback] = clients;
  for (let n = 2; n <= 3; n++) {
    await expect.poll(() => callback?.received().split("ok.").length).toBe(n);
    callback?.socket.write(CHUNKED.replace("/", "/callbacks/reply/x"));
  }
  clock.pass(250);
  expect(callback?.socket.destroyed).toBe(false);
  stop();
});

it("does not cut off a request whose body comes in chunks, before nor after its end, and counts fields behind the body (A24)", async () => {
  const { server, client, stop } = await start((request) => void request.resume());
  const clock = manualClock();
  limitIncompleteHeaders(server, clock, MAX);
  const begun = "POST /media HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const chunk = `3a98\r\n${"x".repeat(15_000)}\r\n`;
  const texts = [begun + chunk, `${begun}${chunk}0\r\n\r\n`, `${begun}0\r\n${large(9_000)}`];
  const clients: Awaited<ReturnType<typeof client>>[] = [];
  for (const text of texts) {
    const one = await client(text);
    await expect.poll(() => one.peer.bytesRead).toBe(text.length);
    clients.push(one);
  }
  const other = await client(GET + large(8_000));
  await expect.poll(() => other.peer.bytesRead).toBeGreaterThan(8_000);
  clock.pass(250);
  expect(clients.map(({ socket }) => socket.destroyed)).toEqual([false, false, false]);
  const more = await client(GET + large(8_500));
  await expect.poll(() => more.peer.bytesRead).toBeGreaterThan(8_500);
  clock.pass(250);
  await expect.poll(() => clients[2]?.socket.destroyed).toBe(true);
  expect([...clients.slice(0, 2), other, more].map(({ socket }) => socket.destroyed)).toEqual(Array(4).fill(false));
  stop();
});
