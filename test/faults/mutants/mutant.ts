import type { Scenario } from "../core/scenario.ts";
import type { Common, Report } from "../suites/suite.ts";

/**
 * The product with one mistake in it that somebody could make. Tests that do not notice it prove nothing. `find` must stand
 * in the file exactly once; one that does not any more fails the run.
 */
export type Mutant = {
  name: string;
  /** Whose sources; the relay's when absent. */
  part?: "relay" | "widget";
  edits: Edit[];
  killedBy: Killer;
};
/** `file` below the part's `src`. */
export type Edit = { file: string; find: string; replace: string };
/** Lives of the simulation in a scenario, a suite with real processes, or the tests that stand beside a file. */
export type Killer =
  | { given: Partial<Scenario>; seeds?: number }
  | { suite: (options: Common) => Promise<Report> }
  | { unit: string };
