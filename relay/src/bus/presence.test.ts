import { expect, it } from "vitest";
import { realClock } from "../base/clock.ts";
import { createBus } from "./bus.ts";
import { withPresence } from "./presence.ts";

/** Presence on a clock that the test moves. */
function presence() {
  let now = 1_000;
  const bus = withPresence(createBus(), { ...realClock, now: () => now });
  const visit = (visitor: string): void => bus.subscribe(visitor, () => {})();
  const pass = (ms: number): void => {
    now += ms;
  };
  return { ...bus, visit, pass };
}

it("counts a visitor as away since their last connection ended, and not while any is open", () => {
  const { subscribe, awaySince, pass } = presence();
  expect(awaySince("a")).toBe(1_000);
  const [one, two] = [subscribe("a", () => {}), subscribe("a", () => {})];
  pass(5);
  one();
  expect(awaySince("a")).toBeUndefined();
  pass(5);
  two();
  pass(5);
  expect(awaySince("a")).toBe(1_010);
});

it("keeps at least the newest 50,000 disconnects, and at most 100,000, so that a flood does not fill the memory (A27)", () => {
  const { visit, awaySince, pass } = presence();
  pass(1);
  visit("first");
  for (let n = 0; n < 50_000; n++) visit(`early ${n}`);
  expect(awaySince("first")).toBe(1_001);
  for (let n = 0; n < 50_000; n++) visit(`late ${n}`);
  expect([awaySince("first"), awaySince("late 0")]).toEqual([1_000, 1_001]);
});
