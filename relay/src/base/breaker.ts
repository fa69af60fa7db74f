/**
 * Circuit breaker of one account key. After repeated failures of the service, calls stop and single probes test it: the first
 * after one second, each later one after twice the time, at most 30 s.
 */
export type Breaker = {
  readonly state: "closed" | "open";
  /** Milliseconds until the next call, or probe, may start; 0: now. While the breaker is open, the caller makes one probe at a time. */
  allow: () => number;
  /** The service answered. */
  success: () => void;
  /** The call failed or got no answer. @returns whether this opened the breaker */
  failure: () => boolean;
};

/** Consecutive failures that open the breaker. */
const OPEN_AFTER = 8;
/** The first and the longest wait before a probe, in ms. */
const FIRST_PROBE_MS = 1_000;
const PROBE_MAX_MS = 30_000;

/**
 * Creates a closed breaker.
 * @param options.now monotonic milliseconds
 * @param options.random from 0 to below 1; spreads the probes of several relays
 */
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
      // Only a failed probe extends the wait, not the calls that were in progress when the breaker opened.
      if (probeAt !== undefined && now() < probeAt) return false;
      // Up to 10 % later, so that several relays do not probe at the same time.
      probeAt = now() + interval * (1 + random() / 10);
      interval = Math.min(PROBE_MAX_MS, interval * 2);
      return opened;
    },
  };
}
