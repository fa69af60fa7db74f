/** Clocks for a relay in the test's own process. */

import type { Clock } from "../relay/src/base/clock.ts";
import { type Run, runAt } from "./relays.ts";

type Timer = { due: number; fn: () => void };

/** A clock that changes only when `pass` advances it. */
function createManualClock(): { clock: Clock; pass: (ms: number) => void } {
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

  /** Advances the clock, and runs due timers in order. */
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
 * Runs the relay on a clock that is `times` as fast, so that a test of a retry does not have to wait. The clock advances in
 * ticks of this process's event loop, so on a busy machine it advances more slowly.
 */
export const runFast =
  (times: number): Run =>
  async (env) => {
    const { clock, pass } = createManualClock();
    const ticks = setInterval(() => pass(TICK_MS * times), TICK_MS).unref();
    const running = await runAt(env, clock);
    const stop = (): Promise<void> => running.stop().finally(() => clearInterval(ticks));
    return { ...running, stop };
  };

/** Runs the relay on a clock that changes only when the test advances it, for events that must not happen too early. */
export function runOnManualClock(): { run: Run; pass: (ms: number) => void } {
  const { clock, pass } = createManualClock();
  return { run: (env) => runAt(env, clock), pass };
}
