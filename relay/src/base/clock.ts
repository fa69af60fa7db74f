/** A source of time. Simulations pass their own. */
export type Clock = {
  /** Milliseconds since 1970 (UTC). May jump when the machine's clock is set. */
  now: () => number;
  /** Monotonic milliseconds from an arbitrary start, for delays and rates. */
  uptime: () => number;
  /** Calls `fn` once after `ms`. @returns a function that cancels the call */
  after: (ms: number, fn: () => void) => () => void;
};

/** The longest delay of a timer: 2^31 - 1 ms, about 24.8 days. Timers with a longer delay would fire at once. */
const LONGEST = 2 ** 31 - 1;

/** The machine's clock. Its timers do not keep the process running. */
export const realClock: Clock = {
  now: Date.now,
  uptime: () => performance.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, Math.min(Math.max(0, ms), LONGEST));
    timer.unref();
    return () => clearTimeout(timer);
  },
};
