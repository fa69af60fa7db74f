/** Time as an argument: the real one here, a fake one in simulations. */
export type Clock = {
  /** Milliseconds since 1970. May jump when the machine's clock is set. */
  now: () => number;
  /** Milliseconds that only ever rise, from an arbitrary start: for waits and rates. */
  uptime: () => number;
  /** Calls `fn` once after `ms`; returns what cancels it. */
  after: (ms: number, fn: () => void) => () => void;
};

/** Longest delay that timers take: 2^31 - 1 ms, about 24.8 days. Longer ones would fire at once. */
const LONGEST = 2 ** 31 - 1;

export const realClock: Clock = {
  now: Date.now,
  uptime: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, Math.min(Math.max(0, ms), LONGEST));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
