import type { RequestListener } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection that may wait behind the one that is being answered. Browsers and proxies have none. */
const WAITING_MAX = 8;

/**
 * Limits how many requests a client sends without waiting for answers (pipelining, RFC 9112 section 9.3.2). Node handles them
 * all at once and keeps the answers: fifty connections with two thousand requests for `/widget.js` each took 550 MB, and held
 * up everybody else for 25 seconds (RELIABILITY A24).
 * @param sendAway called with the connection of a client that sends more; it must destroy it
 */
export function limitPipelining(sendAway: (socket: Socket) => void, listener: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    // What a destroyed connection had sent before it was destroyed: Node parses it to the end.
    if (socket.destroyed) return;
    // Node gives a response its socket once the one before it is sent.
    if (response.socket === null) {
      const count = (waiting.get(socket) ?? 0) + 1;
      if (count > WAITING_MAX) return sendAway(socket);
      waiting.set(socket, count);
      response.once("close", () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    }
    return listener(request, response);
  };
}
