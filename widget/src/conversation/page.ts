/** What the chat needs of the browser around it, in one small port, so that tests bring their own clock and events. */

import { pageDocument } from "../loader/document.ts";

export type PageEvent = "visibilitychange" | "online" | "offline" | "pagehide" | "pageshow" | "focus" | "storage";

export type Page = {
  /** Milliseconds since 1970. Wall time on purpose: it goes on while the machine sleeps, so a sleep can be seen. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Runs once after `ms`; answers the cancel. */
  after(ms: number, run: () => void): () => void;
  /** Answers the off function. */
  on(event: PageEvent, run: (event: Event) => void): () => void;
  visible(): boolean;
  /** `false` is the truth, `true` only a hope. */
  online(): boolean;
  /** Calls `granted` later, when no other tab holds `name` (or Web Locks are missing); answers the release. */
  lock(name: string, granted: () => void): () => void;
};

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

/** Web Locks do not exist on http pages and reject when cookies are blocked: then every tab may go ahead. */
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

/** One timeout that is set, set anew and taken back. */
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
