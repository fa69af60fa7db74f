/**
 * `npm run soak [name…]`: the long versions of the fault suites, in sequence, with the promised bounds. Prints the
 * progress of each, writes its figures to `figures.json`, from which the table in `relay/docs/guides/figures.md` is
 * made (`node test/conventions/tables.ts`), and exits with 1 when one found a violation.
 *
 *   npm run soak                                all of them, about an hour on two cores
 *   npm run soak kill callbacks                 only these two
 *   SOAK_SEED=7 npm run soak kill               with another seed; for real processes it fixes the schedule, not the machine
 *   SOAK_MINUTES=60 npm run soak randomFaults   this suite for an hour
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { RATE_STYLES } from "../../relay/sandbox/options.ts";
import { browserFaultRun } from "../browser/fault-run.ts";
import { ensurePrograms } from "../setup/programs.ts";
import { useOwnTemporaryFolder } from "../setup/temporary-folder.ts";
import { randomFaults } from "./fault-run.ts";
import { killAtEachAwaitAndFailure } from "./kill-at-each-await.ts";
import { longMutants } from "./mutants-long.ts";
import { bitFlips } from "./suites/bit-flips.ts";
import { callbacks } from "./suites/callbacks.ts";
import { credits } from "./suites/credits.ts";
import { disk } from "./suites/disk.ts";
import { drain } from "./suites/drain.ts";
import { kill } from "./suites/kill.ts";
import { killWhileServiceFails } from "./suites/kill-while-service-fails.ts";
import { allFaults } from "./suites/nodes.ts";
import { outage } from "./suites/outage.ts";
import { pace } from "./suites/pace.ts";
import { pausedNodes } from "./suites/paused-nodes.ts";
import { rateLimit, single429 } from "./suites/rate-limit.ts";
import { rateLimitOnNodes } from "./suites/rate-limit-on-nodes.ts";
import { restartDuringCallbacks } from "./suites/restart-during-callbacks.ts";
import { rollingRestart } from "./suites/rolling-restart.ts";
import { type Report, seconds } from "./suites/suite.ts";
import { sync } from "./suites/sync.ts";
import { tabs } from "./suites/tabs.ts";
import { upstream } from "./suites/upstream.ts";

const FIGURES = join(import.meta.dirname, "figures.json");

/** The results of each suite's last soak, and the kind of machine. */
type SoakResults = {
  machine: { cores: number; node: string };
  suites: Record<string, { command: string; seed: number; violations: number; figures: Report["figures"] }>;
};

/** Runs one suite in its long version, and calls `progress` with lines for the log. */
type LongRun = (seed: number, progress: (words: string) => void) => Promise<Report>;

const SUITES = {
  kill: (seed, progress) => kill({ seed, starts: 200, messages: 10_000, visitors: 25, progress }),
  sync: (seed) => sync({ seed, messages: 500 }),
  upstream: (seed) => upstream({ seed, visitors: 30, messages: 300, swaps: 3 }),
  callbacks: (seed, progress) => callbacks({ seed, callbacks: 50_000, progress }),
  tabs: (seed) => tabs({ seed, sends: 1_000 }),
  killWhileServiceFails: (seed) => killWhileServiceFails({ seed, seconds: 60, kills: 8 }),
  browser: (seed) => browserFaultRun({ seed, seconds: 60, kills: 8 }),
  rateLimit: (seed) => rateLimit({ seed, limits: [30, 300, 10], styles: RATE_STYLES, minutes: 11 }),
  single429: (seed) => single429({ seed }),
  pace: (seed, progress) => pace({ seed, progress }),
  outage: (seed) => outage({ seed, visitors: 10, messages: 100 }),
  drain: (seed) => drain({ seed, visitors: 1_000 }),
  restartDuringCallbacks: (seed) => restartDuringCallbacks({ seed, restarts: 20 }),
  disk: (seed) => disk({ seed }),
  bitFlips: (seed) => bitFlips({ seed, flips: 200 }),
  nodes: (seed, progress) => allFaults({ seed, visitors: 100, messages: 5_000, perSecond: 80, progress }),
  pausedNodes: (seed, progress) => pausedNodes({ seed, stops: 12, visitors: 30, perSecond: 80, progress }),
  rollingRestart: (seed, progress) => rollingRestart({ seed, visitors: 5_000, perSecond: 40, timed: true, progress }),
  rateLimitOnNodes: (seed, progress) => rateLimitOnNodes({ seed, limit: 300, minutes: 4, progress }),
  killAtEachAwait: () => killAtEachAwaitAndFailure(),
  credits: (seed) => credits({ seed, keys: 1_000, kills: 40 }),
  randomFaults: (seed, progress) => randomFaults({ seed, minutes: Number(process.env.SOAK_MINUTES ?? 3), progress }),
  mutants: () => longMutants(),
} satisfies Record<string, LongRun>;

/** The names of the suites. The table of `relay/docs/guides/figures.md` has a row for each that was run. */
export type SuiteName = keyof typeof SUITES;

const SEED = Number(process.env.SOAK_SEED ?? 20_261_121);

/** The figures of the last soak of each suite. */
const lastSoak = (): SoakResults => JSON.parse(readFileSync(FIGURES, "utf8")) as SoakResults;

/** Stores the figures of a suite, and keeps those of the others. */
function store(name: string, { violations, figures }: Report): void {
  const suites = existsSync(FIGURES) ? lastSoak().suites : {};
  suites[name] = { command: `npm run soak ${name}`, seed: SEED, violations: violations.length, figures };
  const ordered = Object.keys(SUITES).flatMap((known) => (suites[known] ? [[known, suites[known]] as const] : []));
  const machine = { cores: availableParallelism(), node: process.version };
  writeFileSync(FIGURES, `${JSON.stringify({ machine, suites: Object.fromEntries(ordered) }, null, 2)}\n`);
}

/** Runs one suite. @returns whether it found no violation */
async function soak(name: string, suite: LongRun): Promise<boolean> {
  const begun = performance.now();
  const progress = (words: string): void => console.log(`  ${name}, ${Math.round(seconds(begun))} s: ${words}`);
  progress("begins");
  const report = await suite(SEED, progress).catch((error: unknown) => ({
    violations: [`ended: ${String(error)}`],
    figures: { seconds: seconds(begun) },
  }));
  store(name, report);
  const { violations, figures } = report;
  for (const line of violations.slice(0, 20)) console.log(`  ✗ ${line}`);
  console.log(`${violations.length === 0 ? "✓" : "✗"} ${name}  ${JSON.stringify(figures)}`);
  return violations.length === 0;
}

if (import.meta.main) {
  const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(SUITES);
  const unknown = wanted.filter((name) => !(name in SUITES));
  if (unknown.length > 0) {
    console.error(`There is no suite named ${unknown.join(", ")}. The suites are: ${Object.keys(SUITES).join(", ")}.`);
    process.exit(2);
  }
  useOwnTemporaryFolder();
  ensurePrograms();
  const wrong: string[] = [];
  for (const name of wanted) if (!(await soak(name, SUITES[name as SuiteName]))) wrong.push(name);
  console.log(
    wrong.length === 0
      ? `\nsoak: ${wanted.length} suites, no violations`
      : `\nsoak: violations in ${wrong.join(", ")}. To repeat: SOAK_SEED=${SEED} npm run soak ${wrong.join(" ")}`,
  );
  process.exit(wrong.length === 0 ? 0 : 1);
}
