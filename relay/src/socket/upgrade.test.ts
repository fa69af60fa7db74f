import { createServer, type IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { CLOSE } from "@porchlight/shared/close";
import { FRAME_MAX, HELLO_MAX } from "@porchlight/shared/limits";
import { beforeEach, describe, expect, it } from "vitest";
import type { Clock } from "../base/clock.ts";
import { createConnectionSlots } from "../base/connection-slots.ts";
import { silentLog } from "../base/log.ts";
import { MESSAGE_MS } from "../base/unfinished-messages.ts";
import type { Connection, Transport } from "./connection.ts";
import type { Connections } from "./connections.ts";
import { serveSockets } from "./socket.ts";

/** A client's raw socket without a network: its data arrives in the pieces that the test chooses. */
class Wire extends Duplex {
  answer = Buffer.alloc(0);
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.answer = Buffer.concat([this.answer, chunk]);
    done();
  }
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  /** The code of the last close frame (RFC 6455, section 7.1.5). */
  closedWith(): number | undefined {
    const at = this.answer.lastIndexOf(0x88);
    return at < 0 ? undefined : this.answer.readUInt16BE(at + 2);
  }
}

const TEXT = 1;
const CONTINUED = 0;
const PONG = 10;

/** A client's frame, masked with zeros. @param last whether its message ends with it */
function frame(opcode: number, payload: string | number, last = true): Buffer {
  const body = typeof payload === "number" ? Buffer.alloc(payload, "x") : Buffer.from(payload);
  const size = body.length < 126 ? [0x80 | body.length] : [0x80 | 126, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([(last ? 0x80 : 0) | opcode, ...size, 0, 0, 0, 0]), body]);
}

const ORIGIN = "https://shop.example";
let time: number;
let sweeps: (() => void)[];
let received: string[];
/** Handshakes wait until it resolves. */
let handshakes: Promise<void>;
let slots = createConnectionSlots({ perAddress: 3, total: 0 });
let server = createServer();

beforeEach(() => {
  [time, sweeps, received, handshakes] = [0, [], [], Promise.resolve()];
  slots = createConnectionSlots({ perAddress: 3, total: 0 });
  server = createServer();
  const clock: Clock = {
    now: () => time,
    uptime: () => time,
    after(_ms, fn) {
      sweeps.push(fn);
      return () => {};
    },
  };
  const connections = {
    slot: () => handshakes,
    accept: (transport: Transport) => ({ phase: { name: "greeting", transport } }) as Connection,
    receive: (_: Connection, text: string) => void received.push(text),
    alive: () => {},
    lost: () => {},
  } as unknown as Connections;
  const address = (): string => "192.0.2.1";
  serveSockets({
    server,
    connections,
    log: silentLog,
    allows: (origin) => origin === ORIGIN,
    networkOf: address,
    addressOf: address,
    slots,
    clock,
  });
});

/** @param early what the client sent together with the request */
function upgrade(headers: Record<string, string | undefined> = {}, early = Buffer.alloc(0)): Wire {
  const wire = new Wire();
  const request = {
    method: "GET",
    url: "/socket",
    socket: wire,
    headers: {
      origin: ORIGIN,
      upgrade: "websocket",
      connection: "Upgrade",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
      "sec-websocket-version": "13",
      ...headers,
    },
  } as unknown as IncomingMessage;
  server.emit("upgrade", request, wire, early);
  return wire;
}

/** Lets streams deliver the data that was pushed. */
const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function push(wire: Wire, ...parts: Buffer[]): Promise<void> {
  for (const part of parts) {
    wire.push(part);
    await nextTick();
  }
}
async function pass(ms: number): Promise<void> {
  time += ms;
  for (const sweep of sweeps.splice(0)) sweep();
  await nextTick();
}

