/** Renews the generated tables in the documents: `node test/conventions/tables.ts`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { settingsHelp } from "../../relay/src/base/config.ts";
import { capacityTable, waveTable } from "./capacity.ts";
import { costTable } from "./costs.ts";
import { soakTable } from "./soak.ts";
import { root } from "./sources.ts";
import { speedTable } from "./speed.ts";

const cell = (text: string): string => text.replaceAll("|", "\\|");

/** These settings of the relay as a table. */
function tableOf(settings: ReturnType<typeof settingsHelp>): string {
  const rows = settings.map(
    ({ env, fallback, help }) => `| \`${env}\` | ${fallback === "" ? "" : `\`${cell(fallback)}\``} | ${cell(help)} |\n`,
  );
  return `| Variable | Default | Meaning |\n|---|---|---|\n${rows.join("")}`;
}

const settingsTable = (): string => tableOf(settingsHelp());

/** The settings that most operators need on the first day, in the order of the README. */
const FIRST = [
  ...["SERVICE_URL", "SERVICE_API_KEY", "PUBLIC_URL", "ALLOWED_ORIGINS", "TRUST_PROXY"],
  ...["PORT", "DATA_DIR", "DATABASE_URL", "ADMIN_TOKEN", "BACKUP_TO"],
];

/** @throws Error when a setting of `FIRST` does not exist */
function firstSettingsTable(): string {
  const known = new Map(settingsHelp().map((setting) => [setting.env, setting]));
  return tableOf(
    FIRST.map((name) => {
      const setting = known.get(name);
      if (setting === undefined) throw new Error(`There is no setting ${name}`);
      return setting;
    }),
  );
}

/** A generated table. In its document it is between `<!-- name: from source -->` and `<!-- end of name -->`. */
type Table = { document: string; name: string; source: string; table: () => string };

const TABLES: readonly Table[] = [
  {
    document: "relay/docs/guides/settings.md",
    name: "settings",
    source: "relay/src/base/settings/table.ts",
    table: settingsTable,
  },
  { document: "relay/docs/guides/figures.md", name: "soak", source: "test/faults/figures.json", table: soakTable },
  { document: "relay/docs/guides/figures.md", name: "speed", source: "test/bench/figures.json", table: speedTable },
  {
    document: "relay/docs/guides/capacity.md",
    name: "cost",
    source: "test/bench/figures.json",
    table: capacityTable,
  },
  {
    document: "relay/docs/guides/capacity.md",
    name: "waves",
    source: "test/bench/figures.json",
    table: waveTable,
  },
  {
    document: "README.md",
    name: "first settings",
    source: "relay/src/base/settings/table.ts",
    table: firstSettingsTable,
  },
  { document: "README.md", name: "costs", source: "test/bench/figures.json", table: costTable },
];

/** The text of a document with one table renewed. @throws Error when the document lacks the table's marks */
function renew(text: string, { document, name, source, table }: Table): string {
  const start = `<!-- ${name}: from ${source} -->\n`;
  const end = `<!-- end of ${name} -->`;
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${document} has no place for the table "${name}"`);
  return text.slice(0, from + start.length) + table() + text.slice(to);
}

/** Every document with generated tables: its text now, and with all tables renewed. */
export function documents(): { path: string; written: string; renewed: string }[] {
  return [...new Set(TABLES.map(({ document }) => document))].map((path) => {
    const written = readFileSync(join(root, path), "utf8");
    return { path, written, renewed: TABLES.filter(({ document }) => document === path).reduce(renew, written) };
  });
}

/** Writes all tables into their documents. */
export function renewTables(): void {
  for (const { path, renewed } of documents()) writeFileSync(join(root, path), renewed);
}

if (import.meta.main) renewTables();
