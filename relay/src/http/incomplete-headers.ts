import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import { headerSize } from "./header-limits.ts";

/** Most bytes of incomplete headers on all connections together. Honest headers are complete within moments. */
const INCOMPLETE_MAX = 8 * 1024 * 1024;
/** Interval in milliseconds at which bytes are counted: Node reports headers only when they are complete. */
const COUNT_MS = 250;

/** How many bytes a connection has sent in complete headers, and in bodies. */
type Received = { bytes: number };
/** All HTTP connections. */
type Complete = Map<Socket, Received>;

/**
 * Limits the memory for headers that are not complete: each of 13,000 connections may hold 16 KB of them until their deadline
 * (RELIABILITY A24). While all together are too large, the connections with the largest are cut off. So a flood of incomplete
 * headers cuts itself off, from however many addresses it comes.
 * @param max bytes
 */
export function limitIncompleteHeaders(server: Server, clock: Clock, max = INCOMPLETE_MAX): void {
  const complete: Complete = new Map();
  let counting = false;
  const count = (): void => {
    counting = complete.size * maxHeaderSize > max;
    if (!counting) return;
    cutOffLargest(complete, max);
    clock.after(COUNT_MS, count);
  };
  server.on("connection", (socket: Socket) => {
    complete.set(socket, { bytes: 0 });
    socket.once("close", () => complete.delete(socket));
    if (!counting) count();
  });
  // Before the listener that answers: the answer must say that the connection ends.
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) =>
    add(complete, request, response),
  );
  server.on("upgrade", ({ socket }: IncomingMessage) => complete.delete(socket));
}

/** Bytes of a chunk's frame at least: its length in one digit, and two ends of lines (RFC 9112 section 7.1). */
const CHUNK_FRAME = 5;

/**
 * Counts a request as complete once its headers are complete: while its body arrives, the connection cannot hold incomplete
 * headers.
 */
function add(complete: Complete, request: IncomingMessage, response: ServerResponse): void {
  const { socket, headers } = request;
  const received = complete.get(socket);
  if (received === undefined) return;
  received.bytes += headerSize(request) + Number(headers["content-length"] ?? 0);
  if (headers["transfer-encoding"] !== undefined) addChunked(complete, received, request, response);
}

/**
 * A body in chunks does not tell how many bytes it took: its parts count as received, but not all of the frames around them. So its
 * connection ends with the answer. Only an accepted callback keeps its connection: its sender knows the secret, and is trusted.
 */
function addChunked(complete: Complete, received: Received, request: IncomingMessage, response: ServerResponse): void {
  const { socket, url } = request;
  countBody(received, request);
  if (url?.startsWith("/callbacks/") !== true) return endAfter(request, response);
  response.once("close", () => {
    const isAccepted = response.statusCode === 200;
    if (complete.has(socket)) complete.set(socket, { bytes: isAccepted ? socket.bytesRead : 0 });
    if (!isAccepted) socket.end();
  });
}

/** Counts what the parser passes on of a body. Fields behind the body, its trailers, are headers again, and are not counted. */
function countBody(received: Received, request: IncomingMessage): void {
  const push = request.push.bind(request);
  request.push = (part: Buffer | null, ...more) => {
    if (part !== null) received.bytes += part.length + CHUNK_FRAME;
    return push(part, ...more);
  };
}

/**
 * Ends the connection when both the body and the answer are complete. An answer that begins before the end of the body must not
 * end it: a client that still sends would lose the answer (RFC 9112 section 9.6).
 */
function endAfter(request: IncomingMessage, response: ServerResponse): void {
  const end = (): void => void request.socket.end();
  request.once("end", () => {
    if (!response.headersSent) response.shouldKeepAlive = false;
    else if (response.writableFinished) end();
    else response.once("close", end);
  });
}

/** The bytes of the headers that a connection has sent in part. */
const incompleteSize = (socket: Socket, { bytes }: Received): number =>
  Math.min(Math.max(0, socket.bytesRead - bytes), maxHeaderSize);

/** Destroys the connections with the largest incomplete headers until the others take at most `max` bytes. */
function cutOffLargest(complete: Complete, max: number): void {
  const sizes = [...complete].map(([socket, received]) => ({ socket, size: incompleteSize(socket, received) }));
  let sum = sizes.reduce((all, { size }) => all + size, 0);
  if (sum <= max) return;
  for (const { socket, size } of sizes.sort((a, b) => b.size - a.size)) {
    if (sum <= max) return;
    sum -= size;
    socket.destroy();
  }
}
