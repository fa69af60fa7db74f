/** Mutants that each lack one defence of cost or availability (SECURITY.md). */

import { expect, it } from "vitest";
import { SAFETY } from "./mutants/safety.ts";
import { tryMutants } from "./try-mutants.ts";

// One run of unit tests in another process; 65 s of CPU time for 84 mutants on a slow machine.
it("the unit tests notice each missing defence of cost and availability", { timeout: 1_800_000 }, async () => {
  const results = await tryMutants(SAFETY);
  expect(results.filter(({ by }) => by === undefined).map(({ name }) => name)).toEqual([]);
  expect(results).toHaveLength(SAFETY.length);
});
