import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import type { Verdict } from "./bounds.ts";
import { FIGURES, formatNumber, formatSpread, type ReportLine } from "./figures.ts";
import type { Plan } from "./row.ts";

/**
 * `LAST` keeps the last run until it is published. `FILE` holds the published figures, from which the tables are made.
 */
const LAST = join(import.meta.dirname, "..", "..", ".cache", "bench", "last.json");
const FILE = join(import.meta.dirname, "figures.json");

export type Speed = {
  command: string;
  /** `load`: load average of the machine when the run began. Other load spreads the figures. */
  machine: { cores: number; node: string; load: number };
  rounds: number;
  lines: ReportLine[];
  bounds: Verdict[];
};

const load = Number((loadavg()[0] ?? 0).toFixed(1));

/** A run with its machine, as it is published. */
export const speedOf = ({ long, rounds }: Plan, lines: ReportLine[], bounds: Verdict[]): Speed => ({
  command: long ? "npm run bench -- --long" : "npm run bench",
  machine: { cores: availableParallelism(), node: process.version, load },
  rounds,
  lines,
  bounds,
});

/** Prints the lines of one row. @param seconds how long it took to measure */
export function printLines(lines: readonly ReportLine[], seconds: number): void {
  const [first] = lines;
  if (first !== undefined) console.log(`\n${first.title} (measured in ${Math.round(seconds)} s)`);
  for (const { figure, reference, naive, ours, ratio } of lines) {
    const { unit, digits } = FIGURES[figure];
    const others = naive === undefined ? "" : ` · naive ${formatNumber(naive, digits)}`;
    const values = `${reference.name} ${formatNumber(reference.value, digits)}${others} · ${ours.name} ${formatNumber(ours.value, digits)}`;
    console.log(`  ${values} ${unit}${ratio === undefined ? "" : ` · ratio ${formatSpread(ratio)}`}`);
  }
}

/** Prints one line per bound, with the goal beyond it where there is one. */
export function printVerdicts(verdicts: readonly Verdict[]): void {
  console.log("\nBounds");
  for (const { what, figure, bound, reached, goal } of verdicts) {
    const further = goal === undefined ? "" : `, goal ${goal.value} ${goal.reached ? "reached" : "not reached"}`;
    console.log(
      `  ${reached ? "✓" : "✗"} ${what}: ${formatSpread(figure)}, bound ${bound} ${reached ? "reached" : "NOT REACHED"}${further}`,
    );
  }
}

/** Rounds numbers to four significant digits, which is more than runs agree on. */
const short = (_: string, value: unknown): unknown =>
  typeof value === "number" ? Number(value.toPrecision(4)) : value;

const read = (file: string): { speed?: Speed; page?: object } =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { speed?: Speed; page?: object }) : {};

/** Keeps a run. Parts that were not measured keep the figures of the previous run. */
export function keep(speed: Speed | undefined, page: object | undefined): void {
  mkdirSync(join(LAST, ".."), { recursive: true });
  writeFileSync(LAST, JSON.stringify({ ...read(LAST), ...(speed && { speed }), ...(page && { page }) }, short, 2));
}

/** Publishes the last run: writes `figures.json`, from which the tables are made. */
export function publish(): void {
  if (!existsSync(LAST)) throw new Error("There is no run to publish: npm run bench -- --long");
  writeFileSync(FILE, JSON.stringify({ ...read(FILE), ...read(LAST) }, null, 2));
  // Formats the file as the linter expects.
  execFileSync("biome", ["format", "--write", FILE], { stdio: "ignore" });
}
