import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { CLOSE, type Ending } from "@porchlight/shared/close";
import { randomId } from "@porchlight/shared/id";
import { HELLO_MAX } from "@porchlight/shared/limits";
import { type Context, Hono, type Next } from "hono";
import { copyOf } from "../base/address.ts";
import type { Clock } from "../base/clock.ts";
import type { ConnectionSlots } from "../base/connection-slots.ts";
import { ERRORS, RelayError } from "../base/errors.ts";
import type { Connection, Transport } from "../socket/connection.ts";
import type { Connections } from "../socket/connections.ts";
import { readBody } from "./body.ts";
import { type BodyBudget, createBodyBudget, type PendingBody } from "./body-budget.ts";
import { forwardedAnswer } from "./forwarded-answer.ts";
import { SIZES } from "./route-table.ts";

/**
 * The HTTP fallback for browsers whose network blocks WebSockets. The frames are the same: to the client as a stream, or as
 * answers to long polls where a proxy holds streams back; from the client as posts. Each frame is one line of JSON. A client
 * that misses a frame in a broken answer notices it by the numbers, as on every transport, and says hello again.
 *
 *   POST   /socket/lines            opens a connection (a "line") → 201 {"line": "<its id>"}
 *   GET    /socket/lines/{line}     ?mode=stream: an endless answer; ?mode=poll: the waiting frames, or the first frames
 *                                   within 25 s; with &wait=0 at once
 *   POST   /socket/lines/{line}     frames of the client, one per line → 204
 *   POST   /socket/lines/{line}/end the client disconnects
 *
 * Content types are text/plain, so that no browser sends a preflight request.
 */

/** A connection is closed when its client does not read for this long. */
const UNREAD_MS = 40_000;
/** Longest time that a long poll waits for frames. */
const POLL_MS = 25_000;
/** After a connection is closed, its client has this long to read the sent frames. */
const LINGER_MS = 10_000;
/** Most bytes of such frames, of all clients together. */
const LINGER_MAX = 8 * 1024 * 1024;
/** An empty line is sent at this interval, so that no proxy closes a quiet stream (WIDGET 3.4). */
const KEEP_ALIVE_MS = 15_000;

/** An open answer that takes frames. */
type Reader = { take: (frames: string[]) => void; end: () => void };
/** An answer that its client has not read completely: of the present reader or of an earlier one. */
type Answer = { unread: () => number; cut: () => void };
/** A connection over HTTP; its id works as a token. */
type FallbackConnection = {
  id: string;
  origin: string;
  connection: Connection;
  /** Frames that wait for a reader, and their size in bytes. */
  waiting: string[];
  size: number;
  reader: Reader | undefined;
  answers: Set<Answer>;
  /** Called when the client has read all answers. */
  onRead: () => void;
  ended: Ending | undefined;
  cancelTimer: () => void;
  /** Frees the connection's slot. */
  release: () => void;
};

export type FallbackDeps = {
  connections: Connections;
  clock: Clock;
  allows: (origin: string) => boolean;
  /** The client's whole address. */
  addressOf: (request: IncomingMessage) => string;
  /** The address or network by which limits count the client. */
  networkOf: (request: IncomingMessage) => string;
  /** Limits the number of connections; shared with the WebSockets. */
  slots: ConnectionSlots;
  /** Limits the sum of bodies that are being read. */
  bodies: BodyBudget;
  /** Limits what clients have not read of the answers of other nodes. */
  forwards: BodyBudget;
  /** The other nodes. A connection lives in the process that opened it; any node forwards requests to that one. */
  nodes: Nodes;
};

/** `node`: name of this process, absent without other nodes. `addressOf`: the address of another node, if it is running. */
type Nodes = { node: string | undefined; addressOf: (node: string) => Promise<string | undefined> };
type Fallback = FallbackDeps & {
  open: Map<string, FallbackConnection>;
  /** Limits what the clients of closed connections have not read. */
  lingering: BodyBudget;
};

type App = { Bindings: HttpBindings };
type C = Context<App>;

