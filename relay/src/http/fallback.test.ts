import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { CLOSE } from "@porchlight/shared/close";
import { FRAME_MAX, HELLO_MAX } from "@porchlight/shared/limits";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Clock, realClock } from "../base/clock.ts";
import { createConnectionSlots } from "../base/connection-slots.ts";
import { RelayError } from "../base/errors.ts";
import { bytesInUse } from "../base/memory.fixture.ts";
import type { Connection, Transport } from "../socket/connection.ts";
import type { Connections } from "../socket/connections.ts";
import { createBodyBudget } from "./body-budget.ts";
import { fallback } from "./fallback.ts";

/** The address of the node `n2`; undefined: there are no other nodes. */
let otherNode: string | undefined;
/** The names of nodes that were looked up. */
let searched: string[];
const nodes = {
  node: "n1",
  async addressOf(name: string) {
    searched.push(name);
    return name === "n2" ? otherNode : undefined;
  },
};

const ORIGIN = "https://shop.example";
const PER_ADDRESS = 5;
/** Two answers that wait for their clients are below it, and three are above it. */
const FORWARDS_MAX = 300 * 1024;
let server: Server;
let url: string;
let line: Transport;
let received: string[];
let gone: number;
let connection: Connection;
let timers: [ms: number, fn: () => void][];

