/**
 * The table that compares the relay's speed with a bare chain and a naive relay, from the figures of `npm run bench`.
 */

import figures from "../bench/figures.json" with { type: "json" };
import { FIGURES, formatNumber, formatSpread, type ReportLine } from "../bench/figures.ts";
import type { Speed } from "../bench/report.ts";

const NAMES: Record<string, string> = { bare: "", relay: "" };

/** A value, with the contender's name if it differs from the column's. */
const cell = ({ name, value }: ReportLine["ours"], digits: number): string =>
  [NAMES[name] ?? `${name}:`, formatNumber(value, digits)].filter((part) => part !== "").join(" ");

function line({ title, figure, reference, naive, ours, ratio }: ReportLine): string {
  const { unit, digits } = FIGURES[figure];
  const other = naive === undefined ? "" : formatNumber(naive, digits);
  return `| ${title}, ${unit} | ${cell(reference, digits)} | ${other} | ${cell(ours, digits)} | ${ratio === undefined ? "" : formatSpread(ratio)} |\n`;
}

/** One line for each figure of each measured row. */
export function speedTable(): string {
  const { command, machine, rounds, lines } = figures.speed as unknown as Speed;
  if (lines.length === 0)
    return "No run is published yet. To publish one, run `npm run bench -- --long --publish` on a quiet machine.\n";
  const where = `\`${command}\`: ${machine.cores} cores shared with the load, Node ${machine.node.slice(1)}, load average ${machine.load} before it began, medians of ${rounds} rounds`;
  return `${where}.\n\n| | Bare chain | Naive relay | Porchlight | Ratio to the bare chain (spread) |\n|---|---:|---:|---:|---:|\n${lines.map(line).join("")}`;
}
