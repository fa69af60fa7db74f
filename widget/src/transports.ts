/**
 * Chooses the way to the relay: a WebSocket; where it does not get through although the relay can be reached, a stream;
 * where a proxy holds that back, long polls (WIDGET 3.4). What was found out is kept in memory only, and the WebSocket
 * gets a new chance after a while.
 */

import type { ConnectionOptions, OpenTransport, Transport, TransportEvents } from "./connection.ts";
import { createTimer, type Page } from "./page.ts";

export type TransportsOptions = {
  page: Page;
  socket: OpenTransport;
  /** Fetches the code of the other two. */
  fallback(): Promise<{ stream: OpenTransport; poll: OpenTransport }>;
  /** Whether the relay answers plain HTTP. */
  reachable(): Promise<boolean>;
};

/** A WebSocket that opens at all opens faster than this. */
const HANG_MS = 4_000;
const TRIES = 2;
const AGAIN_MS = 10 * 60_000;
const LOST = 1006;

/** What a connection needs to know of its ways. */
export type Transports = Required<Pick<ConnectionOptions, "open" | "judge">>;

export function createTransports({ page, socket, fallback, reachable }: TransportsOptions): Transports {
  const hang = createTimer(page);
  let rung: "socket" | "stream" | "poll" = "socket";
  let failures = 0;
  let fellAt = 0;

  /** WebSockets do not get through: is it only them, or everything? */
  async function doubt(still: () => boolean): Promise<boolean> {
    if (!(await reachable()) || !still()) return false;
    rung = "stream";
    fellAt = page.now();
    return true;
  }

  /** Opens a way whose code may still have to come. */
  function later(which: "stream" | "poll", events: TransportEvents): Transport {
    let way: Transport | undefined;
    let closed = false;
    fallback().then(
      (ways) => {
        if (!closed) way = ways[which](events);
      },
      () => events.close(LOST),
    );
    return {
      send: (text) => way?.send(text),
      close() {
        closed = true;
        way?.close();
      },
    };
  }

  return {
    open(events) {
      if (rung !== "socket" && page.now() - fellAt > AGAIN_MS) {
        rung = "socket";
        failures = TRIES - 1;
      }
      if (rung !== "socket") return later(rung, events);
      let hangs = true;
      hang.set(HANG_MS, async () => {
        if (await doubt(() => hangs)) events.close(LOST);
      });
      return socket({
        ...events,
        open() {
          hangs = false;
          hang.off();
          events.open();
        },
      });
    },
    judge(opened, spoke) {
      hang.off();
      if (rung === "socket") {
        failures = spoke ? 0 : failures + 1;
        if (failures >= TRIES) void doubt(() => rung === "socket");
        // Something between us and the relay holds frames back.
      } else if (opened && !spoke) rung = rung === "stream" ? "poll" : "socket";
    },
  };
}