beforeEach(async () => {
  otherNode = undefined;
  searched = [];
  received = [];
  timers = [];
  gone = 0;
  const after: Clock["after"] = (ms, fn) => {
    timers.push([ms, fn]);
    return () => {};
  };
  const clock = { ...realClock, after };
  connection = { phase: { name: "closed" }, handled: Promise.resolve(), queue: [], queueSize: 0, pongs: 0 };
  const connections = {
    accept(given: Transport) {
      line = given;
      return connection;
    },
    receive: (_: Connection, text: string) => void received.push(text),
    lost: () => void gone++,
  } as unknown as Connections;
  const app = new Hono();
  const address = (): string => "192.0.2.1";
  const slots = createConnectionSlots({ perAddress: PER_ADDRESS, total: 0 });
  app.route(
    "/",
    fallback({
      connections,
      clock,
      allows: (origin) => origin !== "https://evil.example",
      addressOf: address,
      networkOf: address,
      slots,
      bodies: createBodyBudget(),
      forwards: createBodyBudget(FORWARDS_MAX),
      nodes,
    }),
  );
  app.onError((error, c) => c.text(String(error), error instanceof RelayError ? (error.status as 400) : 500));
  server = createServer(getRequestListener(app.fetch)).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/socket/lines`;
});
afterEach(() => void server.close().closeAllConnections());

const post = (path = "", body = ""): Promise<Response> =>
  fetch(url + path, { method: "POST", body, headers: { origin: ORIGIN } });
const open = async (): Promise<string> => `/${((await (await post()).json()) as { line: string }).line}`;
const live = (): void => {
  connection.phase = { name: "live" } as Connection["phase"];
};

/** A client that requests an endless answer and never reads it. */
async function neverReads(path: string) {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  await once(socket, "connect");
  socket.write(`GET /socket/lines${path}?mode=stream HTTP/1.1\r\nHost: a\r\nOrigin: ${ORIGIN}\r\n\r\n`);
  return socket;
}

describe("a connection over the HTTP fallback", () => {
  it("counts frames as they arrive, and before `hello` accepts no more than a WebSocket does", async () => {
    const path = await open();
    expect((await post(path, "x".repeat(HELLO_MAX))).status).toBe(204);
    expect((await post(path, "x".repeat(HELLO_MAX + 1))).status).toBe(413);
    live();
    expect((await post(path, "ї".repeat(FRAME_MAX))).status).toBe(204);
    expect((await post(path, "x".repeat(3 * FRAME_MAX + 1))).status).toBe(413);
    expect(received.map(({ length }) => length)).toEqual([HELLO_MAX, FRAME_MAX]);
    expect((await post("/unknown", "x".repeat(HELLO_MAX))).status).toBe(404);
  });

  it("keeps a frame that waits without the rest of its body (A28)", async () => {
    const path = await open();
    live();
    const before = bytesInUse();
    for (let n = 0; n < 64; n++) await post(path, `{"t":"older","before":${n}}`.padStart(3 * FRAME_MAX - 10, "\n"));
    expect(bytesInUse() - before).toBeLessThan(64 * FRAME_MAX);
    expect(received.at(-1)).toBe('{"t":"older","before":63}');
  });

  it("with a name that no node has is not looked up (A33)", async () => {
    for (const name of ["%00", "N1", "n".repeat(33)]) expect((await post(`/${name}.x`)).status).toBe(404);
    expect(searched).toEqual([]);
    await post("/n3.x");
    expect(searched).toEqual(["n3"]);
  });

  it("is not found by pages of another origin, which may neither read it nor write to it", async () => {
    const path = await open();
    const headers = { origin: "https://elsewhere.example" };
    const read = await fetch(`${url + path}?mode=poll&wait=0`, { headers });
    const written = await fetch(url + path, { method: "POST", body: "{}", headers });
    const ended = await fetch(`${url + path}/end`, { method: "POST", headers });
    expect([read.status, written.status, ended.status]).toEqual([404, 404, 404]);
    expect([received, gone]).toEqual([[], 0]);
  });

  it("is refused to requests without an origin, and to pages that no site lists (A7)", async () => {
    const path = await open();
    for (const headers of [{}, { origin: "https://evil.example" }]) {
      const requests = [fetch(url, { method: "POST", headers }), fetch(`${url}${path}?mode=poll&wait=0`, { headers })];
      for (const answer of await Promise.all(requests)) expect(answer.status).toBe(403);
    }
  });

  it("may be read without an Origin header by a page on the relay's own origin, and by no other page", async () => {
    const path = await open();
    const read = (site: string): Promise<Response> =>
      fetch(`${url + path}?mode=poll&wait=0`, { headers: { "sec-fetch-site": site } });
    const answers = await Promise.all(["same-origin", "same-site", "cross-site", "none"].map(read));
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 403]);
    const written = await fetch(url + path, {
      method: "POST",
      body: "{}",
      headers: { "sec-fetch-site": "same-origin" },
    });
    expect(written.status).toBe(403);
  });

  it("counts all unread bytes: frames that wait, frames in the present answer, and frames in earlier answers", async () => {
    const path = await open();
    const frame = "x".repeat(1024 * 1024);
    line.send(frame);
    expect(line.buffered()).toBe(frame.length);
    const reader = await neverReads(path);
    await expect.poll(() => line.buffered()).toBeLessThan(frame.length);
    for (let n = 0; n < 16; n++) line.send(frame);
    await expect.poll(() => line.buffered()).toBeGreaterThan(8 * frame.length);
    const sizeBefore = line.buffered();
    const second = await neverReads(path);
    expect(line.buffered()).toBeGreaterThan(sizeBefore / 2);
    for (const socket of [reader, second]) socket.destroy();
    await expect.poll(() => line.buffered()).toBe(0);
  });

  it("closes the connection of a client that reads too slowly, and drops what waited", async () => {
    const reader = await neverReads(await open());
    const frame = "x".repeat(1024 * 1024);
    // Less than the limit on what the clients of ended connections leave unread, which would cut it off as well.
    await expect
      .poll(() => {
        line.send(frame);
        return line.buffered();
      })
      .toBeGreaterThan(3 * frame.length);
    line.close(CLOSE.overload);
    await expect.poll(() => line.buffered()).toBe(0);
    reader.resume();
    await once(reader, "close");
    expect(gone).toBe(1);
  });

  it("cuts off unread answers ten seconds after the connection ended", async () => {
    const path = await open();
    const reader = await neverReads(path);
    const frame = "x".repeat(1024 * 1024);
    await expect
      .poll(() => {
        line.send(frame);
        return line.buffered();
      })
      .toBeGreaterThan(3 * frame.length);
    await post(`${path}/end`);
    expect([gone, line.buffered() > frame.length]).toEqual([1, true]);
    for (const [ms, fn] of timers) if (ms === 10_000) fn();
    await expect.poll(() => line.buffered()).toBe(0);
    reader.destroy();
  });

  it("cuts off earlier when the clients of ended connections leave too much unread together, the first first (A28)", async () => {
    const frame = "x".repeat(1024 * 1024);
    /** Ends a connection whose client leaves three to four megabytes unread. */
    async function leave() {
      const path = await open();
      const reader = await neverReads(path);
      const { send, buffered } = line;
      await expect
        .poll(() => {
          send(frame);
          return buffered();
        })
        .toBeGreaterThan(3 * frame.length);
      await post(`${path}/end`);
      return { reader, buffered };
    }
    const [first, ...others] = [await leave(), await leave(), await leave()];
    await expect.poll(() => first?.buffered()).toBe(0);
    expect(others.map(({ buffered }) => buffered() > 2 * frame.length)).toEqual([true, true]);
    for (const { reader } of others) reader.destroy();
    await expect.poll(() => others.map(({ buffered }) => buffered())).toEqual([0, 0]);
    // The whole limit is free again.
    const later = [await leave(), await leave()];
    expect(later.map(({ buffered }) => buffered() > 2 * frame.length)).toEqual([true, true]);
    for (const { reader } of later) reader.destroy();
  });

  it("refuses HEAD, whose answer nobody would read (A28)", async () => {
    const path = await open();
    for (const mode of ["stream", "poll"]) {
      const answer = await fetch(`${url + path}?mode=${mode}`, { method: "HEAD", headers: { origin: ORIGIN } });
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, POST"]);
    }
    line.send("never read");
    expect(line.buffered()).toBe("never read".length);
  });

  it("has no reader after its client disconnects, also when its answer waited behind another one", async () => {
    const paths = [await open(), await open()];
    const count = (wanted: number): number => timers.filter(([ms]) => ms === wanted).length;
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    for (const path of paths)
      socket.write(`GET /socket/lines${path}?mode=stream HTTP/1.1\r\nHost: a\r\nOrigin: ${ORIGIN}\r\n\r\n`);
    await expect.poll(() => count(15_000)).toBe(2);
    socket.destroy();
    await expect.poll(() => count(40_000)).toBe(4);
    line.send("never read");
    expect(line.buffered()).toBe("never read".length);
  });

  it("of another node is reached by its id, whatever the id contains, and by no other path (A20)", async () => {
    const requests: string[] = [];
    const other = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.end("frames");
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    otherNode = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const path = "/n2.x%5C..%5C..%5C..%5Cadmin%5Clogin";
    const read = await fetch(`${url}${path}?mode=poll`, { headers: { origin: ORIGIN } });
    expect(await read.text()).toBe("frames");
    await post(path);
    await post(`${path}/end`);
    const line = `/socket/lines${path}`;
    expect(requests).toEqual([`GET ${line}?mode=poll`, `POST ${line}`, `POST ${line}/end`]);
    other.close();
  });

  it("of another node is cut off when its clients leave too much unread together, the first first (A28)", async () => {
    const sent = new Map<string, number>();
    const answering = new Set<string>();
    const other = createServer((request, response) => {
      const name = request.url?.split("?")[0] ?? "";
      const chunk = "x".repeat(64 * 1024);
      const more = (): void => {
        sent.set(name, (sent.get(name) ?? 0) + chunk.length);
        if (!response.write(chunk)) return void response.once("drain", more);
        setImmediate(more);
      };
      response.once("close", () => answering.delete(name));
      answering.add(name);
      if (name.endsWith("quiet")) response.write("a frame\n");
      else more();
    }).listen(0, "127.0.0.1");
    await once(other, "listening");
    otherNode = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    /** Opens an answer that its client never reads, and waits until the other node can write no more of it. */
    async function stall(name: string) {
      const reader = await neverReads(`/n2.${name}`);
      let before: number | undefined;
      await expect
        .poll(() => {
          const now = sent.get(`/socket/lines/n2.${name}`);
          const isStalled = now !== undefined && now === before;
          before = now;
          return isStalled;
        })
        .toBe(true);
      return reader;
    }
    const quiet = await fetch(`${url}/n2.quiet?mode=stream`, { headers: { origin: ORIGIN } });
    await quiet.body?.getReader().read();
    const readers = [await stall("first"), await stall("second"), await stall("third")];
    const path = (name: string): string => `/socket/lines/n2.${name}`;
    await expect.poll(() => [...answering]).toEqual(["quiet", "second", "third"].map(path));
    for (const reader of readers) reader.destroy();
    await expect.poll(() => [...answering]).toEqual([path("quiet")]);
    other.close().closeAllConnections();
  });

  it("counts against its address's limit until it ends", async () => {
    const paths = await Promise.all(Array.from({ length: PER_ADDRESS }, open));
    expect((await post()).status).toBe(429);
    expect((await post(`${paths[0]}/end`)).status).toBe(204);
    expect((await post()).status).toBe(201);
    expect((await post()).status).toBe(429);
  });
});
