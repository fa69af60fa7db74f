import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { CLOSE, type Ending } from "@porchlight/shared/close";
import { randomId } from "@porchlight/shared/id";
import { HELLO_MAX } from "@porchlight/shared/limits";
import { type Context, Hono } from "hono";
import type { Clock } from "../base/clock.ts";
import { ERRORS, RelayError } from "../base/errors.ts";
import type { Places } from "../base/places.ts";
import type { Connection, Transport } from "../socket/connection.ts";
import type { Connections } from "../socket/connections.ts";
import { readBody } from "./body.ts";
import { SIZES } from "./doors.ts";

/**
 * The same frames for browsers whose network blocks WebSockets: down as a stream of lines, or as answers to long polls
 * where a proxy holds streams back; up as posts. One frame a line, JSON. A frame that a broken answer swallowed is
 * missed by its number, as on every transport, and the client greets again.
 *
 *   POST   /socket/lines            opens a line → 201 {"line": "…"}
 *   GET    /socket/lines/{line}     ?mode=stream: an answer without end; ?mode=poll: what is there, or comes within 25 s;
 *                                   with &wait=0 at once
 *   POST   /socket/lines/{line}     frames of the client, one a line → 204
 *   POST   /socket/lines/{line}/end the client leaves
 *
 * Content types are text/plain, so that no browser asks beforehand whether it may.
 */

/** A line that nobody reads for so long is closed. */
const UNREAD_MS = 40_000;
const POLL_MS = 25_000;
/** An empty line now and then, so that no proxy takes a quiet stream for a dead one (WIDGET 3.4). */
const KEEP_MS = 15_000;

/** An answer that takes frames while it is open. */
type Reader = { take: (frames: string[]) => void; end: () => void };
/** An answer whose client has not read everything yet: a line's reader, or one before it. */
type Answer = { unread: () => number; cut: () => void };
type Open = {
  id: string;
  origin: string;
  connection: Connection;
  /** Frames that wait for a reader, and their size in bytes. */
  waiting: string[];
  size: number;
  reader: Reader | undefined;
  answers: Set<Answer>;
  ended: Ending | undefined;
  cancel: () => void;
  /** Gives the line's place back. */
  leave: () => void;
};

type Parts = {
  connections: Connections;
  clock: Clock;
  allows: (origin: string) => boolean;
  remoteOf: (request: IncomingMessage) => string;
  /** What the sender counts as, and room for connections, shared with the WebSockets. */
  addressOf: (request: IncomingMessage) => string;
  places: Places;
};
type Door = Pick<Parts, "connections" | "clock"> & { open: Map<string, Open> };

type App = { Bindings: HttpBindings };
type C = Context<App>;

function close({ connections, open }: Door, line: Open): void {
  line.cancel();
  open.delete(line.id);
  connections.lost(line.connection);
  line.reader?.end();
  line.leave();
}

/** Nobody reads: the line is given up after a while. */
function leaveUnread(door: Door, line: Open): void {
  line.reader = undefined;
  line.cancel();
  line.cancel = door.clock.after(line.ended === undefined ? UNREAD_MS : KEEP_MS, () => close(door, line));
}

function attach(door: Door, line: Open, reader: Reader): void {
  line.reader?.end();
  line.cancel();
  line.reader = reader;
  if (line.waiting.length > 0) {
    line.size = 0;
    reader.take(line.waiting.splice(0));
  }
  if (line.ended !== undefined) close(door, line);
}

function put(line: Open, frame: string): void {
  if (line.reader !== undefined) return line.reader.take([frame]);
  line.waiting.push(frame);
  line.size += Buffer.byteLength(frame);
}

/** Bytes that the client has not read: frames that wait for an answer, and answers that wait for the client. */
function unread(line: Open): number {
  let size = line.size;
  for (const answer of line.answers) size += answer.unread();
  return size;
}

/** The ending travels as a last line, because an answer has no close code. Who reads too slowly is cut off without it. */
function end(door: Door, line: Open, ending: Ending): void {
  line.ended = ending;
  if (ending === CLOSE.overload) {
    line.waiting = [];
    line.size = 0;
    for (const answer of line.answers) answer.cut();
  }
  put(line, JSON.stringify({ t: "end", code: ending.code }));
  if (line.reader !== undefined) close(door, line);
}

const encoder = new TextEncoder();
const bytes = (frames: string[]): Uint8Array => encoder.encode(frames.map((frame) => `${frame}\n`).join(""));

/** Queued bytes count one by one, so that what a stream holds can be asked for. */
const COUNTING = { highWaterMark: 0, size: (chunk: Uint8Array) => chunk.byteLength };

/** Counts an answer among those that its line waits for, until its client has read it or is gone. */
function follow(line: Open, outgoing: ServerResponse, controller: ReadableStreamDefaultController): void {
  const answer: Answer = {
    unread: () => outgoing.writableLength - (controller.desiredSize ?? 0),
    cut: () => outgoing.destroy(),
  };
  line.answers.add(answer);
  outgoing.once("close", () => line.answers.delete(answer));
}

