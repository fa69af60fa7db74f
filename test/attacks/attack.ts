import type { Browser } from "playwright-core";
import type { Ground } from "./ground.ts";
import type { Target } from "./target.ts";
import type { Payloads } from "./text.ts";

/** The result of an attack. */
export type Result = {
  /** Number of attempts, and of those that got through. The second must be 0. */
  tried: number;
  through: number;
  /** Evidence that the attack works where nothing prevents it, or that honest visitors are served meanwhile. */
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
  /** What is tried; if no program can try it, why. */
  what: string;
  /** Source files of the defence; empty if it is outside this product. */
  defence: readonly string[];
  /** Test files about it: every `npm test` runs them, and `npm run attacks` runs and counts those that need no browser. */
  tests: readonly string[];
  /** Runs against a product in the same process; `npm test` makes fewer attempts. */
  inside?: (ground: Ground) => Promise<Result>;
  /** Runs against a relay in its own process, with 512 MB. */
  run?: (target: Target) => Promise<Result>;
  /** No proxy is in front of that relay: it identifies clients by the address of their connection. */
  direct?: boolean;
  /** Runs in Chromium. */
  browser?: (ground: Ground, browser: Browser, payloads: Payloads) => Promise<Result>;
};
