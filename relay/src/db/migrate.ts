import { readdirSync, readFileSync } from "node:fs";
import { randomId } from "@porchlight/shared/id";
import type { Database, Value } from "./database.ts";

const FOLDER = new URL("./migrations/", import.meta.url);

/** The numbered files, oldest first. A released file never changes. */
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

/**
 * Checks which steps a database has. The first file contains the whole schema up to its number, including earlier numbers.
 * @throws Error when a newer version wrote the database, or an unreleased version that is older than the first file
 */
function assertKnown(done: readonly number[], steps: readonly { number: number }[]): void {
  const known = steps.map(({ number }) => number);
  const [first = 0, newest = first] = [known[0], known.at(-1)];
  const highest = Math.max(0, ...done);
  if (done.some((number) => number > first && !known.includes(number)))
    throw new Error(
      `DATABASE_URL: a newer Porchlight wrote this database (schema ${highest}, this version knows up to ${newest}); start the newer version, or restore the backup from before its upgrade`,
    );
  if (done.length > 0 && !done.includes(first))
    throw new Error(
      `DATABASE_URL: an unreleased Porchlight wrote this database (schema ${highest}); this version upgrades schema ${first} and later`,
    );
}

/**
 * Checks that the database has this version's schema. Changes nothing.
 * @throws Error with both versions when it is older or newer
 */
export async function assertCurrent(db: Database): Promise<void> {
  const steps = migrations(FOLDER);
  const done = (await db.all<{ number: number }>("SELECT number FROM migrations")).map(({ number }) => number);
  assertKnown(done, steps);
  if (steps.every(({ number }) => done.includes(number))) return;
  throw new Error(
    `DATABASE_URL: this database has schema ${Math.max(0, ...done)}, this version needs ${steps.at(-1)?.number}; start the relay once to upgrade it`,
  );
}

/** Prefix of a statement of the schema that only PostgreSQL needs. */
const POSTGRES_ONLY = /^\/\* postgres \*\/\s*/;

/**
 * Adapts a statement of the schema to this database. By default PostgreSQL compares texts by the rules of a language, which
 * differ between servers; SQLite compares bytes.
 */
const translated = ({ dialect }: Database, statement: string): string =>
  dialect === "postgres" && /^(CREATE|ALTER) TABLE\b/i.test(statement)
    ? statement.replace(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    : statement;

/** The statements of a step for this database. */
const statementsFor = (db: Database, statements: readonly string[]): string[] =>
  statements
    .filter((statement) => db.dialect === "postgres" || !POSTGRES_ONLY.test(statement))
    .map((statement) => translated(db, statement.replace(POSTGRES_ONLY, "")));

/** A migration that failed; the database is as before it. */
export class MigrationFailed extends Error {
  readonly step: string;
  /** @param number the migration's number */
  constructor(number: number, cause: unknown) {
    const step = `Migration ${String(number).padStart(3, "0")} of the database failed`;
    super(`${step}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.step = step;
  }
}

/**
 * Applies every step that the database lacks, each in a transaction, and returns the database's epoch. The epoch names this
 * log: a client that knows another epoch (after a restored backup, or with a new file) starts again instead of resuming at a
 * wrong number. Applied numbers are recorded, so that a lower number that is added later is applied too.
 * @param folder holds the numbered files
 * @throws Error with both versions when this version cannot work with the database
 * @throws MigrationFailed
 */
export async function migrate(db: Database, folder: URL = FOLDER): Promise<string> {
  const run = (sql: string, ...values: Value[]): Promise<unknown> => db.longTransaction((tx) => tx.run(sql, ...values));
  await run(translated(db, "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)"));
  await run("CREATE TABLE IF NOT EXISTS migrations (number BIGINT PRIMARY KEY)");
  const done = new Set((await db.all<{ number: number }>("SELECT number FROM migrations")).map(({ number }) => number));
  const steps = migrations(folder);
  assertKnown([...done], steps);
  for (const { number, statements } of steps) {
    if (done.has(number)) continue;
    // The transaction runs alone. Other nodes that start at the same time find the step done.
    const step = db.longTransaction(async (tx) => {
      if ((await tx.all("SELECT 1 FROM migrations WHERE number = $1", number)).length > 0) return;
      for (const statement of statementsFor(db, statements)) await tx.run(statement);
      await tx.run("INSERT INTO migrations (number) VALUES ($1)", number);
    });
    await step.catch((error: unknown) => {
      throw new MigrationFailed(number, error);
    });
  }
  await run("INSERT INTO meta (name, value) VALUES ('epoch', $1) ON CONFLICT (name) DO NOTHING", randomId(16));
  const [epoch] = await db.all<{ value: string }>("SELECT value FROM meta WHERE name = 'epoch'");
  if (epoch === undefined) throw new Error("The database has no epoch after its migration");
  return epoch.value;
}