/** The routes of the fallback. */
export function fallback(deps: FallbackDeps): Hono<App> {
  const state: Fallback = { ...deps, open: new Map(), lingering: createBodyBudget(LINGER_MAX) };
  return new Hono<App>()
    .use("/socket/lines/*", (c, next) => checkOrigin(state, c, next))
    .post("/socket/lines", (c) => {
      const release = state.slots.take(state.networkOf(c.env.incoming));
      if (release === undefined) throw new RelayError("rate_limited");
      return c.json({ line: start(state, c, release).id }, 201);
    })
    .post("/socket/lines/:line", async (c) => (await forwarded(state, c)) ?? receive(state, c))
    .post("/socket/lines/:line/end", async (c) => (await forwarded(state, c, "/end")) ?? disconnect(state, c))
    .get("/socket/lines/:line", async (c) => {
      refuseHead(c);
      return (await forwarded(state, c)) ?? read(state, c);
    });
}

/**
 * Refuses HEAD. Hono would run the handler of GET and drop its body: frames would go into that body, and nobody would read or
 * count them (RELIABILITY A28).
 */
function refuseHead(c: C): void {
  if (c.req.method !== "HEAD") return;
  c.header("Allow", "GET, POST");
  throw new RelayError("method_not_allowed");
}

function disconnect(state: Fallback, c: C): Response {
  close(state, lineOf(state, c));
  return c.body(null, 204);
}

/** Separates the node's name from the rest of a connection's id. */
const NODE_END = ".";
/** A node's name, as `randomId` makes it. No other text is searched for in the database, which refuses some of them. */
const NODE = /^[0-9a-z]{1,32}$/;
/** Marks a request that another node forwarded. It is not forwarded again. */
const FORWARDED = "x-porchlight-passed-on";

const newId = ({ nodes: { node } }: Fallback): string =>
  node === undefined ? randomId() : `${node}${NODE_END}${randomId()}`;

/**
 * Forwards a request about a connection of another node to that node, and returns its answer. A request needs only the id of
 * the connection, so the other node handles it like a client's request. A node that is gone has no connections. The id is
 * encoded again, because the client chose it: decoded, it could name another path of that node (RELIABILITY A20).
 * @param end the rest of the path after the id
 * @returns undefined when the connection belongs to this node, or to no node
 */
async function forwarded(
  { nodes, open, bodies, forwards }: Fallback,
  c: C,
  end: "" | "/end" = "",
): Promise<Response | undefined> {
  const line = c.req.param("line") ?? "";
  const [node = "", rest] = line.split(NODE_END);
  const isElsewhere = rest !== undefined && NODE.test(node) && node !== nodes.node && !open.has(line);
  if (!isElsewhere || c.req.header(FORWARDED) !== undefined) return undefined;
  const address = await nodes.addressOf(node);
  if (address === undefined) return undefined;
  const { method } = c.req;
  const path = `/socket/lines/${encodeURIComponent(line)}${end}`;
  const body = method === "POST" ? await readBody(c.env.incoming, SIZES.frames, bodies) : null;
  const gone = new AbortController();
  const outgoing = c.env.outgoing as ServerResponse;
  outgoing.once("close", () => gone.abort());
  const { search } = new URL(c.req.url);
  const sender = isOwnRead(c) ? { "sec-fetch-site": "same-origin" } : { origin: c.req.header("origin") ?? "" };
  const headers = { ...sender, [FORWARDED]: "1" };
  const answer = await fetch(`${address}${path}${search}`, { method, headers, body, signal: gone.signal }).catch(
    () => undefined,
  );
  if (answer === undefined) return undefined;
  for (const name of ["content-type", "x-content-type-options", "x-accel-buffering"]) {
    const value = answer.headers.get(name);
    if (value !== null) c.header(name, value);
  }
  if (answer.body === null) return c.body(null, answer.status as 204);
  return c.body(forwardedAnswer(answer.body, outgoing, forwards), answer.status as 200);
}

/**
 * Whether a page on the relay's own origin, such as `/c/default`, reads a connection. A browser sends no Origin with a GET to
 * the page's own origin (fetch.spec.whatwg.org, "append a request Origin header"). The connection's id works as a token, and
 * was given only to an allowed origin.
 */
const isOwnRead = (c: C): boolean =>
  c.req.method === "GET" && c.req.header("origin") === undefined && c.req.header("sec-fetch-site") === "same-origin";

