import type { Clock } from "./clock.ts";

/** A clock that changes only when a test advances it. */
export type ManualClock = Clock & {
  /** Moves the time forward by `ms` milliseconds and fires no timer. */
  skip: (ms: number) => void;
  /** Fires the timers that are due, each once. Timers that they set wait for the next call. */
  fireDue: () => void;
  /** Moves the time forward by `ms` milliseconds, then fires the timers that are due. */
  pass: (ms: number) => void;
  /** Like `pass`, but fires each timer at its own time, also those that are set on the way. */
  passEach: (ms: number) => void;
  /** Number of timers that have not fired. */
  waiting: () => number;
};

/** @param start the time at the beginning, in milliseconds. The uptime begins at 0, as that of a process does. */
export function manualClock(start = 0): ManualClock {
  /** Elapsed time. It begins at 0, because fractions of a millisecond would be lost beside the milliseconds since 1970. */
  let time = 0;
  let timers: { at: number; fn: () => void }[] = [];
  const fireDue = (): void => {
    const due = timers.filter(({ at }) => at <= time);
    timers = timers.filter(({ at }) => at > time);
    for (const { fn } of due) fn();
  };
  return {
    // Whole, like that of the platform; timers may have fractions.
    now: () => start + Math.round(time),
    uptime: () => time,
    after(ms, fn) {
      const timer = { at: time + ms, fn };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    skip(ms) {
      time += ms;
    },
    fireDue,
    pass(ms) {
      time += ms;
      fireDue();
    },
    passEach(ms) {
      for (const end = time + ms; ; ) {
        const [next] = timers.toSorted((a, b) => a.at - b.at);
        if (next === undefined || next.at > end) {
          time = end;
          return;
        }
        timers = timers.filter((timer) => timer !== next);
        time = Math.max(time, next.at);
        next.fn();
      }
    },
    waiting: () => timers.length,
  };
}
