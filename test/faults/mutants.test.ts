/** A sample of the mutants. `mutants.full.test.ts` (`npm run test:full`) tests all of them. */

import { expect, it } from "vitest";
import { MUTANTS, REQUIRED, SAMPLE } from "./mutants.ts";
import { tryMutants } from "./try-mutants.ts";

it("the tests and suites notice each deliberate mistake of the sample", async () => {
  const results = await tryMutants(MUTANTS.filter(({ name }) => SAMPLE.includes(name)));
  expect(results.map(({ name }) => name).toSorted()).toEqual(SAMPLE.toSorted());
  expect(results.filter(({ by }) => by === undefined)).toEqual([]);
});

it("each required mistake has a mutant", () => {
  const names = MUTANTS.map(({ name }) => name);
  expect(Object.values(REQUIRED).flatMap((made) => made.filter((name) => !names.includes(name)))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
