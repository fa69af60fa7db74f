import { judge } from "./bounds.ts";
import { measureChecks } from "./checks.ts";
import { linesOf, type ReportLine } from "./figures.ts";
import type { Rounds } from "./load.ts";
import { measurePage } from "./page.ts";
import { keep, printLines, printVerdicts, speedOf } from "./report.ts";
import type { Plan } from "./row.ts";
import { ROWS } from "./rows/index.ts";

/** The warm-up (`warmUp`) lets V8 compile hot code; before that, larger programs seem slower than they are. */
const QUICK: Plan = { long: false, rounds: 5, roundMs: 600, warmMs: 1_200 };
/** Loads of each page; only runs with `PAGE_RUNS` are published. */
const PAGE_RUNS = 5;
const QUICK_PAGE_RUNS = 3;
/** A run that takes longer than this is stuck: it is ended, with its servers. */
const LONGEST_MS = 2 * 3_600_000;
const LONG: Plan = { long: true, rounds: 7, roundMs: 4_000, warmMs: 3_000 };

type RunOptions = {
  long: boolean;
  /** Only what the widget costs a page. */
  pageAlone: boolean;
  /** Rows to measure, by name; empty: all of the plan, and the page. */
  names: readonly string[];
};

/** Measures, prints, and keeps the run for `--publish`. */
export async function run({ long, pageAlone, names }: RunOptions): Promise<void> {
  const begun = performance.now();
  setTimeout(() => process.exit(1), LONGEST_MS).unref();
  const plan = long ? LONG : QUICK;
  const whole = long || pageAlone;
  const unknown = names.find((name) => !ROWS.some((row) => row.name === name));
  if (unknown !== undefined)
    throw new Error(`No row "${unknown}": there are ${ROWS.map(({ name }) => name).join(", ")}`);
  const chosen = ROWS.filter(({ name, quick }) => (names.length > 0 ? names.includes(name) : long || quick));
  const rows = pageAlone ? [] : chosen;
  const measured = new Map<string, Rounds>();
  const lines: ReportLine[] = [];
  let failed = false;
  for (const row of rows) {
    const begin = performance.now();
    try {
      const rounds = await row.measure(plan);
      measured.set(row.name, rounds);
      const found = linesOf(row, rounds);
      lines.push(...found);
      printLines(found, (performance.now() - begin) / 1_000);
    } catch (error) {
      // A long run takes half an hour, so the other rows are still measured.
      failed = true;
      console.error(`\nRow "${row.name}" failed:`, error);
    }
  }
  const verdicts = judge(measured);
  if (verdicts.length > 0) printVerdicts(verdicts);
  const page = names.length === 0 ? await measurePage(whole ? PAGE_RUNS : QUICK_PAGE_RUNS) : undefined;
  if (page !== undefined) console.log(`\nThe widget on a page\n${JSON.stringify(page, null, 2)}`);
  // A run without one of its rows is not published.
  if (failed) process.exitCode = 1;
  const speed = pageAlone || failed ? undefined : speedOf(plan, lines, verdicts);
  if (names.length === 0) keep(speed, whole ? page : undefined);
  if (names.length === 0) await printChecks();
  console.log(`\nMeasured in ${Math.round((performance.now() - begun) / 1_000)} s`);
}

/** Measures the times of the widget's checks 20, 21 and 73. One that exceeds its bound makes the command exit with 1. */
async function printChecks(): Promise<void> {
  const { figures, exceeded } = await measureChecks();
  console.log(`Checks 20, 21 and 73 of the widget: ${JSON.stringify(figures)}`);
  for (const words of exceeded) console.error(`Over its bound: ${words}`);
  if (exceeded.length > 0) process.exitCode = 1;
}
