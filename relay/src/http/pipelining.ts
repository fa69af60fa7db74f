import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { hasBody } from "./body.ts";
import { type BodyBudget, createBodyBudget, type PendingBody } from "./body-budget.ts";

/** Most requests of one connection that may wait behind the one that is being answered. Browsers and proxies do not pipeline. */
const WAITING_MAX = 8;
/** Bytes of memory that a waiting request takes at most: its headers, and what Node reads of its body ahead. */
const HEADERS_BYTES = 16 * 1024;
const BODY_BYTES = 64 * 1024;
/** Most bytes of the waiting requests of all connections together. */
const WAITING_BYTES = 16 * 1024 * 1024;

/**
 * Handles the requests of a connection one after the other, and limits how many wait (pipelining, RFC 9112 section 9.3.2). Node
 * would handle them all at once and keep the answers. Measured (RELIABILITY A24): 50 connections with 2,000 requests each for
 * `/widget.js` took 550 MB and delayed all other clients for 25 seconds. 800 connections with nine requests each for
 * `/openapi.json` took more than 512 MB.
 * While all waiting requests take too much memory, those that have waited for longest are cut off: behind the endless answer of the
 * HTTP fallback they would wait for ever.
 * @param block called with the connection of a client that exceeds the limit; it must destroy it
 */
export function limitPipelining(block: (socket: Socket) => void, listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const budget = createBodyBudget(WAITING_BYTES);
  /** The answer to the newest request of each connection. */
  const newest = new WeakMap<Socket, ServerResponse>();
  return (request, response) => {
    const { socket } = request;
    // Node also parses the data that a connection sent before it was destroyed.
    if (socket.destroyed) return;
    const before = newest.get(socket);
    newest.set(socket, response);
    // Node assigns the socket to a response when the previous response has been sent.
    if (before === undefined || response.socket !== null) return listener(request, response);
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > WAITING_MAX) return block(socket);
    waiting.set(socket, count);
    const release = reserve(budget, request);
    before.once("close", () => {
      release();
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      if (!socket.destroyed) listener(request, response);
    });
  };
}

/** Counts a waiting request until its connection closes. @returns a function that ends this */
function reserve(budget: BodyBudget, request: IncomingMessage): () => void {
  const kept: PendingBody = {
    size: 0,
    cutOff() {
      release();
      request.socket.destroy();
    },
  };
  const release = (): void => budget.remove(kept);
  budget.add(kept, hasBody(request) ? HEADERS_BYTES + BODY_BYTES : HEADERS_BYTES);
  request.once("close", release);
  return release;
}

/** Whether this response, and all earlier ones of its connection, are written completely. */
const isWritten = (response: ServerResponse): boolean =>
  response.writableFinished || (response.writableEnded && response.socket !== null);

/**
 * Destroys a connection that requests a WebSocket before its earlier requests are answered. Node reports such an upgrade at
 * once: its answer would overtake the others, and their bytes would be read as WebSocket frames. A proxy in front would give
 * answers to the wrong requests (RFC 9112 section 9.3.2). Call it before other listeners for `upgrade`.
 */
export function refuseEarlyUpgrades(server: Server): void {
  const last = new WeakMap<Socket, ServerResponse>();
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => void last.set(socket, response));
  server.prependListener("upgrade", ({ socket }: IncomingMessage) => {
    const response = last.get(socket);
    if (response !== undefined && !isWritten(response)) socket.destroy();
  });
}
