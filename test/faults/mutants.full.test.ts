import { expect, it } from "vitest";
import { MUTANTS } from "./mutants.ts";
import { tryMutants } from "./try-mutants.ts";

it("the suites notice every deliberate mistake", { timeout: 1_800_000 }, async () => {
  const results = await tryMutants(MUTANTS);
  const alive = results.filter(({ by }) => by === undefined).map(({ name }) => name);
  console.log(`mutants killed: ${results.length - alive.length} of ${MUTANTS.length}`);
  expect(alive).toEqual([]);
  expect(results).toHaveLength(MUTANTS.length);
});