describe("a WebSocket", () => {
  it("accepts a frame of the largest size, and refuses a larger one (A21)", async () => {
    const wire = upgrade();
    await push(wire, frame(TEXT, FRAME_MAX));
    expect(received.map(({ length }) => length)).toEqual([FRAME_MAX]);
    await push(wire, frame(TEXT, FRAME_MAX + 1));
    expect(wire.closedWith()).toBe(1009);
  });

  it("may send 64 KB more after it broke a limit; then its connection is destroyed (A21)", async () => {
    const wire = upgrade();
    await push(wire, frame(TEXT, FRAME_MAX + 1), Buffer.alloc(30_000));
    expect([wire.closedWith(), wire.destroyed]).toEqual([1009, false]);
    await push(wire, Buffer.alloc(40_000));
    expect(wire.destroyed).toBe(true);
  });

  it("accepts a message in 16 fragments, and refuses more (A22)", async () => {
    const pieces = (count: number): Buffer[] =>
      Array.from({ length: count }, (_, n) => frame(n === 0 ? TEXT : CONTINUED, "x", n === count - 1));
    const wire = upgrade();
    await push(wire, ...pieces(16));
    expect(received).toEqual(["x".repeat(16)]);
    await push(wire, ...pieces(17));
    expect([received.length, wire.closedWith()]).toEqual([1, 1008]);
  });

  it("accepts a frame in a few pieces, and refuses one sent byte by byte (A22)", async () => {
    const wire = upgrade();
    const bytes = [...frame(TEXT, 200)].map((byte) => Buffer.from([byte]));
    await push(wire, ...bytes);
    expect(received).toEqual([]);
    expect(wire.closedWith()).toBe(1008);
  });

  it("can be reset at any point of its upgrade without an effect on the relay (A25)", () => {
    const served = upgrade();
    expect(() => served.emit("error", new Error("read ECONNRESET"))).not.toThrow();
    const refused = upgrade({ origin: undefined as unknown as string });
    expect(() => refused.emit("error", new Error("read ECONNRESET"))).not.toThrow();
    const broken = upgrade({ "sec-websocket-key": "x" });
    expect(() => broken.emit("error", new Error("read ECONNRESET"))).not.toThrow();
  });

  it("is refused without an origin, and closed with `notAllowed` for an origin that is not listed (A7)", async () => {
    expect(upgrade({ origin: undefined }).answer.toString()).toContain("403 Forbidden");
    for (const origin of ["https://evil.example", `${ORIGIN}.evil.example`, "null", ""]) {
      const wire = upgrade({ origin });
      await push(wire, frame(TEXT, "hello"));
      expect([wire.closedWith(), received], origin).toEqual([CLOSE.notAllowed.code, []]);
      wire.destroy();
      await nextTick();
    }
  });

  it("never compresses, whatever the client offers (A23)", async () => {
    const wire = upgrade({ "sec-websocket-extensions": "permessage-deflate" });
    await nextTick();
    expect(wire.answer.toString()).toContain("101 Switching");
    expect(wire.answer.toString()).not.toMatch(/sec-websocket-extensions/i);
  });

  it("counts against its address's limit, and stops counting even when the handshake fails", async () => {
    const wires = [upgrade(), upgrade(), upgrade({ "sec-websocket-key": "x" })];
    const refused = upgrade();
    await nextTick();
    expect([refused.answer.toString().slice(0, 12), refused.destroyed]).toEqual(["HTTP/1.1 429", true]);
    for (const wire of wires) wire.destroy();
    await nextTick();
    expect(slots.taken()).toBe(0);
    const wire = upgrade();
    await nextTick();
    expect(wire.answer.toString()).toContain("101");
  });

  it("is opened when its address has a slot; what its client has sent meanwhile is kept (A28)", async () => {
    let begin = (): void => {};
    handshakes = new Promise((resolve) => {
      begin = resolve;
    });
    const wire = upgrade();
    await push(wire, frame(TEXT, "early"));
    expect([wire.answer.toString(), received]).toEqual(["", []]);
    begin();
    await nextTick();
    await nextTick();
    expect([wire.answer.toString().slice(0, 12), received]).toEqual(["HTTP/1.1 101", ["early"]]);
  });

  it("is destroyed when its client sends more than a hello before the handshake is answered (A24)", async () => {
    handshakes = new Promise(() => {});
    const [wire, other] = [upgrade(), upgrade()];
    await push(wire, Buffer.alloc(HELLO_MAX - 1));
    expect(wire.destroyed).toBe(false);
    await push(wire, Buffer.alloc(2));
    expect([wire.destroyed, other.destroyed]).toEqual([true, false]);
    expect(upgrade({}, Buffer.alloc(HELLO_MAX + 1)).destroyed).toBe(true);
  });
});

describe("an unfinished message", () => {
  it("has a deadline that neither fragments nor pongs extend (A22)", async () => {
    const wire = upgrade();
    await push(wire, frame(TEXT, "half", false));
    for (let n = 0; n < 5; n++) {
      await pass(MESSAGE_MS / 5 - 1);
      await push(wire, frame(CONTINUED, "x", false), frame(PONG, ""));
      expect(wire.destroyed).toBe(false);
    }
    await pass(10);
    expect(wire.destroyed).toBe(true);
  });

  it("has the same deadline when it stops within a frame", async () => {
    const wire = upgrade();
    await push(wire, frame(TEXT, 100), frame(TEXT, 300).subarray(0, 3));
    await pass(MESSAGE_MS);
    expect([received.length, wire.destroyed]).toEqual([1, true]);
  });

  it("has no deadline once it is complete, nor has a client that sends nothing or only pongs", async () => {
    const [wire, silent] = [upgrade(), upgrade()];
    for (let n = 0; n < 30; n++) {
      // The end of one message and the beginning of the next in one chunk.
      const [one, two] = [frame(TEXT, 300), frame(TEXT, 300)];
      await push(wire, one.subarray(0, 100), Buffer.concat([one.subarray(100), two.subarray(0, 100)]));
      await push(wire, two.subarray(100));
      await push(silent, frame(PONG, "sign of life"));
      await pass(1_000);
    }
    expect([received.length, wire.destroyed, silent.destroyed]).toEqual([60, false, false]);
    expect(sweeps).toEqual([]);
  });
});
