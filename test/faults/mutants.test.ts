/** A sample of the mutants. `mutants.full.test.ts` (`npm run test:full`) tests all of them. */

import { expect, it } from "vitest";
import { huntAll } from "./hunt.ts";
import { MUTANTS, SAMPLE, TEETH } from "./mutants.ts";

it.each(SAMPLE)("the suites notice a relay that %s", async (name) => {
  const hunted = await huntAll(MUTANTS.filter((mutant) => mutant.name === name));
  expect(hunted).toEqual([expect.objectContaining({ name, by: expect.any(String) })]);
});

it("each mistake of the list Teeth has a mutant", () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(Object.values(TEETH).flatMap((made) => made.filter((name) => !names.includes(name)))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
