import { expect, it } from "vitest";
import { createLimiter } from "./limiter.ts";

it("lets a burst through, then one per interval, for each key on its own", () => {
  let now = 0;
  const limiter = createLimiter({ burst: 3, perMinute: 60, uptime: () => now });
  expect([1, 2, 3].map(() => limiter.take("a"))).toEqual([0, 0, 0]);
  expect(limiter.take("a")).toBe(1_000);
  expect(limiter.take("b")).toBe(0);
  now = 1_000;
  expect(limiter.take("a")).toBe(0);
  expect(limiter.take("a")).toBe(1_000);
});

it("is off at zero a minute", () => {
  const limiter = createLimiter({ burst: 1, perMinute: 0, uptime: () => 0 });
  expect(Array.from({ length: 100 }, () => limiter.take("a")).every((wait) => wait === 0)).toBe(true);
});
