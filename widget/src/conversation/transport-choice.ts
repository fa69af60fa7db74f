/**
 * Chooses the transport: a WebSocket, or the HTTP fallback where WebSockets fail although the relay can be reached (WIDGET
 * 3.4). The choice is kept in memory only, and the WebSocket is tried again after ten minutes.
 */

import { LOST } from "@porchlight/shared/close";
import type { ConnectionOptions, OpenTransport, Transport, TransportEvents } from "./connection.ts";
import { createTimer, type Page } from "./page.ts";

export type TransportsOptions = {
  page: Page;
  socket: OpenTransport;
  /** Fetches the code of the HTTP fallback. */
  fallback(): Promise<OpenTransport>;
  /** Whether the relay itself answers plain HTTP, not only a proxy in front of it. */
  reachable(): Promise<boolean>;
};

/**
 * A WebSocket should open within this time. On a slow network it may take as long as `ROUNDS` answers over plain HTTP: those
 * can reuse an open connection, while a WebSocket first needs a new one with TCP and TLS.
 */
const HANG_MS = 4_000;
const ROUNDS = 4;
/** WebSocket failures after which the fallback is used. */
const TRIES = 2;
/** A WebSocket is tried again after this time. An open HTTP fallback uses the same time (`http-fallback.ts`). */
const AGAIN_MS = 10 * 60_000;

/** What a connection needs from the choice of transport. */
export type Transports = Required<Pick<ConnectionOptions, "open" | "judge">>;

/** Creates the choice of transport for one connection, which begins with a WebSocket. */
export function createTransports({ page, socket, fallback, reachable }: TransportsOptions): Transports {
  const hang = createTimer(page);
  let failures = 0;
  /** When the fallback began; 0 while WebSockets are tried. */
  let fallbackSince = 0;
  /** Identifies the WebSocket that is tried or used; changes when it opens. */
  let current: object | undefined;

  /**
   * Called when a WebSocket does not open in time: finds out whether the whole network is slow or only WebSockets are blocked.
   */
  async function diagnose(events: TransportEvents, begun: number): Promise<void> {
    const mine = current;
    const asked = page.now();
    if (!(await reachable()) || mine !== current) return;
    hang.set(ROUNDS * (page.now() - asked) - (page.now() - begun), () => {
      fallbackSince = page.now();
      events.close(LOST);
    });
  }

  return {
    open(events) {
      if (fallbackSince && page.now() - fallbackSince >= AGAIN_MS) {
        fallbackSince = 0;
        failures = TRIES - 1;
      }
      if (fallbackSince) return openLater(fallback, events);
      const begun = page.now();
      current = {};
      hang.set(HANG_MS, () => diagnose(events, begun));
      return socket({
        ...events,
        open() {
          current = events;
          hang.off();
          events.open();
        },
      });
    },
    async judge(opened, answered) {
      current = undefined;
      hang.off();
      // The fallback opened but no frame came: a proxy holds the answers back, so WebSockets are tried again.
      if (fallbackSince) fallbackSince = opened && !answered ? 0 : fallbackSince;
      else if (answered) failures = 0;
      // The WebSocket failed. It counts only if the relay answers plain HTTP, and only `TRIES` failures lead to the fallback,
      // because the relay may have restarted just before the check. An attempt that started meanwhile counts separately.
      else if ((await reachable()) && ++failures >= TRIES && !current) fallbackSince = page.now();
    },
  };
}

/** Opens the HTTP fallback, after its code has loaded. */
function openLater(fallback: TransportsOptions["fallback"], events: TransportEvents): Transport {
  let transport: Transport | undefined;
  let closed = false;
  fallback().then(
    (open) => {
      if (!closed) transport = open(events);
    },
    () => events.close(LOST),
  );
  return {
    send: (text) => transport?.send(text),
    close() {
      closed = true;
      transport?.close();
    },
  };
}
