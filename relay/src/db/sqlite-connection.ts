import { DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite";
import type { Transaction, Value } from "./database.ts";

/** Older versions can corrupt a WAL that two connections checkpoint (sqlite.org/wal.html#walresetbug). */
const OLDEST = "3.51.3";
/** Longest wait for another process that holds the database, in ms. It blocks this process; callbacks are spooled then. */
const BUSY_MS = 1_000;

/**
 * Translates a statement into SQLite's syntax. With a bound LIMIT, SQLite 3.53 compiles the statement again at every run; with
 * the LIMIT as part of an expression, it does not.
 */
const translated = (sql: string): string =>
  sql
    .replace(/\bLIMIT \$(\d+)/g, "LIMIT (0+$$$1)")
    .replaceAll("strpos(", "instr(")
    .replaceAll("= ANY ($1)", "IN (SELECT value FROM json_each($1))")
    .replace(/\$(\d+)/g, "?$1");

const lowerCase = (value: SQLOutputValue): SQLOutputValue => (typeof value === "string" ? value.toLowerCase() : value);

/** A connection with its prepared statements, each prepared once. */
export type SqliteConnection = { db: DatabaseSync; tx: Transaction };

/** Opens a connection. @param wrote called with the number of rows that a statement changed */
export function connect(file: string, pragmas: readonly string[], wrote: (rows: number) => void): SqliteConnection {
  const db = new DatabaseSync(file, { timeout: BUSY_MS, enableForeignKeyConstraints: true });
  for (const pragma of pragmas) db.exec(`PRAGMA ${pragma}`);
  db.function("unicode_lower", { deterministic: true }, lowerCase);
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = db.prepare(translated(sql));
      statements.set(sql, statement);
    }
    return statement;
  };
  const run = (statement: StatementSync, values: readonly Value[]): number => {
    const changes = Number(statement.run(...values).changes);
    wrote(changes);
    return changes;
  };
  const tx: Transaction = {
    // There is one writer.
    lock: async () => {},
    all: async <Row>(sql: string, ...values: Value[]) => prepared(sql).all(...values) as Row[],
    run: async (sql: string, ...values: Value[]) => run(prepared(sql), values),
    anyOf: async <Row>(sql: string, list: readonly string[]) => prepared(sql).all(JSON.stringify(list)) as Row[],
    each: async <Row>(sql: string, lists: readonly (readonly Value[])[]) => {
      if (lists.length === 0) return [];
      const statement = prepared(sql);
      return lists.map((values) => statement.get(...values) as Row | undefined);
    },
    runEach: async (sql: string, lists: readonly (readonly Value[])[]) => {
      if (lists.length === 0) return;
      const statement = prepared(sql);
      for (const values of lists) run(statement, values);
    },
  };
  return { db, tx };
}

/**
 * Checks that commits are flushed to the disk. In WAL mode, `PRAGMA synchronous` returns FULL before the first write and NORMAL
 * after it, unless FULL was set explicitly.
 * @throws Error when they are not flushed
 */
export function assertDurable(db: DatabaseSync, file: string): void {
  db.exec("CREATE TABLE IF NOT EXISTS sync_probe (at); DELETE FROM sync_probe; INSERT INTO sync_probe VALUES (1)");
  const level = db.prepare("PRAGMA synchronous").get()?.synchronous;
  if (level !== 2) throw new Error(`${file}: commits are not synced to disk (synchronous=${String(level)})`);
}

/** Checks the version of SQLite. @throws Error when it is older than `OLDEST` */
export function assertVersion(db: DatabaseSync): void {
  const version = String(db.prepare("SELECT sqlite_version() AS version").get()?.version);
  if (version.localeCompare(OLDEST, "en", { numeric: true }) < 0) {
    throw new Error(`SQLite ${version} can damage its own log; ${OLDEST} or newer is needed`);
  }
}

/**
 * Copies the log into the database file and truncates it. Never waits for another reader or writer, because that would block
 * this process.
 * @returns whether the log is empty now
 */
export function emptyLog(db: DatabaseSync): boolean {
  if (db.isTransaction) return false;
  db.exec("PRAGMA busy_timeout = 0");
  try {
    return db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  }
}

/** SQLITE_BUSY: another process holds it. */
const BUSY = 5;

/** Whether another process holds the database. */
export const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY;

/** SQLITE_IOERR_FSYNC: the system failed to flush a file to the disk. */
const IOERR_FSYNC = 1034;

/**
 * Whether SQLite failed to flush a file. The system reports this only once, so the next flush seems to succeed although earlier
 * pages may be lost. Other failures are harmless, because SQLite writes the pages again.
 */
export const isLost = (error: unknown): boolean => (error as { errcode?: number }).errcode === IOERR_FSYNC;

/**
 * Empties the log before the database closes. On a full disk the log stays, and the next start uses it.
 * @returns whether the database may be closed: not after a failed flush, because closing would delete the log
 */
export function emptyAtEnd(db: DatabaseSync): boolean {
  try {
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    // Nothing is lost, because the log contains all commits.
    return !isLost(error);
  }
  return true;
}
