import { expect, it } from "vitest";
import { browserFaultRun } from "./fault-run.ts";

it("three people's messages and replies survive three kills in a quarter of a minute, on every page", {
  timeout: 400_000,
}, async () => {
  const { violations, figures } = await browserFaultRun({ seconds: 15, kills: 3, seed: 20_261_121 });
  expect(violations).toEqual([]);
  expect(Number(figures.messages)).toBeGreaterThan(20);
  expect(Number(figures["replies accepted"])).toBeGreaterThan(10);
});
