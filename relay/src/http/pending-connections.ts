import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Clock } from "../base/clock.ts";

/**
 * TCP connections that a stop must not cut off. Node's `close` destroys connections without a request under way. But the
 * service sends a callback only once, so each accepted connection gets time to send its request (RELIABILITY F31).
 */
export type PendingConnections = {
  /** Accepts no new connection from now on; resolves when the last one is closed. */
  close: () => Promise<void>;
  /** Resolves when every accepted connection has begun a request, at the latest after `ms` milliseconds. */
  begun: (ms: number) => Promise<void>;
  /**
   * Destroys idle connections, except those that carried a callback: until the announced keep-alive time is over, their client
   * may be sending the next one. The server then closes them itself.
   */
  closeIdle: () => void;
};

type State = {
  open: Set<Socket>;
  /** Connections on which no request has begun yet. */
  silent: Set<Socket>;
  /** Connections with a request under way that is not a callback. */
  busy: Set<Socket>;
  /** Connections that have carried a callback. */
  callers: WeakSet<Socket>;
  /** Called when the last silent connection has begun a request. */
  onNoneSilent: () => void;
};

/** Watches which connections of a server have begun a request, so that a stop cuts off none. See `PendingConnections`. */
export function watchConnections(server: Server, clock: Clock): PendingConnections {
  const state: State = {
    open: new Set(),
    silent: new Set(),
    busy: new Set(),
    callers: new WeakSet(),
    onNoneSilent: () => {},
  };
  server.on("connection", (socket: Socket) => onConnection(state, socket));
  server.on("request", (request: IncomingMessage, response: ServerResponse) => onRequest(state, request, response));
  server.on("upgrade", ({ socket }: IncomingMessage) => {
    state.open.delete(socket);
    notSilent(state, socket);
  });
  return {
    close: () => new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve())),
    begun: (ms) => whenAllBegun(state, clock, ms),
    closeIdle() {
      for (const socket of state.open) if (!state.busy.has(socket) && !state.callers.has(socket)) socket.destroy();
    },
  };
}

function onConnection(state: State, socket: Socket): void {
  state.open.add(socket);
  state.silent.add(socket);
  socket.once("close", () => {
    state.open.delete(socket);
    notSilent(state, socket);
  });
}

function onRequest(state: State, request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  notSilent(state, socket);
  if (request.url?.startsWith("/callbacks/") === true) return void state.callers.add(socket);
  state.busy.add(socket);
  response.once("close", () => state.busy.delete(socket));
}

function notSilent(state: State, socket: Socket): void {
  if (state.silent.delete(socket) && state.silent.size === 0) state.onNoneSilent();
}

function whenAllBegun(state: State, clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (state.silent.size === 0) return resolve();
    const cancel = clock.after(ms, resolve);
    state.onNoneSilent = () => {
      cancel();
      resolve();
    };
  });
}
