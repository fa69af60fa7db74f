import type { Clock } from "./clock.ts";

/**
 * Deadlines of one length for many things at once, with one timer for all of them: they fall due in the order in which
 * they were set.
 * @param ms from setting a deadline until it falls due
 * @returns sets a deadline; its result takes it back
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
