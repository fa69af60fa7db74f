import type { IncomingMessage, Server } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Clock } from "../base/clock.ts";

export type Newcomers = {
  /** Takes no new connection from now on; resolves when the last one is gone. */
  close: () => Promise<void>;
  /** Resolves when whoever has connected has begun a request, after `ms` at the latest. */
  heard: (ms: number) => Promise<void>;
};

/**
 * Knows who has connected and not said anything yet. HTTP's own `close` cuts them off as idle; but a callback that is
 * refused may be lost for ever, so whoever got through is heard (RELIABILITY F31).
 */
export function watchNewcomers(server: Server, clock: Clock): Newcomers {
  const silent = new Set<Socket>();
  let check = (): void => {};
  const leave = (socket: Socket): void => {
    if (silent.delete(socket) && silent.size === 0) check();
  };
  server.on("connection", (socket: Socket) => {
    silent.add(socket);
    socket.once("close", () => leave(socket));
  });
  server.on("request", ({ socket }: IncomingMessage) => leave(socket));
  server.on("upgrade", ({ socket }: IncomingMessage) => leave(socket));

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
  };
}
