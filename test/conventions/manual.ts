import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SETTINGS } from "../../shared/settings.ts";
import { root } from "./sources.ts";

const MANUAL = join(root, "widget", "README.md");
const MARKS = ["<!-- settings: from shared/settings.ts -->\n", "<!-- end of settings -->"] as const;

/** The chat's settings as a table, from their definition in `shared/settings.ts`. */
export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([name, { kind, fallback, help, ...rule }]) => {
    const values = "of" in rule && Array.isArray(rule.of) ? rule.of.map((one) => `\`${one}\``).join(" ") : KINDS[kind];
    return `| \`${name}\` | ${values} | ${fallback} | ${help} |\n`;
  });
  return `| Setting | May be | Default | What it does |\n|---|---|---|---|\n${rows.join("")}`;
}

const KINDS: Readonly<Record<string, string>> = {
  text: "text",
  number: "whole number",
  switch: "`true` `false`",
  list: "list of texts",
  colour: "`#rgb` or `#rrggbb`",
  address: "address",
  language: "`auto` or a language",
  path: "SVG path",
  condition: "condition",
  fields: "list of `name` `email` `phone` and custom fields",
  customFields: "object",
  hours: "object",
  words: "object",
  phone: "object",
};

/** `written`: the table in the widget's manual. `renewed`: the manual with the current table in its place. */
export function manual(): { written: string; renewed: string } {
  const text = readFileSync(MANUAL, "utf8");
  const start = text.indexOf(MARKS[0]) + MARKS[0].length;
  const end = text.indexOf(MARKS[1]);
  return { written: text.slice(start, end), renewed: text.slice(0, start) + settingsTable() + text.slice(end) };
}

if (import.meta.main) writeFileSync(MANUAL, manual().renewed);
