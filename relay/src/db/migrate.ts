import { readdirSync, readFileSync } from "node:fs";
import { randomId } from "@porchlight/shared/id";
import type { Database } from "./database.ts";

const FOLDER = new URL("./migrations/", import.meta.url);

/** Numbered files, oldest first; a file never changes once it was released. */
function migrations(folder: URL): { number: number; statements: string[] }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => ({
      number: Number.parseInt(name, 10),
      statements: readFileSync(new URL(name, folder), "utf8")
        .replace(/--.*$/gm, "")
        .split(";")
        .map((statement) => statement.trim())
        .filter((statement) => statement !== ""),
    }));
}

/** @throws Error when the database went through a step that this version does not have */
function assertKnown(done: readonly number[], steps: readonly { number: number }[]): void {
  if (done.every((number) => steps.some((step) => step.number === number))) return;
  const newest = steps.at(-1)?.number ?? 0;
  throw new Error(
    `DATABASE_URL: a newer Porchlight wrote this database (schema ${Math.max(...done)}, this version knows up to ${newest}); start the newer version, or restore the backup from before its upgrade`,
  );
}

/**
 * Makes sure that the database has been brought to this version, and changes nothing.
 * @throws Error with both versions when it is older or newer
 */
export async function assertCurrent(db: Database): Promise<void> {
  const steps = migrations(FOLDER);
  const done = (await db.all<{ number: number }>("SELECT number FROM migrations")).map(({ number }) => number);
  assertKnown(done, steps);
  if (steps.every(({ number }) => done.includes(number))) return;
  throw new Error(
    `DATABASE_URL: this database has schema ${Math.max(0, ...done)}, and this version works with ${steps.at(-1)?.number}; start the relay once: it brings the database forward`,
  );
}

/**
 * Brings the database to this version, each step all or nothing, and gives it its epoch: the name of this log, so that a
 * client that knows another one (a restored backup, a new file) starts anew instead of resuming at a wrong number. Every
 * number that was applied is remembered, so a lower one that arrives later is applied too.
 * @param folder holds the numbered files
 * @throws Error with both versions when a newer Porchlight has written the database
 * @returns the epoch
 */
export async function migrate(db: Database, folder: URL = FOLDER): Promise<string> {
  await db.run("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)");
  await db.run("CREATE TABLE IF NOT EXISTS migrations (number BIGINT PRIMARY KEY)");
  const done = new Set((await db.all<{ number: number }>("SELECT number FROM migrations")).map(({ number }) => number));
  const steps = migrations(folder);
  assertKnown([...done], steps);
  for (const { number, statements } of steps) {
    if (done.has(number)) continue;
    await db.transaction(async (tx) => {
      for (const statement of statements) await tx.run(statement);
      await tx.run("INSERT INTO migrations (number) VALUES ($1)", number);
    });
  }
  await db.run("INSERT INTO meta (name, value) VALUES ('epoch', $1) ON CONFLICT (name) DO NOTHING", randomId(16));
  const [epoch] = await db.all<{ value: string }>("SELECT value FROM meta WHERE name = 'epoch'");
  if (epoch === undefined) throw new Error("The database has no epoch after its migration");
  return epoch.value;
}
