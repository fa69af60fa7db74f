/** A sample of the mutants, and all that lack a defence. `mutants.full.test.ts` (`npm run test:full`) hunts all of them. */

import { expect, it } from "vitest";
import { huntAll } from "./hunt.ts";
import { SAFETY } from "./mutants/safety.ts";
import { MUTANTS, SAMPLE, TEETH } from "./mutants.ts";

it.each(SAMPLE)("the suites notice a relay that %s", async (name) => {
  const hunted = await huntAll(MUTANTS.filter((mutant) => mutant.name === name));
  expect(hunted).toEqual([expect.objectContaining({ name, by: expect.any(String) })]);
});

// One run of unit tests in another process; 26 s of CPU time for 50 mutants.
it("the unit tests notice each defence of cost and availability that is missing", { timeout: 300_000 }, async () => {
  const hunted = await huntAll(SAFETY);
  expect(hunted.filter(({ by }) => by === undefined).map(({ name }) => name)).toEqual([]);
  expect(hunted).toHaveLength(SAFETY.length);
});

it("each mistake of the list Teeth has been made", () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(Object.values(TEETH).flatMap((made) => made.filter((name) => !names.includes(name)))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
