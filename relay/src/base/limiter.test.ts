import { expect, it } from "vitest";
import { createLimiter } from "./limiter.ts";

it("allows a burst, then one per interval, separately for each key", () => {
  let now = 0;
  const limiter = createLimiter({ burst: 3, perMinute: 60, uptime: () => now });
  expect([1, 2, 3].map(() => limiter.take("a"))).toEqual([0, 0, 0]);
  expect(limiter.take("a")).toBe(1_000);
  expect(limiter.take("b")).toBe(0);
  now = 1_000;
  expect(limiter.take("a")).toBe(0);
  expect(limiter.take("a")).toBe(1_000);
});

it("does not limit when the rate is 0", () => {
  const limiter = createLimiter({ burst: 1, perMinute: 0, uptime: () => 0 });
  expect(Array.from({ length: 100 }, () => limiter.take("a")).every((wait) => wait === 0)).toBe(true);
});

it("takes several units at once, and counts more than the burst as the burst", () => {
  let now = 0;
  const limiter = createLimiter({ burst: 10, perMinute: 60, uptime: () => now });
  expect([limiter.take("a", 8), limiter.take("a", 8)]).toEqual([0, 6_000]);
  now = 8_000;
  expect([limiter.take("a", 50), limiter.take("a", 1)]).toEqual([0, 1_000]);
});

it("drops keys that are full again, and those idle for longer when there are too many", () => {
  let now = 0;
  const limiter = createLimiter({ burst: 2, perMinute: 60, uptime: () => now });
  for (let n = 0; n < 200_000; n++) limiter.take(`key ${n}`);
  expect(limiter.size()).toBe(50_000);
  limiter.take("key 199999");
  expect(limiter.take("key 199999")).toBeGreaterThan(0);
  now = 10_000;
  for (let n = 0; n < 50_000; n++) limiter.take("one");
  expect(limiter.size()).toBe(1);
});

it("remembers a key that is not full again, however long others have been used", () => {
  let now = 0;
  const limiter = createLimiter({ burst: 2, perMinute: 60, uptime: () => now });
  limiter.take("one", 2);
  for (now = 100; now <= 1_900; now += 100) {
    limiter.take(`another at ${now}`);
    expect(limiter.take("one", 2)).toBeGreaterThanOrEqual(2_000 - now);
  }
  now = 2_001;
  expect(limiter.take("one", 2)).toBe(0);
});
