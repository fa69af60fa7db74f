import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Ending } from "@porchlight/shared/close";
import { randomId } from "@porchlight/shared/id";
import { HELLO_MAX } from "@porchlight/shared/limits";
import { type Context, Hono } from "hono";
import type { Clock } from "../base/clock.ts";
import { ERRORS, RelayError } from "../base/errors.ts";
import type { Connections } from "../socket/connections.ts";
import type { Connection, Line } from "../socket/live.ts";
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
/** Lines at a time; beyond that, clients are asked to come back. */
const LINES_MAX = 5_000;

type Reader = { take: (frames: string[]) => void; end: () => void };
type Open = {
  origin: string;
  connection: Connection;
  /** Frames that wait for a reader, and their size in characters. */
  waiting: string[];
  size: number;
  reader: Reader | undefined;
  ended: Ending | undefined;
  cancel: () => void;
};

type Parts = {
  connections: Connections;
  clock: Clock;
  allows: (origin: string) => boolean;
  remoteOf: (request: IncomingMessage) => string;
};

type App = { Bindings: HttpBindings };

export function lines({ connections, clock, allows, remoteOf }: Parts): Hono<App> {
  const open = new Map<string, Open>();

  function close(id: string, line: Open): void {
    line.cancel();
    open.delete(id);
    connections.lost(line.connection);
    line.reader?.end();
  }

  /** Nobody reads: the line is given up after a while. */
  function leaveUnread(id: string, line: Open): void {
    line.reader = undefined;
    line.cancel();
    line.cancel = clock.after(line.ended === undefined ? UNREAD_MS : KEEP_MS, () => close(id, line));
  }

  function attach(id: string, line: Open, reader: Reader): void {
    line.reader?.end();
    line.cancel();
    line.reader = reader;
    if (line.waiting.length > 0) reader.take(take(line));
    if (line.ended !== undefined) close(id, line);
  }

  function take(line: Open): string[] {
    line.size = 0;
    return line.waiting.splice(0);
  }

  function put(line: Open, frame: string): void {
    if (line.reader !== undefined) return line.reader.take([frame]);
    line.waiting.push(frame);
    line.size += frame.length;
  }

  function start(origin: string, address: string): string {
    const id = randomId();
    const way: Line = {
      send: (frame) => put(line, frame),
      // The ending travels as a last line, because an answer has no close code.
      close(ending) {
        line.ended = ending;
        put(line, JSON.stringify({ t: "end", code: ending.code }));
        if (line.reader !== undefined) close(id, line);
      },
      buffered: () => line.size,
    };
    const connection = connections.accept(way, origin, address);
    const line: Open = {
      origin,
      connection,
      waiting: [],
      size: 0,
      reader: undefined,
      ended: undefined,
      cancel: () => {},
    };
    open.set(id, line);
    leaveUnread(id, line);
    return id;
  }

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
    if (open.size >= LINES_MAX) throw new RelayError("try_later");
    return c.json({ line: start(c.req.header("origin") ?? "", remoteOf(c.env.incoming)) }, 201);
  });

  /** The line a request means; a line of another origin is none. */
  function lineOf(c: Context): [string, Open] {
    const id = c.req.param("line") ?? "";
    const line = open.get(id);
    if (line === undefined || line.origin !== c.req.header("origin")) throw new RelayError("not_found");
    return [id, line];
  }

  app.post("/socket/lines/:line", async (c) => {
    // The line is the sender's token: without it nothing is read.
    const [, line] = lineOf(c);
    const greeted = line.connection.is.state === "live";
    const text = await readBody(c.env.incoming, greeted ? SIZES.frames : HELLO_MAX);
    for (const frame of text.split("\n")) if (frame !== "") connections.receive(line.connection, frame);
    return c.body(null, 204);
  });

  app.post("/socket/lines/:line/end", (c) => {
    const [id, line] = lineOf(c);
    close(id, line);
    return c.body(null, 204);
  });

  app.get("/socket/lines/:line", (c) => {
    const [id, line] = lineOf(c);
    c.header("Content-Type", "text/plain; charset=utf-8");
    c.header("X-Content-Type-Options", "nosniff");
    // nginx holds answers back unless it is told not to.
    c.header("X-Accel-Buffering", "no");
    return c.body(
      c.req.query("mode") === "poll" ? poll(id, line, c.req.query("wait") === "0" ? 0 : POLL_MS) : stream(id, line),
    );
  });

  const encoder = new TextEncoder();
  const bytes = (frames: string[]): Uint8Array => encoder.encode(frames.map((frame) => `${frame}\n`).join(""));

  function stream(id: string, line: Open): ReadableStream {
    let cancelKeep = (): void => {};
    let reader: Reader;
    return new ReadableStream({
      start(controller) {
        const keep = (): void => {
          controller.enqueue(encoder.encode("\n"));
          cancelKeep = clock.after(KEEP_MS, keep);
        };
        reader = {
          take: (frames) => controller.enqueue(bytes(frames)),
          end() {
            cancelKeep();
            controller.close();
          },
        };
        keep();
        attach(id, line, reader);
      },
      cancel() {
        cancelKeep();
        if (line.reader === reader) leaveUnread(id, line);
      },
    });
  }

  function poll(id: string, line: Open, wait: number): ReadableStream {
    let done = false;
    let cancelWait = (): void => {};
    return new ReadableStream({
      start(controller) {
        const finish = (frames: string[]): void => {
          if (done) return;
          done = true;
          cancelWait();
          controller.enqueue(bytes(frames));
          controller.close();
          if (line.reader === reader && open.has(id)) leaveUnread(id, line);
        };
        const reader: Reader = { take: finish, end: () => finish([]) };
        if (wait > 0) cancelWait = clock.after(wait, () => finish([]));
        attach(id, line, reader);
        if (wait === 0) finish([]);
      },
      cancel() {
        done = true;
        cancelWait();
        leaveUnread(id, line);
      },
    });
  }

  return app;
}
