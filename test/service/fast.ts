import { type Clock, realClock } from "../../relay/src/base/clock.ts";
import { type Run, runAt } from "../relays.ts";

/** Runs the relay by a clock on which a minute passes in a second or two: for what it waits for on purpose. */
export const runFast =
  (times: number): Run =>
  (env) => {
    const began = Date.now();
    return runAt(env, {
      now: () => began + (Date.now() - began) * times,
      uptime: () => realClock.uptime() * times,
      after: (ms, fn) => realClock.after(ms / times, fn),
    });
  };

/** Runs the relay by a clock that stands still until it is moved: for what must not happen before its time. */
export function runByHand(): { run: Run; pass: (ms: number) => void } {
  const began = Date.now();
  let passed = 0;
  let timers: { due: number; fn: () => void }[] = [];
  const clock: Clock = {
    now: () => began + passed,
    uptime: () => passed,
    after(ms, fn) {
      const timer = { due: passed + Math.max(0, ms), fn };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };

  /** Lets so many milliseconds pass, and calls what is due, in order. */
  function pass(ms: number): void {
    const end = passed + ms;
    for (;;) {
      const [next] = timers.filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
      if (next === undefined) break;
      timers = timers.filter((other) => other !== next);
      passed = next.due;
      next.fn();
    }
    passed = end;
  }
  return { run: (env) => runAt(env, clock), pass };
}
