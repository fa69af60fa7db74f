import { EventEmitter, once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import type { Clock } from "../base/clock.ts";
import { withResponsePolicy } from "./response-policy.ts";

const MINUTE = 60_000;
let server: Server;
afterEach(() => void server.close().closeAllConnections());

async function open(clock: Clock, listener: RequestListener, request: string): Promise<Socket> {
  server = createServer(withResponsePolicy(clock, listener)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(request);
  return socket;
}

/** More bytes than the kernel and Node buffer for a client that does not read. */
const LARGE = Buffer.alloc(40 * 1024 * 1024);
const large: RequestListener = (_request, response) => {
  response.writeHead(200, { "Content-Length": LARGE.length }).end(LARGE);
};

it("ends a download that the client reads too slowly, and allows more time for a larger file", async () => {
  const clock = manualClock();
  const socket = await open(clock, large, "GET /media/x HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket, "readable");
  clock.pass(2 * MINUTE);
  // 40 MiB at 16 KiB a second are almost 43 minutes.
  clock.pass(40 * MINUTE);
  expect(server.listening && !socket.closed).toBe(true);
  const closed = once(socket, "close");
  clock.pass(5 * MINUTE);
  socket.resume();
  await closed;
  expect(socket.bytesRead).toBeLessThan(LARGE.length);
});

it("cuts off the answers that wait longest when clients that do not read leave too many bytes in memory (A28)", async () => {
  const request = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n";
  const first = await open(manualClock(), large, request);
  await once(first, "readable");
  const next = async (): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(request);
    await once(socket, "readable");
    return socket;
  };
  const second = await next();
  await Promise.all([once(first, "close"), first.resume()]);
  expect(first.bytesRead).toBeLessThan(LARGE.length);
  // The second answer is read, so it counts no longer, and a third one has room.
  second.resume();
  await expect.poll(() => second.bytesRead).toBeGreaterThan(LARGE.length);
  const third = (await next()).resume();
  await expect.poll(() => third.bytesRead).toBeGreaterThan(LARGE.length);
  for (const socket of [second, third]) socket.destroy();
});

it("cuts off the files that have been sent for longest when hundreds are sent at once (A28)", () => {
  const policy = withResponsePolicy(manualClock(), () => {});
  const answers = Array.from({ length: 800 }, () => {
    const response = Object.assign(new EventEmitter(), { setHeader: () => {}, destroy: vi.fn() });
    policy({ method: "GET", url: "/media/x.pdf?sig=x", headers: {} } as never, response as never);
    return response;
  });
  const cut = answers.filter(({ destroy }) => destroy.mock.calls.length > 0);
  expect(cut.length).toBeGreaterThan(20);
  expect(cut.length).toBeLessThan(100);
  expect(cut).toEqual(answers.slice(0, cut.length));
});

it("allows more time for a download of unknown length while the client reads it", async () => {
  const clock = manualClock();
  const part = Buffer.alloc(1024 * 1024);
  let ended = (): boolean => false;
  const endless: RequestListener = (_request, response) => {
    const write = (): void => {
      while (response.write(part));
    };
    response.on("drain", write);
    ended = () => response.destroyed;
    write();
  };
  const socket = await open(clock, endless, "GET /visitors/v/export HTTP/1.1\r\nHost: a\r\n\r\n");
  for await (const _ of socket.iterator({ destroyOnReturn: false })) if (socket.bytesRead >= 20 * 1024 * 1024) break;
  // 20 MiB at 16 KiB a second are more than 21 minutes.
  clock.pass(2 * MINUTE);
  clock.pass(19 * MINUTE);
  expect(ended()).toBe(false);
  clock.pass(30 * MINUTE);
  expect(ended()).toBe(true);
  socket.destroy();
});

it("leaves the connections of the HTTP fallback open", async () => {
  const clock = manualClock();
  let ended = false;
  const stream: RequestListener = (_request, response) => {
    response.once("close", () => {
      ended = true;
    });
    response.writeHead(200).write("first\n");
  };
  const socket = await open(clock, stream, "GET /socket/lines/x?mode=stream HTTP/1.1\r\nHost: a\r\n\r\n");
  await once(socket, "readable");
  clock.pass(60 * MINUTE);
  expect(ended).toBe(false);
  socket.destroy();
});

it("bounds a download whose path only begins like that of a fallback connection", async () => {
  for (const path of ["../../media/x", "..\\..\\media\\x", "x/../../../media/x", "x#/../media/x"]) {
    const clock = manualClock();
    const socket = await open(clock, large, `GET /socket/lines/${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(socket, "readable");
    const closed = once(socket, "close");
    clock.pass(45 * MINUTE);
    socket.resume();
    await closed;
    expect(socket.bytesRead).toBeLessThan(LARGE.length);
    server.close().closeAllConnections();
  }
});

it("sends no-store and nosniff unless the route sets other values", async () => {
  const listener: RequestListener = (request, response) => {
    response.writeHead(200, request.url === "/own" ? { "Cache-Control": "no-cache" } : {}).end();
  };
  await open(manualClock(), listener, "");
  const { port } = server.address() as AddressInfo;
  const headersOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).headers;
  expect((await headersOf("/")).get("cache-control")).toBe("no-store");
  expect((await headersOf("/")).get("x-content-type-options")).toBe("nosniff");
  expect((await headersOf("/own")).get("cache-control")).toBe("no-cache");
});
