import { type Duplex, PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { manualClock } from "./clock.fixture.ts";
import { createUnfinishedMessages } from "./unfinished-messages.ts";

/** The beginning of a masked text frame of 60,000 bytes (RFC 6455 section 5.2), with `size` bytes in all. */
function beginning(size: number): Buffer {
  const bytes = Buffer.alloc(size, "x");
  Buffer.from([0x81, 0x80 | 126, 60_000 >> 8, 60_000 & 0xff, 0, 0, 0, 0]).copy(bytes);
  return bytes;
}

/** Clients whose incomplete messages may take 100,000 bytes together. `late`: those that were cut off. */
function setup() {
  const late: Duplex[] = [];
  const messages = createUnfinishedMessages(manualClock(), (socket) => void late.push(socket), 100_000);
  const clients = Array.from({ length: 5 }, () => {
    const socket = new PassThrough();
    messages.watch(socket);
    return socket;
  });
  return { late, messages, clients };
}

it("cuts off the messages that began first while all incomplete ones are too large (A22)", () => {
  const { late, clients } = setup();
  const [first, second, third, fourth, fifth] = clients;
  for (const socket of [first, second]) socket?.emit("data", beginning(40_000));
  // A complete message leaves room again.
  second?.emit("data", Buffer.alloc(20_008, "x"));
  third?.emit("data", beginning(50_000));
  expect(late).toEqual([]);
  fourth?.emit("data", beginning(30_000));
  expect(late).toEqual([first]);
  fifth?.emit("data", beginning(20_000));
  fourth?.emit("data", Buffer.alloc(20_000, "x"));
  expect(late).toEqual([first, third]);
});

it("forgets messages that are complete, and those of closed connections", () => {
  const { messages, clients } = setup();
  const [first, second] = clients;
  for (const socket of [first, second]) socket?.emit("data", beginning(40_000));
  expect(messages.count()).toBe(2);
  first?.emit("data", Buffer.alloc(20_008, "x"));
  second?.emit("close");
  expect(messages.count()).toBe(0);
});

it("counts the memory of each piece, so that tiny pieces are limited too (A22)", () => {
  const { late, clients } = setup();
  for (const socket of clients) {
    socket.emit("data", beginning(100));
    for (let n = 0; n < 60; n++) socket.emit("data", Buffer.from("x"));
  }
  expect(late).toEqual(clients.slice(0, 2));
});

it("frees the memory of a message that it cuts off at once, unless it is still needed (A22)", () => {
  const messages = createUnfinishedMessages(manualClock(), (socket) => void socket.destroy(), 100_000);
  /** Sends a piece on a socket of its own, behind which there is a rest that nobody has read. */
  const send = (piece: Buffer, rest = ""): Buffer => {
    const socket = new PassThrough();
    messages.watch(socket);
    socket.pause().write(rest);
    socket.emit("data", piece);
    return piece;
  };
  const shared = beginning(80_000).subarray(0, 40_000);
  const pieces = [send(beginning(40_000)), send(beginning(40_000), "rest"), send(shared), send(beginning(40_000))];
  expect(pieces.map(({ length }) => length)).toEqual([0, 40_000, 40_000, 40_000]);
  send(beginning(90_000));
  expect(pieces.map(({ length }) => length)).toEqual([0, 40_000, 40_000, 0]);
});
