import type { Scenario } from "../core/scenario.ts";
import type { Common, Report } from "../suites/suite.ts";
import type { Edit } from "./place.ts";

/**
 * The product with one mistake in it that somebody could make. Tests that do not notice it prove nothing. Each edit must
 * find its place exactly once (`place.ts`); one that does not fails the run.
 */
export type Mutant = {
  name: string;
  /** Whose sources; the relay's when absent. */
  part?: "relay" | "widget";
  edits: readonly Edit[];
  killedBy: Killer;
};
/** Lives of the simulation in a scenario, a suite with real processes, or a unit test file, by the end of its path. */
export type Killer =
  | { given: Partial<Scenario>; seeds?: number }
  | { suite: (options: Common) => Promise<Report> }
  | { unit: string };
