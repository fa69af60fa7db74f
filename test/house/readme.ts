import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingsHelp } from "../../relay/src/base/config.ts";
import { costTable } from "./costs.ts";
import { soakTable } from "./soaked.ts";
import { root } from "./sources.ts";
import { speedTable } from "./speed.ts";

const README = join(root, "README.md");

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** The relay's settings as a table, from the one place that knows them. */
function settingsTable(): string {
  const rows = settingsHelp().map(
    ({ env, fallback, help }) => `| \`${env}\` | ${fallback === "" ? "" : `\`${cell(fallback)}\``} | ${cell(help)} |\n`,
  );
  return `| Variable | Default | Meaning |\n|---|---|---|\n${rows.join("")}`;
}

/** What is written into the README by machine: between `<!-- name: from source -->` and `<!-- end of name -->`. */
export const TABLES: readonly { name: string; source: string; table: () => string }[] = [
  { name: "settings", source: "relay/src/base/config.ts", table: settingsTable },
  { name: "soak", source: "test/faults/figures.json", table: soakTable },
  { name: "speed", source: "test/bench/figures.json", table: speedTable },
  { name: "costs", source: "test/bench/figures.json", table: costTable },
];

/** The README with one table of today in its place. @throws when it has no place for it */
function renew(text: string, { name, source, table }: (typeof TABLES)[number]): string {
  const start = `<!-- ${name}: from ${source} -->\n`;
  const end = `<!-- end of ${name} -->`;
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The README has no place for the table "${name}"`);
  return text.slice(0, from + start.length) + table() + text.slice(to);
}

/** The README as it is, and as it would be with every table of today. */
export function readme(): { written: string; renewed: string } {
  const written = readFileSync(README, "utf8");
  return { written, renewed: TABLES.reduce(renew, written) };
}

/** Writes every table of today into the README. */
export function renewReadme(): void {
  writeFileSync(README, readme().renewed);
}

if (import.meta.main) renewReadme();
