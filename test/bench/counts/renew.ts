/**
 * `npm run bench -- --counts`: counts again, prints the database operations of a round trip, and writes `counts.json`, the
 * reference of `npm test`. Run it and commit the file after a change that makes the relay do more on purpose.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Counts, count } from "./scenario.ts";

const FILE = join(import.meta.dirname, "counts.json");

/** The counts in `counts.json`. */
export const committed = (): Counts => JSON.parse(readFileSync(FILE, "utf8")) as Counts;

/** Counts, prints, and replaces `counts.json`. */
export async function renewCounts(): Promise<void> {
  const { counts, statements } = await count();
  for (const [name, { exact, grouped }] of Object.entries(counts.steps)) {
    console.log(`${name}, per visitor:`, exact);
    if (grouped !== undefined) console.log(`${name}, ${counts.visitors} visitors at once:`, grouped);
  }
  console.log("SQL statements per round trip:");
  for (const [sql, runs] of [...statements].sort(([, a], [, b]) => b - a))
    console.log(String(Number(runs.toFixed(2))).padStart(6), sql.replace(/\s+/g, " "));
  writeFileSync(FILE, `${JSON.stringify(counts, null, 2)}\n`);
}
