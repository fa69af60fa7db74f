import { LONG_MUTANTS } from "./mutants/long.ts";
import { type Report, seconds } from "./suites/suite.ts";
import { tryMutants } from "./try-mutants.ts";

/** Runs the long mutants, for `npm run soak`. A mutant that no suite finds is a violation. */
export async function longMutants(): Promise<Report> {
  const begun = performance.now();
  const results = await tryMutants(LONG_MUTANTS);
  const alive = results.filter(({ by }) => by === undefined);
  return {
    violations: alive.map(({ name }) => `alive: nothing noticed that the relay ${name}`),
    figures: {
      "mutants killed": `${results.length - alive.length} of ${results.length}`,
      seconds: seconds(begun),
    },
  };
}
