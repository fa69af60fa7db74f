import { type IncomingMessage, maxHeaderSize, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../base/clock.ts";
import { headerSize } from "./header-limits.ts";

/** Most bytes of incomplete headers on all connections together. Honest headers are complete within moments. */
const INCOMPLETE_MAX = 8 * 1024 * 1024;
/** Interval in milliseconds at which bytes are counted: Node reports headers only when they are complete. */
const COUNT_MS = 250;

/** HTTP connections, and how many bytes each has sent in complete requests. */
type Complete = Map<Socket, number>;

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
    complete.set(socket, 0);
    socket.once("close", () => complete.delete(socket));
    if (!counting) count();
  });
  // Before the listener that answers: the answer must say that the connection ends.
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) =>
    add(complete, request, response),
  );
  server.on("upgrade", ({ socket }: IncomingMessage) => complete.delete(socket));
}

/**
 * Counts a request as complete once its headers are complete: while its body arrives, the connection cannot hold incomplete
 * headers.
 */
function add(complete: Complete, request: IncomingMessage, response: ServerResponse): void {
  const { socket, headers } = request;
  const before = complete.get(socket);
  if (before === undefined) return;
  complete.set(socket, before + headerSize(request) + Number(headers["content-length"] ?? 0));
  if (headers["transfer-encoding"] !== undefined) addChunked(complete, request, response);
}

/**
 * A body in chunks does not tell how many bytes it took, so its connection ends with the answer. Only an accepted callback keeps
 * its connection: its sender knows the secret, and is trusted. The service sends a callback only once, so its bytes do not count
 * before its answer; a wrong secret is answered without the body.
 */
function addChunked(complete: Complete, request: IncomingMessage, response: ServerResponse): void {
  const { socket, url } = request;
  if (url?.startsWith("/callbacks/") !== true) return endAfter(request, response);
  // Node assigns the socket to a response when the previous response has been sent. Until then, the request has shown no secret.
  if (response.socket !== null) complete.set(socket, Number.POSITIVE_INFINITY);
  response.once("close", () => {
    const isAccepted = response.statusCode === 200;
    if (complete.has(socket)) complete.set(socket, isAccepted ? socket.bytesRead : 0);
    if (!isAccepted) socket.end();
  });
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
const incompleteSize = (socket: Socket, complete: number): number =>
  Math.min(Math.max(0, socket.bytesRead - complete), maxHeaderSize);

/** Destroys the connections with the largest incomplete headers until the others take at most `max` bytes. */
function cutOffLargest(complete: Complete, max: number): void {
  const sizes = [...complete].map(([socket, bytes]) => ({ socket, size: incompleteSize(socket, bytes) }));
  let sum = sizes.reduce((all, { size }) => all + size, 0);
  if (sum <= max) return;
  for (const { socket, size } of sizes.sort((a, b) => b.size - a.size)) {
    if (sum <= max) return;
    sum -= size;
    socket.destroy();
  }
}
