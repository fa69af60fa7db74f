import { huntAll } from "./hunt.ts";
import { LONG_MUTANTS } from "./mutants/long.ts";
import { type Report, seconds } from "./suites/suite.ts";

/** Runs the long mutants, for `npm run soak`. A mutant that no suite finds is a violation. */
export async function longMutants(): Promise<Report> {
  const begun = performance.now();
  const hunted = await huntAll(LONG_MUTANTS);
  const alive = hunted.filter(({ by }) => by === undefined);
  return {
    violations: alive.map(({ name }) => `alive: nothing noticed that the relay ${name}`),
    figures: {
      "mutants killed": `${hunted.length - alive.length} of ${hunted.length}`,
      seconds: seconds(begun),
    },
  };
}
