import type { Scenario } from "../core/scenario.ts";
import type { Common, Report } from "../suites/suite.ts";
import type { Edit, Part } from "./place.ts";

/**
 * The product with one mistake that a person could make. A test suite that does not notice it proves nothing. Each edit must
 * find its place exactly once (`place.ts`); otherwise the run fails.
 */
export type Mutant = {
  name: string;
  /** The part whose sources are changed; default: the relay. */
  part?: Part;
  edits: readonly Edit[];
  killedBy: Killer;
};
/** Runs of the simulation in a scenario, a suite with real processes, or a unit test file, by the end of its path. */
export type Killer =
  | { given: Partial<Scenario>; seeds?: number }
  | { suite: (options: Common) => Promise<Report> }
  | { unit: string };
