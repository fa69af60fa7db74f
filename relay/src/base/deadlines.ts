import type { Clock } from "./clock.ts";

/**
 * Creates many deadlines of the same length with a single timer.
 * @param ms length of each deadline
 * @returns a function that sets a deadline and returns a function that cancels it
 */
export function createDeadlines(clock: Clock, ms: number): (due: () => void) => () => void {
  const waiting = new Set<{ at: number; due: () => void }>();
  let armed = false;

  function arm(wait: number): void {
    armed = true;
    clock.after(wait, fire);
  }

  function fire(): void {
    armed = false;
    const now = clock.uptime();
    for (const deadline of waiting) {
      if (deadline.at > now) return arm(deadline.at - now);
      waiting.delete(deadline);
      deadline.due();
    }
  }

  return (due) => {
    const deadline = { at: clock.uptime() + ms, due };
    waiting.add(deadline);
    if (!armed) arm(ms);
    return () => void waiting.delete(deadline);
  };
}
