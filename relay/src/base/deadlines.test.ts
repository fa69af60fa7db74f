import { expect, it } from "vitest";
import { createDeadlines } from "./deadlines.ts";

it("fires each deadline on time, no cancelled one, and uses at most one timer", () => {
  let now = 0;
  let timers: { at: number; fn: () => void }[] = [];
  const clock = {
    now: () => now,
    uptime: () => now,
    after(ms: number, fn: () => void) {
      timers.push({ at: now + ms, fn });
      return () => {};
    },
  };
  const fired: [string, number][] = [];
  const set = createDeadlines(clock, 100);
  const pass = (until: number): void => {
    for (; now <= until; now++) {
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { fn } of due) fn();
      expect(timers.length).toBeLessThan(2);
    }
  };
  set(() => fired.push(["first", now]));
  pass(49);
  const cancel = set(() => fired.push(["cancelled", now]));
  set(() => fired.push(["second", now]));
  cancel();
  pass(300);
  set(() => fired.push(["third", now]));
  pass(500);
  expect(fired).toEqual([
    ["first", 100],
    ["second", 150],
    ["third", 401],
  ]);
});
