/** Clocks for a relay in the test's own process, for what it does after a time. */

import type { Clock } from "../relay/src/base/clock.ts";
import { type Run, runAt } from "./relays.ts";

type Timer = { due: number; fn: () => void };

/** A clock that stands still until `pass` moves it. */
function createHandClock(): { clock: Clock; pass: (ms: number) => void } {
  const began = Date.now();
  const timers = new Set<Timer>();
  let passed = 0;
  const clock: Clock = {
    now: () => began + Math.round(passed),
    uptime: () => passed,
    after(ms, fn) {
      const timer = { due: passed + Math.max(0, ms), fn };
      timers.add(timer);
      return () => timers.delete(timer);
    },
  };

  function firstUntil(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) if (timer.due <= end && !(first && first.due <= timer.due)) first = timer;
    return first;
  }

  /** Lets so many milliseconds pass, and calls what is due, in order. */
  function pass(ms: number): void {
    const end = passed + ms;
    for (let next = firstUntil(end); next !== undefined; next = firstUntil(end)) {
      timers.delete(next);
      passed = next.due;
      next.fn();
    }
    passed = end;
  }
  return { clock, pass };
}

const TICK_MS = 10;

/**
 * Runs the relay by a clock on which time passes `times` as fast, so that a test of a retry does not wait for it. The time
 * passes in ticks of this process's event loop: on a busy machine, which takes longer to answer, it passes more slowly.
 */
export const runFast =
  (times: number): Run =>
  async (env) => {
    const { clock, pass } = createHandClock();
    const ticks = setInterval(() => pass(TICK_MS * times), TICK_MS).unref();
    const running = await runAt(env, clock);
    const stop = (): Promise<void> => running.stop().finally(() => clearInterval(ticks));
    return { ...running, stop };
  };

/** Runs the relay by a clock that stands still until it is moved: for what must not happen before its time. */
export function runByHand(): { run: Run; pass: (ms: number) => void } {
  const { clock, pass } = createHandClock();
  return { run: (env) => runAt(env, clock), pass };
}
