import { expect, it } from "vitest";
import { huntAll } from "./hunt.ts";
import { MUTANTS } from "./mutants.ts";

it("the suites notice every deliberate mistake", { timeout: 1_800_000 }, async () => {
  const hunted = await huntAll(MUTANTS);
  const alive = hunted.filter(({ by }) => by === undefined).map(({ name }) => name);
  console.log(`mutants killed: ${hunted.length - alive.length} of ${MUTANTS.length}`);
  expect(alive).toEqual([]);
  expect(hunted).toHaveLength(MUTANTS.length);
});
