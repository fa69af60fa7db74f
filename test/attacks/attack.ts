import type { Browser } from "playwright-core";
import type { Target } from "./target.ts";
import type { Testbed } from "./testbed.ts";

/** `all`: texts for the attacks. `firing`: texts that are known to run when a page writes them as markup. */
export type Payloads = { all: readonly string[]; firing: readonly string[] };

/** The result of an attack. */
export type Result = {
  /** Number of attempts, and of attempts that succeeded (`succeeded`), which must be 0. */
  tried: number;
  succeeded: number;
  /** Evidence that the attack works without the defence, or that honest visitors are served during the attack. */
  control: string;
  /**
   * Figures of a relay under attack: largest resident memory in MB, and milliseconds until an honest visitor's message was
   * acknowledged.
   */
  figures?: { peakMb: number; honestMs: number };
};

/** A row of the table of attacks; numbers and texts are those of `relay/docs/reliability.md`. */
export type Attack = {
  number: number;
  /** Description of the attack. If no program can try it, the reason. */
  what: string;
  /** Source files of the defence; empty if it is outside this product. */
  defence: readonly string[];
  /** Test files about the attack. `npm test` runs all of them; `npm run attacks` runs and counts those that need no browser. */
  tests: readonly string[];
  /** Attacks a relay in the same process. `npm test` makes fewer attempts. */
  inside?: (testbed: Testbed) => Promise<Result>;
  /** Attacks a relay in its own process, with 512 MB of memory. */
  run?: (target: Target) => Promise<Result>;
  /** The same with few attempts, for `npm test`. */
  short?: (target: Target) => Promise<Result>;
  /** The relay of `run` has no proxy in front: it identifies clients by the address of their connection. */
  direct?: boolean;
  /** Attacks the widget in Chromium. */
  browser?: (testbed: Testbed, browser: Browser, payloads: Payloads) => Promise<Result>;
};
