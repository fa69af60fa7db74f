/** A sample of the mutants. `mutants.full.test.ts` (`npm run test:full`) tests all of them. */

import { expect, it } from "vitest";
import { MUTANTS, REQUIRED, SAMPLE } from "./mutants.ts";
import { tryMutants } from "./try-mutants.ts";

it.each(SAMPLE)("the suites notice a relay that %s", async (name) => {
  const results = await tryMutants(MUTANTS.filter((mutant) => mutant.name === name));
  expect(results).toEqual([expect.objectContaining({ name, by: expect.any(String) })]);
});

it("each required mistake has a mutant", () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(Object.values(REQUIRED).flatMap((made) => made.filter((name) => !names.includes(name)))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
