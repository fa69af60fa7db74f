import type { Clock } from "../../../relay/src/base/clock.ts";

/** A clock that advances only on demand, and counts the timers that were set. */
export type CountingClock = Clock & { move: (ms: number) => void; timers: () => number };

type Timer = { due: number; fn: () => void };

/** @param start milliseconds since 1970 */
export function createCountingClock(start = 1_800_000_000_000): CountingClock {
  let uptime = 0;
  let set = 0;
  const timers = new Set<Timer>();

  return {
    now: () => start + uptime,
    uptime: () => uptime,
    after(ms, fn) {
      set++;
      const timer = { due: uptime + Math.max(0, ms), fn };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    /** Moves time forward, and calls each timer that is due once. */
    move(ms) {
      uptime += ms;
      for (const timer of [...timers].sort((a, b) => a.due - b.due)) {
        if (timer.due > uptime || !timers.delete(timer)) continue;
        timer.fn();
      }
    },
    timers: () => set,
  };
}