/** An answer without end. */
function stream(door: Door, line: Open, outgoing: ServerResponse): ReadableStream {
  let cancelKeep = (): void => {};
  let reader: Reader;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const keep = (): void => {
          controller.enqueue(encoder.encode("\n"));
          cancelKeep = door.clock.after(KEEP_MS, keep);
        };
        reader = {
          take: (frames) => controller.enqueue(bytes(frames)),
          end() {
            cancelKeep();
            controller.close();
          },
        };
        follow(line, outgoing, controller);
        keep();
        attach(door, line, reader);
      },
      cancel() {
        cancelKeep();
        if (line.reader === reader) leaveUnread(door, line);
      },
    },
    COUNTING,
  );
}

/** An answer that ends with the first frames. @param wait milliseconds; 0: answered at once */
function poll(door: Door, line: Open, outgoing: ServerResponse, wait: number): ReadableStream {
  let done = false;
  let cancelWait = (): void => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const finish = (frames: string[]): void => {
          if (done) return;
          done = true;
          cancelWait();
          controller.enqueue(bytes(frames));
          controller.close();
          if (line.reader === reader && door.open.has(line.id)) leaveUnread(door, line);
        };
        const reader: Reader = { take: finish, end: () => finish([]) };
        if (wait > 0) cancelWait = door.clock.after(wait, () => finish([]));
        follow(line, outgoing, controller);
        attach(door, line, reader);
        if (wait === 0) finish([]);
      },
      cancel() {
        done = true;
        cancelWait();
        leaveUnread(door, line);
      },
    },
    COUNTING,
  );
}

function start(door: Door, origin: string, address: string, leave: () => void): Open {
  const way: Transport = {
    send: (frame) => put(line, frame),
    close: (ending) => end(door, line, ending),
    buffered: () => unread(line),
  };
  const line: Open = {
    id: randomId(),
    origin,
    connection: door.connections.accept(way, origin, address),
    waiting: [],
    size: 0,
    reader: undefined,
    answers: new Set(),
    ended: undefined,
    cancel: () => {},
    leave,
  };
  door.open.set(line.id, line);
  leaveUnread(door, line);
  return line;
}

/** The line a request means; a line of another origin is none. */
function lineOf({ open }: Door, c: C): Open {
  const line = open.get(c.req.param("line") ?? "");
  if (line === undefined || line.origin !== c.req.header("origin")) throw new RelayError("not_found");
  return line;
}

/** Hands over the frames of a post. The line is its sender's token: without it nothing is read. */
async function receive(door: Door, c: C): Promise<Response> {
  const line = lineOf(door, c);
  const greeted = line.connection.phase.name === "live";
  const text = await readBody(c.env.incoming, greeted ? SIZES.frames : HELLO_MAX);
  for (const frame of text.split("\n")) if (frame !== "") door.connections.receive(line.connection, frame);
  return c.body(null, 204);
}

export function lines({ connections, clock, allows, remoteOf, addressOf, places }: Parts): Hono<App> {
  const door: Door = { connections, clock, open: new Map() };
  const app = new Hono<App>();

  app.use("/socket/lines/*", async (c, next) => {
    const origin = c.req.header("origin");
    if (origin === undefined) throw new RelayError("origin_not_allowed");
    c.header("Access-Control-Allow-Origin", origin);
    c.header("Vary", "Origin");
    c.header("Cache-Control", "no-store, no-transform");
    // Readable, so that a page can tell it from a proxy's refusal, and say so.
    const code = "origin_not_allowed";
    if (!allows(origin)) return c.json({ error: ERRORS[code][1], code }, 403);
    return next();
  });

  app.post("/socket/lines", (c) => {
    const leave = places.take(addressOf(c.env.incoming));
    if (leave === undefined) throw new RelayError("rate_limited");
    return c.json({ line: start(door, c.req.header("origin") ?? "", remoteOf(c.env.incoming), leave).id }, 201);
  });
  app.post("/socket/lines/:line", (c) => receive(door, c));
  app.post("/socket/lines/:line/end", (c) => {
    close(door, lineOf(door, c));
    return c.body(null, 204);
  });
  app.get("/socket/lines/:line", (c) => {
    const line = lineOf(door, c);
    const outgoing = c.env.outgoing as ServerResponse;
    c.header("Content-Type", "text/plain; charset=utf-8");
    c.header("X-Content-Type-Options", "nosniff");
    // nginx holds answers back unless it is told not to.
    c.header("X-Accel-Buffering", "no");
    const wait = c.req.query("wait") === "0" ? 0 : POLL_MS;
    return c.body(c.req.query("mode") === "poll" ? poll(door, line, outgoing, wait) : stream(door, line, outgoing));
  });
  return app;
}
