import { afterAll, beforeAll, expect, it } from "vitest";
import { type Ground, startGround } from "./attacks/ground.ts";
import { ATTACKS } from "./attacks/table.ts";

/** The share of the tries of `npm run attacks` that every run of the tests makes. */
const SHARE = 0.01;

let ground: Ground;
beforeAll(async () => {
  ground = await startGround(SHARE);
});
afterAll(() => ground.stop());

const inside = ATTACKS.flatMap(({ number, what, inside }) => (inside === undefined ? [] : [{ number, what, inside }]));

it.each(inside)("A$number lets nothing through: $what", async ({ inside }) => {
  const { tried, through } = await inside(ground);
  expect(tried).toBeGreaterThan(0);
  expect(through).toBe(0);
});
