/** Everything that the chat needs from the browser, behind one interface, so that tests can supply clock and events. */

import { pageDocument } from "../loader/document.ts";

export type PageEvent = "visibilitychange" | "online" | "offline" | "pagehide" | "pageshow" | "focus" | "storage";

export type Page = {
  /** Milliseconds since 1970. Wall time, because it continues while the machine sleeps, so a sleep can be detected. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Runs once after `ms`. @returns a function that cancels it */
  after(ms: number, run: () => void): () => void;
  /** @returns a function that removes the listener */
  on(event: PageEvent, run: (event: Event) => void): () => void;
  visible(): boolean;
  /** `false` is reliable, `true` is not. */
  online(): boolean;
  /** Calls `granted` once no other tab holds `name`, or if Web Locks are missing. @returns a function that releases it */
  lock(name: string, granted: () => void): () => void;
};

/** The real page. */
export const browserPage: Page = {
  now: Date.now,
  random: Math.random,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  on(event, run) {
    const target: EventTarget = event === "visibilitychange" ? pageDocument : window;
    target.addEventListener(event, run);
    return () => target.removeEventListener(event, run);
  },
  visible: () => pageDocument.visibilityState === "visible",
  online: () => navigator.onLine,
  lock,
};

/** Web Locks are missing on http pages and reject when cookies are blocked. Then every tab gets the lock. */
function lock(name: string, granted: () => void): () => void {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const waiting = new AbortController();
  const grant = () => {
    if (!waiting.signal.aborted) granted();
    return released;
  };
  try {
    navigator.locks.request(name, { signal: waiting.signal }, grant).catch(grant);
  } catch {
    queueMicrotask(grant);
  }
  return () => {
    waiting.abort();
    release();
  };
}

export type Timer = { set(ms: number, run: () => void): void; off(): void; on(): boolean };

/** One timeout that can be set, reset and cancelled. */
export function createTimer(page: Page): Timer {
  let cancel: (() => void) | undefined;
  const off = () => {
    cancel?.();
    cancel = undefined;
  };
  return {
    off,
    on: () => cancel !== undefined,
    set(ms, run) {
      off();
      cancel = page.after(ms, () => {
        cancel = undefined;
        run();
      });
    },
  };
}
