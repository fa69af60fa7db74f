import { expect, it } from "vitest";
import { createBreaker } from "./breaker.ts";

function failing(count: number) {
  let time = 0;
  const breaker = createBreaker({ now: () => time, random: () => 0 });
  const pass = (ms: number): void => {
    time += ms;
  };
  const opened = Array.from({ length: count }, () => breaker.failure());
  return { breaker, opened, pass };
}

it("stays closed after single failures, and reports once when it opens", () => {
  const { breaker, opened } = failing(9);
  expect(opened).toEqual([...Array(7).fill(false), true, false]);
  expect(breaker.state).toBe("open");
});

it("resets the count of failures at every answer", () => {
  const { breaker } = failing(7);
  breaker.success();
  expect(breaker.failure()).toBe(false);
  expect(breaker.allow()).toBe(0);
});

it("probes after 1, 2, 4, 8, 16 and then every 30 seconds, and closes at the first answer", () => {
  const { breaker, pass } = failing(8);
  const waits = Array.from({ length: 7 }, () => {
    const wait = breaker.allow();
    pass(wait);
    expect(breaker.allow()).toBe(0);
    breaker.failure();
    return wait;
  });
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  breaker.success();
  expect([breaker.state, breaker.allow()]).toEqual(["closed", 0]);
});

it("probes after one second, however many calls were in flight when it opened", () => {
  expect(failing(64).breaker.allow()).toBe(1_000);
});
