import { expect, it } from "vitest";
import { backoff } from "./backoff.ts";

it("backoff waits a random time below a bound that doubles, and never longer than the cap", () => {
  expect(backoff(0, 1_000, 60_000, () => 0.999)).toBe(999);
  expect(backoff(3, 1_000, 60_000, () => 0.5)).toBe(4_000);
  expect(backoff(1_000, 1_000, 60_000, () => 0.999)).toBeLessThan(60_000);
  expect(backoff(5, 1_000, 60_000, () => 0)).toBe(0);
});
