/** Clocks for a relay in the test's own process. */

import { manualClock } from "../relay/src/base/clock.fixture.ts";
import { type Run, runAt } from "./relays.ts";

const TICK_MS = 10;

/**
 * Runs the relay on a clock that is `times` as fast, so that a test of a retry does not have to wait. The clock advances in
 * ticks of this process's event loop, so on a busy machine it advances more slowly.
 */
export const runFast =
  (times: number): Run =>
  async (env) => {
    const clock = manualClock(Date.now());
    const ticks = setInterval(() => clock.passEach(TICK_MS * times), TICK_MS).unref();
    const running = await runAt(env, clock);
    const stop = (): Promise<void> => running.stop().finally(() => clearInterval(ticks));
    return { ...running, stop };
  };

/** Runs the relay on a clock that changes only when the test advances it, for events that must not happen too early. */
export function runOnManualClock(): { run: Run; pass: (ms: number) => void } {
  const clock = manualClock(Date.now());
  return { run: (env) => runAt(env, clock), pass: clock.passEach };
}
