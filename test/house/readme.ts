import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingsHelp } from "../../relay/src/base/config.ts";
import { root } from "./sources.ts";

const README = join(root, "README.md");
const MARKS = ["<!-- settings: from relay/src/base/config.ts -->\n", "<!-- end of settings -->"] as const;

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** The relay's settings as a table, from the one place that knows them. */
export function settingsTable(): string {
  const rows = settingsHelp().map(
    ({ env, fallback, help }) => `| \`${env}\` | ${fallback === "" ? "" : `\`${cell(fallback)}\``} | ${cell(help)} |\n`,
  );
  return `| Variable | Default | Meaning |\n|---|---|---|\n${rows.join("")}`;
}

/** What stands between the marks in the README, and the README with the table of today in its place. */
export function readme(): { written: string; renewed: string } {
  const text = readFileSync(README, "utf8");
  const start = text.indexOf(MARKS[0]) + MARKS[0].length;
  const end = text.indexOf(MARKS[1]);
  return { written: text.slice(start, end), renewed: text.slice(0, start) + settingsTable() + text.slice(end) };
}

if (import.meta.main) writeFileSync(README, readme().renewed);
