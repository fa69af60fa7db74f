import type { Browser } from "playwright-core";
import type { Ground } from "./ground.ts";
import type { Target } from "./target.ts";
import type { Payloads } from "./text.ts";

/** What an attack did. */
export type Result = {
  /** How often it was tried, and how often it got through: 0 is what must be. */
  tried: number;
  through: number;
  /** What shows that the attack reaches its aim where nothing stands in its way, or that honest visitors are served meanwhile. */
  control: string;
  /** Figures of a relay under attack: largest resident memory in MB, and until an honest visitor's message was acknowledged. */
  figures?: { peakMb: number; honestMs: number };
};

/** A row of the table of attacks; numbers and words are those of `relay/docs/reliability.md`. */
export type Attack = {
  number: number;
  /** What is tried, in words; for what no program can try, why. */
  what: string;
  /** Where the defence stands; empty where it is not this product's. */
  defence: readonly string[];
  /** Test files about it: every `npm test` runs them, and `npm run attacks` runs and counts those that need no browser. */
  tests: readonly string[];
  /** Against a product in the same process; `npm test` runs it with fewer tries. */
  inside?: (ground: Ground) => Promise<Result>;
  /** Against a relay as a process of its own, with 512 MB. */
  run?: (target: Target) => Promise<Result>;
  /** No proxy stands in front of that relay: it tells clients apart by the address of their connection. */
  direct?: boolean;
  /** In Chromium. */
  browser?: (ground: Ground, browser: Browser, payloads: Payloads) => Promise<Result>;
};
