import { expect, it } from "vitest";
import { huntAll } from "./hunt.ts";
import { MUTANTS } from "./mutants.ts";

it("the suites notice every mistake that was made on purpose", { timeout: 600_000 }, async () => {
  const quick = MUTANTS.filter(({ killedBy }) => !("slow" in killedBy && killedBy.slow));
  const hunted = await huntAll(quick);
  const alive = hunted.filter(({ by }) => by === undefined).map(({ name }) => name);
  console.log(`mutants killed: ${hunted.length - alive.length} of ${quick.length}`);
  expect(alive).toEqual([]);
  expect(quick.length).toBeGreaterThan(30);
});
