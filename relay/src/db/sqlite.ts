import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Database, Transaction, Value } from "./database.ts";
import { breakSeal, seal } from "./seal.ts";

/** Older versions can corrupt a WAL that two connections checkpoint (sqlite.org/wal.html#walresetbug). */
const OLDEST = "3.51.3";
/** Bodies in one commit at most: bounds how long the first one waits for the last. */
const GROUP_MAX = 500;
/** Pages in the WAL before a commit also writes them back: small, because that commit is the p99. */
const CHECKPOINT_PAGES = 300;
/** Another process may hold the database so long. All of ours stands still meanwhile: callbacks go to the spool then. */
const BUSY_MS = 1_000;
/** SQLITE_BUSY: another process holds it. */
const BUSY = 5;

type Job = {
  body: (tx: Transaction) => Promise<unknown>;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
};

const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY;

/** A connection with its prepared statements, each prepared once. */
function connect(file: string, pragmas: readonly string[]) {
  const db = new DatabaseSync(file, { timeout: BUSY_MS, enableForeignKeyConstraints: true });
  for (const pragma of pragmas) db.exec(`PRAGMA ${pragma}`);
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = db.prepare(sql.replace(/\$(\d+)/g, "?$1"));
      statements.set(sql, statement);
    }
    return statement;
  };
  const tx: Transaction = {
    all: async <Row>(sql: string, ...values: Value[]) => prepared(sql).all(...values) as Row[],
    run: async (sql: string, ...values: Value[]) => Number(prepared(sql).run(...values).changes),
  };
  return { db, tx };
}

/** WAL answers `synchronous` as FULL until its first write and NORMAL after it, unless FULL was asked for by name. */
function assertDurable(db: DatabaseSync, file: string): void {
  db.exec("CREATE TABLE IF NOT EXISTS sync_probe (at); DELETE FROM sync_probe; INSERT INTO sync_probe VALUES (1)");
  const level = db.prepare("PRAGMA synchronous").get()?.synchronous;
  if (level !== 2) throw new Error(`${file}: commits are not synced to disk (synchronous=${String(level)})`);
}

function assertSound(db: DatabaseSync, file: string): void {
  const version = String(db.prepare("SELECT sqlite_version() AS version").get()?.version);
  if (version.localeCompare(OLDEST, "en", { numeric: true }) < 0) {
    throw new Error(`SQLite ${version} can damage its own log; ${OLDEST} or newer is needed`);
  }
  const verdict = db.prepare("PRAGMA quick_check(1)").get()?.quick_check;
  if (verdict !== "ok") {
    throw new Error(
      `${file} is damaged (${String(verdict)}). It was left as it is: restore the newest backup beside it`,
    );
  }
}

/**
 * SQLite in WAL mode with `synchronous=FULL`: one connection writes, one reads what is committed.
 * @param file path, or `:memory:` for a test without readers of its own
 * @param options.defer runs the next group of transactions: after this turn of the event loop by default, so that what
 *   arrives together commits together
 */
export function openSqlite(file: string, options: { defer?: (fn: () => void) => void } = {}): Database {
  const defer = options.defer ?? setImmediate;
  const kept = file !== ":memory:";
  if (kept) breakSeal(file);
  const writer = connect(file, [
    "journal_mode = WAL",
    "synchronous = FULL",
    `wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  ]);
  assertSound(writer.db, file);
  assertDurable(writer.db, file);
  const reader = kept ? connect(file, ["query_only = 1"]) : writer;

  const waiting: Job[] = [];
  let scheduled = false;

  const schedule = (): void => {
    if (scheduled || waiting.length === 0) return;
    scheduled = true;
    defer(() => void drain());
  };

  async function drain(): Promise<void> {
    const group = waiting.splice(0, GROUP_MAX);
    try {
      await commit(group);
    } catch (error) {
      // One of them may be to blame, and then the others go through; not when somebody else holds the database.
      if (group.length === 1 || isBusy(error)) for (const job of group) job.reject(error);
      else for (const job of group) await commit([job]).catch(job.reject);
    } finally {
      scheduled = false;
      schedule();
    }
  }

  /** Runs the jobs and commits them as one; nobody hears of a result before the commit is on disk. */
  async function commit(jobs: readonly Job[]): Promise<void> {
    const results: unknown[] = [];
    writer.db.exec("BEGIN IMMEDIATE");
    try {
      for (const job of jobs) results.push(await job.body(writer.tx));
      writer.db.exec("COMMIT");
    } catch (error) {
      if (writer.db.isTransaction) writer.db.exec("ROLLBACK");
      throw error;
    }
    for (const [i, job] of jobs.entries()) job.resolve(results[i] as never);
  }

  const transaction = <T>(body: (tx: Transaction) => Promise<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting.push({ body, resolve, reject });
      schedule();
    });

  return {
    dialect: "sqlite",
    all: reader.tx.all,
    run: (sql, ...values) => transaction((tx) => tx.run(sql, ...values)),
    transaction,
    async close() {
      for (const job of waiting.splice(0)) job.reject(new Error("The database was closed"));
      if (reader !== writer) reader.db.close();
      if (writer.db.isTransaction) writer.db.exec("ROLLBACK");
      writer.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      writer.db.close();
      if (kept) seal(file);
    },
  };
}