async function checkOrigin({ allows }: Fallback, c: C, next: Next): Promise<Response | void> {
  const origin = c.req.header("origin");
  if (isOwnRead(c)) {
    c.header("Cache-Control", "no-store, no-transform");
    return next();
  }
  if (origin === undefined) throw new RelayError("origin_not_allowed");
  c.header("Access-Control-Allow-Origin", origin);
  c.header("Vary", "Origin");
  c.header("Cache-Control", "no-store, no-transform");
  if (allows(origin)) return next();
  // CORS makes the answer readable for the page, so that it can tell it from a proxy's refusal.
  return c.json({ error: ERRORS.origin_not_allowed[1], code: "origin_not_allowed" }, 403);
}

function start(state: Fallback, c: C, release: () => void): FallbackConnection {
  const origin = c.req.header("origin") ?? "";
  const transport: Transport = {
    send: (frame) => sendFrame(line, frame),
    close: (ending) => end(state, line, ending),
    buffered: () => unread(line),
  };
  const line: FallbackConnection = {
    id: newId(state),
    origin,
    connection: state.connections.accept(transport, origin, state.addressOf(c.env.incoming)),
    waiting: [],
    size: 0,
    reader: undefined,
    answers: new Set(),
    onRead: () => {},
    ended: undefined,
    cancelTimer: () => {},
    release,
  };
  state.open.set(line.id, line);
  startTimer(state, line);
  return line;
}

/** Finds the connection that a request names. A connection of another origin counts as not found. */
function lineOf({ open }: Fallback, c: C): FallbackConnection {
  const line = open.get(c.req.param("line") ?? "");
  const isOwner = isOwnRead(c) || line?.origin === c.req.header("origin");
  if (line === undefined || !isOwner) throw new RelayError("not_found");
  return line;
}

/** Handles the frames of a POST. Reads no body for an unknown connection. */
async function receive(state: Fallback, c: C): Promise<Response> {
  const line = lineOf(state, c);
  const isLive = line.connection.phase.name === "live";
  const text = await readBody(c.env.incoming, isLive ? SIZES.frames : HELLO_MAX, state.bodies);
  // Copies: a frame that waits would keep the whole body in memory, of which it may be the smallest part (RELIABILITY A28).
  for (const frame of text.split("\n")) if (frame !== "") state.connections.receive(line.connection, copyOf(frame));
  return c.body(null, 204);
}

/** Answers with a connection's frames. */
function read(state: Fallback, c: C): Response {
  const line = lineOf(state, c);
  const outgoing = c.env.outgoing as ServerResponse;
  if (outgoing.destroyed) throw new RelayError("cut_off");
  c.header("Content-Type", "text/plain; charset=utf-8");
  c.header("X-Content-Type-Options", "nosniff");
  // Without this header, nginx buffers answers.
  c.header("X-Accel-Buffering", "no");
  const wait = c.req.query("wait") === "0" ? 0 : POLL_MS;
  return c.body(c.req.query("mode") === "poll" ? poll(state, line, outgoing, wait) : stream(state, line, outgoing));
}

function sendFrame(line: FallbackConnection, frame: string): void {
  if (line.reader !== undefined) return line.reader.take([frame]);
  line.waiting.push(frame);
  line.size += Buffer.byteLength(frame);
}

/** Bytes that the client has not read: frames that wait for an answer, and bytes of answers that wait for the client. */
function unread(line: FallbackConnection): number {
  let size = line.size;
  for (const answer of line.answers) size += answer.unread();
  return size;
}

/** Sends the ending as the last line, because an answer has no close code. Cuts off a client that reads too slowly. */
function end(state: Fallback, line: FallbackConnection, ending: Ending): void {
  line.ended = ending;
  if (ending === CLOSE.overload) {
    line.waiting = [];
    line.size = 0;
    for (const answer of line.answers) answer.cut();
  }
  sendFrame(line, JSON.stringify({ t: "end", code: ending.code }));
  if (line.reader !== undefined) close(state, line);
}

