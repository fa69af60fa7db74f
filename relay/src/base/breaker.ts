/**
 * Circuit breaker of one account: when the service fails again and again, calls stop, and single ones probe whether it is
 * back: after a second at first, then half as often each time, every 30 s in the end.
 */
export type Breaker = {
  readonly state: "closed" | "open";
  /** Milliseconds until a call, or the next probe, may go: 0 means now. While open, one at a time. */
  allow: () => number;
  /** The service answered. */
  success: () => void;
  /** It failed, or did not answer; true when that opened the breaker. */
  failure: () => boolean;
};

/** Failures in a row that say it is the service, not one message. */
const OPEN_AFTER = 8;
const FIRST_PROBE_MS = 1_000;
const PROBE_MS = 30_000;

/** @param options.now milliseconds that only rise */
export function createBreaker(options: { now: () => number; random?: () => number }): Breaker {
  const { now, random = Math.random } = options;
  let failures = 0;
  let probeAt: number | undefined;
  let interval = FIRST_PROBE_MS;

  return {
    get state() {
      return probeAt === undefined ? "closed" : "open";
    },
    allow: () => (probeAt === undefined ? 0 : Math.max(0, probeAt - now())),
    success() {
      failures = 0;
      probeAt = undefined;
      interval = FIRST_PROBE_MS;
    },
    failure() {
      if (++failures < OPEN_AFTER) return false;
      const opened = probeAt === undefined;
      // Calls that were under way when it opened say nothing new; only the failure of a probe makes the wait longer.
      if (probeAt !== undefined && now() < probeAt) return false;
      // Up to a tenth later, so that many relays do not probe in step.
      probeAt = now() + interval * (1 + random() / 10);
      interval = Math.min(PROBE_MS, interval * 2);
      return opened;
    },
  };
}
