import type { Target } from "./target.ts";

/** What an attack did. */
export type Result = {
  /** How often it was tried, and how often it got through: 0 is what must be. */
  tried: number;
  through: number;
  /** What shows that the attack reaches its aim where nothing stands in its way, or that honest visitors are served meanwhile. */
  control: string;
};

/** A row of the table of attacks; numbers and words are those of `relay/docs/reliability.md`. */
export type Attack = {
  number: number;
  /** Where the defence stands; empty while the row is not filled. */
  defence: readonly string[];
  /** Where the short part stands, which every `npm test` runs. */
  tests: readonly string[];
  /** The long part, against a relay of its own. */
  run?: (target: Target) => Promise<Result>;
};
