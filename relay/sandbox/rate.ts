/** Requests per key and window. */

import type { SandboxConfig } from "./options.ts";

export type Verdict = { ok: true } | { ok: false; waitMs: number };

export type RateLimit = {
  /** Counts a request of an account, with any of its keys. @returns whether it is allowed, else how long it must wait */
  take(account: string, now: number): Verdict;
  clear(): void;
};

type Window = { start: number; count: number; times: number[] };

/** @param config `rateLimit` 0: no limit. Changed options apply to the window that is open. */
export function createRateLimit(config: SandboxConfig): RateLimit {
  const windows = new Map<string, Window>();

  function fixed(window: Window, now: number): Verdict {
    if (now - window.start >= config.rateWindowMs) Object.assign(window, { start: now, count: 0 });
    if (window.count < config.rateLimit) {
      window.count += 1;
      return { ok: true };
    }
    // In a fixed window, counting a refused call changes nothing: the window opens again at the same moment.
    return { ok: false, waitMs: window.start + config.rateWindowMs - now };
  }

  function sliding(window: Window, now: number): Verdict {
    const first = window.times.findIndex((time) => now - time < config.rateWindowMs);
    window.times = first === -1 ? [] : window.times.slice(first);
    const ok = window.times.length < config.rateLimit;
    if (ok || config.countRefused) window.times.push(now);
    if (ok) return { ok };
    const freeing = window.times[window.times.length - config.rateLimit] ?? now;
    return { ok: false, waitMs: freeing + config.rateWindowMs - now };
  }

  return {
    take(account, now) {
      if (config.rateLimit === 0) return { ok: true };
      let window = windows.get(account);
      if (window === undefined) {
        window = { start: now, count: 0, times: [] };
        windows.set(account, window);
      }
      return config.rateWindow === "fixed" ? fixed(window, now) : sliding(window, now);
    },
    clear: () => windows.clear(),
  };
}

type Style = SandboxConfig["rateHeaders"];
type Facts = { limit: number; windowS: number; waitMs: number; now: number };

const seconds = (ms: number) => String(Math.max(1, Math.ceil(ms / 1000)));
const epoch = ({ now, waitMs }: Facts) => String(Math.ceil((now + waitMs) / 1000));

/** Headers of a 429 in each style the client must read. */
const STYLES: Record<Style, (facts: Facts) => Record<string, string>> = {
  retryAfterSeconds: (f) => ({
    "Retry-After": seconds(f.waitMs),
    "X-RateLimit-Limit": String(f.limit),
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": epoch(f),
  }),
  // RFC 9110 section 10.2.3 with an IMF-fixdate; rounded up, because the format has whole seconds only.
  retryAfterDate: (f) => ({ "Retry-After": new Date(Number(epoch(f)) * 1000).toUTCString() }),
  retryAfterMs: (f) => ({ "retry-after-ms": String(Math.ceil(f.waitMs)) }),
  // draft-ietf-httpapi-ratelimit-headers-06: three fields, reset as seconds from now.
  ietf6: (f) => ({
    "RateLimit-Limit": String(f.limit),
    "RateLimit-Remaining": "0",
    "RateLimit-Reset": seconds(f.waitMs),
  }),
  // The same draft from -08 on: a named policy and structured fields.
  ietf8: (f) => ({
    "RateLimit-Policy": `"default";q=${f.limit};w=${f.windowS}`,
    RateLimit: `"default";r=0;t=${seconds(f.waitMs)}`,
  }),
  xEpoch: (f) => ({
    "X-RateLimit-Limit": String(f.limit),
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": epoch(f),
  }),
  resetAfter: (f) => ({ "X-RateLimit-Reset-After": (Math.ceil(f.waitMs) / 1000).toFixed(3) }),
  none: () => ({}),
};

/**
 * The headers of a 429, in the style of the option `rateHeaders`.
 * @param waitMs milliseconds until a call is allowed again
 * @param now milliseconds since the epoch
 */
export function rateHeaders(config: SandboxConfig, waitMs: number, now: number): Record<string, string> {
  const windowS = Math.ceil(config.rateWindowMs / 1000);
  return STYLES[config.rateHeaders]({ limit: config.rateLimit, windowS, waitMs, now });
}
