import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Clock } from "../base/clock.ts";

export type Newcomers = {
  /** Takes no new connection from now on; resolves when the last one is gone. */
  close: () => Promise<void>;
  /** Resolves when whoever has connected has begun a request, after `ms` at the latest. */
  heard: (ms: number) => Promise<void>;
  /**
   * Destroys connections on which nothing is under way, except those that carried a callback: their client may send the
   * next one until the keep-alive that was announced to it is over, and then the server ends them by itself.
   */
  closeIdle: () => void;
};

const isCallback = ({ url }: IncomingMessage): boolean => url?.startsWith("/callbacks/") === true;

/**
 * Knows the connections that must not be cut off when the relay stops. HTTP's own `close` cuts off as idle who has
 * connected and not said anything yet, and who keeps a connection for the next callback; but a callback that is refused
 * may be lost for ever, so whoever got through is heard (RELIABILITY F31).
 */
export function watchNewcomers(server: Server, clock: Clock): Newcomers {
  const open = new Set<Socket>();
  const silent = new Set<Socket>();
  const busy = new Set<Socket>();
  const callers = new WeakSet<Socket>();
  let check = (): void => {};
  const heard = (socket: Socket): void => {
    if (silent.delete(socket) && silent.size === 0) check();
  };
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    silent.add(socket);
    socket.once("close", () => {
      open.delete(socket);
      heard(socket);
    });
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    heard(socket);
    if (isCallback(request)) return void callers.add(socket);
    busy.add(socket);
    response.once("close", () => busy.delete(socket));
  });
  server.on("upgrade", ({ socket }: IncomingMessage) => {
    open.delete(socket);
    heard(socket);
  });

  return {
    close: () => new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve())),
    heard: (ms) =>
      new Promise((resolve) => {
        if (silent.size === 0) return resolve();
        const cancel = clock.after(ms, resolve);
        check = () => {
          cancel();
          resolve();
        };
      }),
    closeIdle() {
      for (const socket of open) if (!busy.has(socket) && !callers.has(socket)) socket.destroy();
    },
  };
}