function close(state: Fallback, line: FallbackConnection): void {
  line.cancelTimer();
  state.open.delete(line.id);
  state.connections.lost(line.connection);
  line.reader?.end();
  line.release();
  if (line.answers.size > 0) linger(state, line);
}

/**
 * Lets the client of a closed connection read what was sent. While all such clients leave too much unread, those that were closed
 * first are cut off: one address that opened, filled and closed connections without reading took 300 MB (RELIABILITY A28).
 */
function linger({ clock, lingering }: Fallback, line: FallbackConnection): void {
  const rest: PendingBody = {
    size: 0,
    cutOff() {
      line.onRead();
      for (const answer of line.answers) answer.cut();
    },
  };
  line.onRead = () => lingering.remove(rest);
  lingering.add(rest, unread(line));
  clock.after(LINGER_MS, rest.cutOff);
}

/**
 * Notes that the connection has no reader, and closes it unless the client reads again within `UNREAD_MS`; once the relay has
 * ended the connection, within `KEEP_ALIVE_MS`.
 */
function startTimer(state: Fallback, line: FallbackConnection): void {
  line.reader = undefined;
  line.cancelTimer();
  const wait = line.ended === undefined ? UNREAD_MS : KEEP_ALIVE_MS;
  line.cancelTimer = state.clock.after(wait, () => close(state, line));
}

/** Passes a connection's frames to a new reader from now on. */
function attach(state: Fallback, line: FallbackConnection, reader: Reader): void {
  line.reader?.end();
  line.cancelTimer();
  line.reader = reader;
  if (line.waiting.length > 0) {
    line.size = 0;
    reader.take(line.waiting.splice(0));
  }
  if (line.ended !== undefined) close(state, line);
}

const encoder = new TextEncoder();
const bytes = (frames: string[]): Uint8Array => encoder.encode(frames.map((frame) => `${frame}\n`).join(""));

/** Counts queued chunks in bytes, so that `unread` knows the size of a stream's queue. */
const COUNTING = { highWaterMark: 0, size: (chunk: Uint8Array) => chunk.byteLength };

/**
 * Counts an answer among the unread ones of its connection until the client has read it or has disconnected.
 * @param closed called at that moment. The stream's own `cancel` is called only for a body that somebody reads.
 */
function trackUnread(
  line: FallbackConnection,
  outgoing: ServerResponse,
  controller: ReadableStreamDefaultController,
  closed: () => void,
): void {
  const answer: Answer = {
    unread: () => outgoing.writableLength - (controller.desiredSize ?? 0),
    cut: () => outgoing.destroy(),
  };
  line.answers.add(answer);
  outgoing.once("close", () => {
    line.answers.delete(answer);
    if (line.answers.size === 0) line.onRead();
    closed();
  });
}

/** The body of an endless answer. */
function stream(state: Fallback, line: FallbackConnection, outgoing: ServerResponse): ReadableStream {
  let cancelKeepAlive = (): void => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const keepAlive = (): void => {
          controller.enqueue(encoder.encode("\n"));
          cancelKeepAlive = state.clock.after(KEEP_ALIVE_MS, keepAlive);
        };
        const reader: Reader = {
          take: (frames) => controller.enqueue(bytes(frames)),
          end() {
            cancelKeepAlive();
            controller.close();
          },
        };
        trackUnread(line, outgoing, controller, () => {
          cancelKeepAlive();
          if (line.reader === reader) startTimer(state, line);
        });
        keepAlive();
        attach(state, line, reader);
      },
    },
    COUNTING,
  );
}

/**
 * The body of an answer that ends with the first frames.
 * @param wait longest time to wait for frames, in milliseconds; 0: answer at once
 */
function poll(state: Fallback, line: FallbackConnection, outgoing: ServerResponse, wait: number): ReadableStream {
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
          if (line.reader === reader && state.open.has(line.id)) startTimer(state, line);
        };
        const reader: Reader = { take: finish, end: () => finish([]) };
        if (wait > 0) cancelWait = state.clock.after(wait, () => finish([]));
        trackUnread(line, outgoing, controller, () => {
          done = true;
          cancelWait();
          if (line.reader === reader) startTimer(state, line);
        });
        attach(state, line, reader);
        if (wait === 0) finish([]);
      },
    },
    COUNTING,
  );
}
