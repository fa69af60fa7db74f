/**
 * Chooses the way to the relay: a WebSocket, or, where it does not get through although the relay can be reached, lines over
 * plain HTTP (WIDGET 3.4). What was found out is kept in memory only, and the WebSocket gets a new chance after a while.
 */

import type { ConnectionOptions, OpenTransport, Transport, TransportEvents } from "./connection.ts";
import { createTimer, type Page } from "./page.ts";

export type TransportsOptions = {
  page: Page;
  socket: OpenTransport;
  /** Fetches the code of the other way. */
  fallback(): Promise<OpenTransport>;
  /** Whether the relay itself answers plain HTTP, and not only somebody before it. */
  reachable(): Promise<boolean>;
};

/**
 * A WebSocket that opens at all opens faster than this. On a slow network it has as long as so many answers over plain HTTP:
 * those may come over a connection that stands, and a WebSocket needs one of its own first, of TCP and TLS.
 */
const HANG_MS = 4_000;
const ROUNDS = 4;
const TRIES = 2;
/** The other way itself looks for a WebSocket as often: `lines.ts`. */
const AGAIN_MS = 10 * 60_000;
const LOST = 1006;

/** What a connection needs to know of its ways. */
export type Transports = Required<Pick<ConnectionOptions, "open" | "judge">>;

export function createTransports({ page, socket, fallback, reachable }: TransportsOptions): Transports {
  const hang = createTimer(page);
  let failures = 0;
  /** Since when WebSockets are not tried; 0: they are. */
  let fellAt = 0;
  /** The WebSocket that is tried or used, by a name that changes when it opens. */
  let current: object | undefined;

  /** Opens the way whose code may still have to come. */
  function later(events: TransportEvents): Transport {
    let way: Transport | undefined;
    let closed = false;
    fallback().then(
      (open) => {
        if (!closed) way = open(events);
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

  /** It hangs: is it only slow, as all is here, or is it held up? */
  async function doubt(events: TransportEvents, begun: number): Promise<void> {
    const mine = current;
    const asked = page.now();
    if (!(await reachable()) || mine !== current) return;
    hang.set(ROUNDS * (page.now() - asked) - (page.now() - begun), () => {
      fellAt = page.now();
      events.close(LOST);
    });
  }

  return {
    open(events) {
      if (fellAt && page.now() - fellAt >= AGAIN_MS) {
        fellAt = 0;
        failures = TRIES - 1;
      }
      if (fellAt) return later(events);
      const begun = page.now();
      current = {};
      hang.set(HANG_MS, () => doubt(events, begun));
      return socket({
        ...events,
        open() {
          current = events;
          hang.off();
          events.open();
        },
      });
    },
    async judge(opened, spoke) {
      current = undefined;
      hang.off();
      // Something between us and the relay holds everything back.
      if (fellAt) fellAt = opened && !spoke ? 0 : fellAt;
      else if (spoke) failures = 0;
      // WebSockets do not get through: is it only them, or everything? A failure counts by itself alone: a relay that comes
      // back just before it is asked has not failed twice. One that is tried meanwhile is judged by itself.
      else if ((await reachable()) && ++failures >= TRIES && !current) fellAt = page.now();
    },
  };
}
