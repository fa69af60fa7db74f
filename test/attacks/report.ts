import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Attack, Result } from "./attack.ts";
import { ATTACKS } from "./table.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SECURITY = join(ROOT, "SECURITY.md");
const FILE = join(import.meta.dirname, "results.json");
const START = "<!-- attacks: from test/attacks/results.json -->\n";
const END = "<!-- end of attacks -->";

/** The results of one row, by the name of the part. */
export type Row = { [part: string]: Result };
/** The last run of `npm run attacks`: rows by number, and the day of each. */
export type Results = { [name: string]: { day: string; parts: Row } };

/** The results of the last run that was committed. */
export const committed = (): Results => JSON.parse(readFileSync(FILE, "utf8")) as Results;

/** Merges these rows into the committed results. */
export function record(rows: Results): void {
  const all = { ...committed(), ...rows };
  const sorted = Object.entries(all).toSorted(([a], [b]) => Number(a.slice(1)) - Number(b.slice(1)));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
const sum = (parts: readonly Result[], of: "tried" | "succeeded"): number =>
  parts.reduce((total, part) => total + part[of], 0);
const figuresOf = ({ figures }: Result): string =>
  figures === undefined ? "" : ` (peak ${figures.peakMb} MB, honest message ${figures.honestMs} ms)`;

function rowOf({ number, what, defence, tests }: Attack, results: Results): string {
  const parts = results[`A${number}`]?.parts ?? {};
  const all = Object.values(parts);
  const none = tests.length === 0 ? "not automated" : "not run yet";
  const tried = all.length === 0 ? [none, ""] : [sum(all, "tried").toLocaleString("en"), String(sum(all, "succeeded"))];
  const controls = Object.entries(parts).map(([part, result]) => `${part}: ${result.control}${figuresOf(result)}`);
  const files = defence.map((file) => `\`${file}\``).join(", ");
  return `| A${number} | ${cell(what)} | ${files} | ${tried.join(" | ")} | ${cell(controls.join(". "))} |\n`;
}

/** The table of the security document. */
function attackTable(results: Results): string {
  const head = "| Number | Attack | Defence | Attempts | Succeeded | Control, by part |\n|---|---|---|---|---|---|\n";
  return head + ATTACKS.map((attack) => rowOf(attack, results)).join("");
}

/**
 * The security document as written, and with a table made from the committed results. @throws Error when the document lacks
 * the table's marks
 */
export function securityDocument(): { written: string; renewed: string } {
  const written = readFileSync(SECURITY, "utf8");
  const [from, to] = [written.indexOf(START), written.indexOf(END)];
  if (from < 0 || to < from) throw new Error("SECURITY.md has no place for the table of attacks");
  const renewed = written.slice(0, from + START.length) + attackTable(committed()) + written.slice(to);
  return { written, renewed };
}

/** Writes the table into the security document. */
export const renewDocument = (): void => writeFileSync(SECURITY, securityDocument().renewed);
