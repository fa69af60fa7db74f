/**
 * `npm run bench -- --counts`: counts anew, prints what a round trip asks of the database, and writes `counts.json`, which
 * `npm test` compares with. Whoever makes the relay do more on purpose runs it and commits the file.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Counts, count } from "./scenario.ts";

const FILE = join(import.meta.dirname, "counts.json");
/** What depends on what arrived together may be so much higher on another machine, and always by two. */
const ROOM = 1.1;

/** The committed counts. */
export const committed = (): Counts => JSON.parse(readFileSync(FILE, "utf8")) as Counts;

const withRoom = (limits: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [name, Math.max(value + 2, Math.ceil(value * ROOM))]),
  );

export async function renewCounts(): Promise<void> {
  const { counts, statements } = await count();
  for (const [name, { exact, atMost }] of Object.entries(counts.steps)) {
    console.log(`${name}, per visitor:`, exact);
    if (atMost !== undefined) console.log(`${name}, ${counts.visitors} visitors at once:`, atMost);
  }
  console.log("SQL statements per round trip:");
  for (const [sql, runs] of [...statements].sort(([, a], [, b]) => b - a))
    console.log(String(Number(runs.toFixed(2))).padStart(6), sql.replace(/\s+/g, " "));
  for (const step of Object.values(counts.steps)) if (step.atMost !== undefined) step.atMost = withRoom(step.atMost);
  writeFileSync(FILE, `${JSON.stringify(counts, null, 2)}\n`);
}
