/** The mutants without a defence of cost or availability (SECURITY.md). */

import { expect, it } from "vitest";
import { huntAll } from "./hunt.ts";
import { SAFETY } from "./mutants/safety.ts";

// One run of unit tests in another process; 26 s of CPU time for 50 mutants.
it("the unit tests notice each missing defence of cost and availability", { timeout: 1_800_000 }, async () => {
  const hunted = await huntAll(SAFETY);
  expect(hunted.filter(({ by }) => by === undefined).map(({ name }) => name)).toEqual([]);
  expect(hunted).toHaveLength(SAFETY.length);
});
