import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type WebSocket as Served, WebSocketServer } from "ws";
import type { Transport, TransportEvents } from "./connection.ts";
import { openSocket } from "./web-socket.ts";

let server: WebSocketServer;
let relay: string;

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  relay = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  for (const client of server.clients) client.terminate();
  server.close();
});

type Dialled = { transport: Transport; log: string[]; next(): Promise<string> };

/** Opens the transport and records its events. */
function dial(open = openSocket(relay)): Dialled {
  const log: string[] = [];
  let wake = () => {};
  const record = (what: string) => {
    log.push(what);
    wake();
  };
  const events: TransportEvents = {
    open: () => record("open"),
    frame: (text) => record(`frame ${text}`),
    close: (code) => record(`close ${code}`),
  };
  let read = 0;
  const next = async () => {
    while (log.length <= read)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return log[read++] ?? "";
  };
  return { transport: open(events), log, next };
}

const served = async (): Promise<Served> => (await once(server, "connection"))[0] as Served;

describe("the WebSocket transport", () => {
  it("opens at /socket, and sends and receives text", async () => {
    const arrived = once(server, "connection");
    const { transport, next } = dial();
    const [socket, request] = await arrived;
    expect(request.url).toBe("/socket");
    expect(await next()).toBe("open");
    transport.send("hello");
    expect(String((await once(socket, "message"))[0])).toBe("hello");
    socket.send("welcome");
    expect(await next()).toBe("frame welcome");
  });

  it("reports the close code", async () => {
    const arriving = served();
    const { next } = dial();
    expect(await next()).toBe("open");
    (await arriving).close(4410, "gone");
    expect(await next()).toBe("close 4410");
  });

  it("reports a refused connection, after the call has returned", async () => {
    const nobody = openSocket("http://127.0.0.1:9");
    const { log, next } = dial(nobody);
    expect(log).toEqual([]);
    expect(await next()).toBe("close 1006");
  });

  it("reports the same when the page's policy makes the constructor throw", async () => {
    const Forbidden = class {
      constructor() {
        throw new DOMException("The operation is insecure.", "SecurityError");
      }
    } as unknown as typeof WebSocket;
    const { log, next } = dial(openSocket(relay, Forbidden));
    expect(log).toEqual([]);
    expect(await next()).toBe("close 1006");
  });

  it("sends a close frame when it is closed, and reports no more events", async () => {
    const arriving = served();
    const { transport, log, next } = dial();
    const socket = await arriving;
    await next();
    transport.close();
    transport.send("too late");
    socket.send("too late");
    expect((await once(socket, "close"))[0]).toBe(1000);
    expect(log).toEqual(["open"]);
  });
});
