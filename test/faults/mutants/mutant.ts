import type { Scenario } from "../core/scenario.ts";
import type { Common, Report } from "../suites/suite.ts";
import type { Edit, Part } from "./place.ts";

/**
 * The product with one mistake that a person could make. At least one test must fail on it. Each edit must match
 * exactly one place (`place.ts`); otherwise the run fails.
 */
export type Mutant = {
  name: string;
  /** The part whose sources are changed; default: the relay. */
  part?: Part;
  edits: readonly Edit[];
  killedBy: Killer;
};
/**
 * What must find the mutant: runs of the simulation in a scenario, a suite with real processes, or a unit test file,
 * named by the end of its path.
 */
export type Killer =
  | { given: Partial<Scenario>; seeds?: number }
  | { suite: (options: Common) => Promise<Report> }
  | { unit: string };
