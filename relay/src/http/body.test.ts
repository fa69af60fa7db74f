import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { routeOfBody } from "../app.ts";
import { realClock } from "../base/clock.ts";
import type { RelayError } from "../base/errors.ts";
import { readBody } from "./body.ts";
import { type BodyBudget, createBodyBudget } from "./body-budget.ts";
import { withDeadline } from "./deadline.ts";
import { withResponsePolicy } from "./response-policy.ts";

const MAX = 1_000;
let server: Server;
afterEach(() => void server.close().closeAllConnections());

/** A server that reads bodies of at most `MAX` bytes, a connection to it, and its answers. */
async function open(clock = realClock, budget?: BodyBudget) {
  const seen: IncomingMessage[] = [];
  server = createServer(
    withDeadline(clock, routeOfBody, async (request, response) => {
      seen.push(request);
      const text = await readBody(request, MAX, budget).catch((error: RelayError) => error.code);
      response.writeHead(text === "too_large" ? 413 : 200).end(text.slice(0, 20));
    }),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket: Socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  let answer = "";
  socket.on("data", (part) => {
    answer += part;
  });
  await once(socket, "connect");
  return { socket, seen, answer: () => answer };
}

const head = (...headers: string[]): string =>
  `POST /socket/lines/x HTTP/1.1\r\nHost: a\r\n${headers.join("\r\n")}\r\n\r\n`;
const chunk = (size: number): string => `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`;

describe("a body", () => {
  it("is read whole up to its limit", async () => {
    const { socket, answer } = await open();
    socket.write(head(`Content-Length: ${MAX}`) + "y".repeat(MAX));
    await expect.poll(answer).toContain("yyyy");
  });

  it("that is not UTF-8 is refused, and never read as other characters (A33)", async () => {
    for (const bytes of [[0xff], [0xc3, 0x28], [0xed, 0xa0, 0x80]]) {
      const { socket, answer } = await open();
      socket.write(head(`Content-Length: ${bytes.length}`));
      socket.write(Buffer.from(bytes));
      await expect.poll(answer).toContain("bad_json");
      server.close().closeAllConnections();
    }
  });

  it("that announces too many bytes is refused before any of it is read", async () => {
    const { socket, seen, answer } = await open();
    socket.write(head("Content-Length: 300000000"));
    await expect.poll(answer).toContain("413");
    expect(seen[0]?.readableLength).toBe(0);
  });

  it("of unknown length is counted, is never kept beyond the limit, and its connection is closed", async () => {
    const { socket, answer } = await open();
    socket.write(head("Transfer-Encoding: chunked"));
    let sent = 0;
    const more = (): void => {
      while (!socket.destroyed && sent < 300_000_000 && socket.write(chunk(65_536))) sent += 65_536;
    };
    socket.on("drain", more);
    more();
    await expect.poll(answer).toContain("413");
    await expect.poll(() => socket.destroyed).toBe(true);
    expect(sent).toBeLessThan(30_000_000);
  });

  it("whose client disconnects is not reported as an error of the relay", async () => {
    const { socket, seen } = await open();
    socket.write(`${head("Content-Length: 100")}half`);
    await expect.poll(() => seen.length).toBe(1);
    const reading = readBody(seen[0] as IncomingMessage, MAX).catch((error: RelayError) => error.code);
    socket.destroy();
    expect(await reading).toBe("cut_off");
  });

  it("that arrives too slowly is cut off at its time limit", async () => {
    const times: [ms: number, fn: () => void][] = [];
    const after = (ms: number, fn: () => void) => {
      times.push([ms, fn]);
      return () => {};
    };
    const clock = { ...realClock, after };
    const { socket } = await open(clock);
    socket.write(`${head("Content-Length: 100")}half`);
    await expect.poll(() => times.length).toBe(1);
    expect(times[0]?.[0]).toBe(30_000);
    times[0]?.[1]();
    await expect.poll(() => socket.destroyed).toBe(true);
  });

  it("that stays incomplete gives way to later ones when all together are too large (A24)", async () => {
    const budget = createBodyBudget(10_000);
    const { answer, socket, seen } = await open(realClock, budget);
    const sockets = [socket];
    for (let n = 0; n < 9; n++) sockets.push(connect(socket.remotePort as number, "127.0.0.1"));
    const answers = sockets.map((one) => {
      let text = "";
      one.on("error", () => {}).on("data", (part) => (text += part));
      return () => text;
    });
    for (const [n, one] of sockets.entries()) {
      one.write(head(`Content-Length: ${MAX}`) + "y".repeat(MAX - 1));
      await expect.poll(() => seen.length).toBe(n + 1);
    }
    await expect.poll(answer).toContain("try_later");
    for (const one of sockets.slice(4)) one.write("y");
    await expect
      .poll(() => answers.map((text) => /yyyy|try_later/.exec(text())?.[0] ?? "none"))
      .toEqual([...Array(4).fill("try_later"), ...Array(6).fill("yyyy")]);
    // The whole budget is free again.
    const cut: string[] = [];
    budget.add({ size: 0, cutOff: () => void cut.push("first") }, 9_000);
    expect(cut).toEqual([]);
  });

  it("that no route reads does not stay in memory while its request waits (A24)", async () => {
    const seen: IncomingMessage[] = [];
    server = createServer(withDeadline(realClock, routeOfBody, (request) => void seen.push(request))).listen(
      0,
      "127.0.0.1",
    );
    await once(server, "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write("GET /socket/lines/x HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n");
    socket.write(Buffer.alloc(200_000));
    await expect.poll(() => seen[0]?.complete).toBe(true);
    expect(seen[0]?.readableLength).toBe(0);
  });

  it("that no route reads ends the connection with the answer", async () => {
    const { socket, answer } = await open();
    socket.write("GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
    await expect.poll(answer).toContain("Connection: close");
  });
});

it("limits the unread rest of a body once the request is answered (A21)", async () => {
  server = createServer(withResponsePolicy(realClock, (_, response) => void response.writeHead(401).end())).listen(
    0,
    "127.0.0.1",
  );
  await once(server, "listening");
  const socket = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => {}).resume();
  socket.write(head("Content-Length: 300000000"));
  const block = Buffer.alloc(65_536, "x");
  let sent = 0;
  const more = (): void => {
    while (!socket.destroyed && sent < 300_000_000 && socket.write(block)) sent += block.length;
    if (sent >= 300_000_000) socket.destroy();
  };
  socket.on("drain", more);
  more();
  await expect.poll(() => socket.closed).toBe(true);
  expect(sent).toBeLessThan(30_000_000);
});

it("the table of routes says which bodies are read", () => {
  const reading = [
    "/socket/lines/l1",
    "/media",
    "/callbacks/reply/s",
    "/callbacks/recharge/s",
    "/mail/stop/l",
    "/api/v1/x",
  ];
  expect(reading.filter((path) => routeOfBody("POST", path) === undefined)).toEqual([]);
  const silent = ["/socket/lines", "/socket/lines/l1/end", "/healthz", "/callbacks/other/s", "/nowhere"];
  expect(silent.filter((path) => routeOfBody("POST", path) !== undefined)).toEqual([]);
  expect(routeOfBody("GET", "/callbacks/reply/s")).toBeUndefined();
});
