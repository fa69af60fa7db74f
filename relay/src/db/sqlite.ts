import { DatabaseSync, type StatementSync } from "node:sqlite";
import { createCheckpoints } from "./checkpoint.ts";
import type { Batch, Database, Transaction, Value } from "./database.ts";
import { breakSeal, seal } from "./seal.ts";
import { AT_ONCE_MAX, assertSound, type Check, checkAside, mustCheckAtOnce } from "./soundness.ts";

/** Older versions can corrupt a WAL that two connections checkpoint (sqlite.org/wal.html#walresetbug). */
const OLDEST = "3.51.3";
/** Jobs in one commit at most: bounds how long the first one waits for the last. */
const GROUP_MAX = 500;
/** A group of fewer jobs has no company: the next one does not wait for others. */
const COMPANY = 4;
/**
 * While groups have company, the next commit waits so many times as long as the last one took, at most `SPACING_MAX_MS`:
 * a commit costs about the same for three jobs as for fifty.
 */
const SPACING = 2;
const SPACING_MAX_MS = 5;
/** Pages in the WAL at which a commit writes them back itself, when the checkpoint thread cannot keep up. */
const CHECKPOINT_PAGES = 8_000;
/** Another process may hold the database so long. All of ours stands still meanwhile: callbacks go to the spool then. */
const BUSY_MS = 1_000;
/** SQLITE_BUSY: another process holds it. */
const BUSY = 5;
/** SQLITE_CORRUPT: the file is damaged. */
const CORRUPT = 11;

/** An item that waits for its commit. Jobs with the same `work` are handed to it together. */
type Job = {
  work: Batch<unknown, unknown>;
  item: unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
};

const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY;

/**
 * The statement in SQLite's spelling. A bound LIMIT makes SQLite 3.53 compile the statement anew at every run; as part
 * of an expression it does not.
 */
const spelled = (sql: string): string =>
  sql
    .replace(/\bLIMIT \$(\d+)/g, "LIMIT (0+$$$1)")
    .replaceAll("= ANY ($1)", "IN (SELECT value FROM json_each($1))")
    .replace(/\$(\d+)/g, "?$1");

/** A connection with its prepared statements, each prepared once. `wrote` is told how many rows a statement changed. */
function connect(file: string, pragmas: readonly string[], wrote: (rows: number) => void) {
  const db = new DatabaseSync(file, { timeout: BUSY_MS, enableForeignKeyConstraints: true });
  for (const pragma of pragmas) db.exec(`PRAGMA ${pragma}`);
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = db.prepare(spelled(sql));
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

/** WAL answers `synchronous` as FULL until its first write and NORMAL after it, unless FULL was asked for by name. */
function assertDurable(db: DatabaseSync, file: string): void {
  db.exec("CREATE TABLE IF NOT EXISTS sync_probe (at); DELETE FROM sync_probe; INSERT INTO sync_probe VALUES (1)");
  const level = db.prepare("PRAGMA synchronous").get()?.synchronous;
  if (level !== 2) throw new Error(`${file}: commits are not synced to disk (synchronous=${String(level)})`);
}

function assertVersion(db: DatabaseSync): void {
  const version = String(db.prepare("SELECT sqlite_version() AS version").get()?.version);
  if (version.localeCompare(OLDEST, "en", { numeric: true }) < 0) {
    throw new Error(`SQLite ${version} can damage its own log; ${OLDEST} or newer is needed`);
  }
}

/**
 * Moves the log into the database file and cuts it to nothing. Never waits for somebody else who reads or writes, because
 * all of ours would stand still.
 * @returns whether it was done
 */
function emptyLog(db: DatabaseSync): boolean {
  if (db.isTransaction) return false;
  db.exec("PRAGMA busy_timeout = 0");
  try {
    return db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  }
}

/** Empties the log before the database closes. On a full disk it stays, and the next start goes on with it. */
function emptyAtEnd(db: DatabaseSync): void {
  try {
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // Nothing is lost: what was committed is in the log.
  }
}

/** Runs `fn` after `ms`, and after this turn of the event loop. */
type Later = (fn: () => void, ms: number) => void;
const later: Later = (fn, ms) => void (ms >= 1 ? setTimeout(fn, ms) : setImmediate(fn));

/** Jobs by their work, in the order in which the first of each came. */
const byWork = (jobs: readonly Job[]): Map<Job["work"], Job[]> => Map.groupBy(jobs, ({ work }) => work);

/**
 * Collects jobs into groups. After a group without company the next one starts after this turn of the event loop; after
 * a group with company it waits a little, so that more jobs share its commit.
 * @param commit runs the jobs of a group and settles them; resolves when it is done
 */
function createGroups(commit: (jobs: readonly Job[]) => Promise<void>, later: Later) {
  const waiting: Job[] = [];
  let scheduled = false;
  /** `performance.now()` before which no commit starts. */
  let notBefore = 0;

  function schedule(): void {
    if (scheduled || waiting.length === 0) return;
    scheduled = true;
    later(() => void drain(), waiting.length >= GROUP_MAX ? 0 : notBefore - performance.now());
  }

  async function drain(): Promise<void> {
    const group = waiting.splice(0, GROUP_MAX);
    const begun = performance.now();
    await commit(group);
    const ended = performance.now();
    notBefore = group.length < COMPANY ? 0 : ended + Math.min(SPACING_MAX_MS, SPACING * (ended - begun));
    scheduled = false;
    schedule();
  }

  return {
    add(job: Job): void {
      waiting.push(job);
      schedule();
    },
    /** Takes out what has not been committed. */
    drop: (): Job[] => waiting.splice(0),
  };
}

/**
 * SQLite in WAL mode with `synchronous=FULL`. One connection writes and reads; a second one reads while a group of
 * transactions is open, so that nobody sees what is not committed.
 * @param file path, or `:memory:` for a test without readers of its own
 * @param options.defer runs the next group of transactions, in place of the event loop: for simulations, which have no
 *   threads either
 * @param options.atOnceMax bytes up to which a file that was not closed in order is checked before it is used
 * @throws Error when the file is damaged, as far as it is checked at once; see `Database.damage` for the rest
 */
export function openSqlite(
  file: string,
  options: { defer?: (fn: () => void) => void; atOnceMax?: number } = {},
): Database {
  const kept = file !== ":memory:";
  const atOnce = kept && mustCheckAtOnce(file, options.atOnceMax ?? AT_ONCE_MAX);
  const sealed = kept && breakSeal(file);
  const { defer } = options;
  const checkpoints = kept && defer === undefined ? createCheckpoints(file) : undefined;
  const writer = connect(
    file,
    // Deleted and replaced content is overwritten with zeros (sqlite.org/pragma.html#pragma_secure_delete).
    ["journal_mode = WAL", "synchronous = FULL", "secure_delete = ON", `wal_autocheckpoint = ${CHECKPOINT_PAGES}`],
    (rows) => checkpoints?.wrote(rows),
  );
  assertVersion(writer.db);
  // A sealed file is as an orderly end left it, and was checked before that life.
  const checksAside = kept && !sealed && defer === undefined && !atOnce;
  if (!sealed && !checksAside) assertSound(writer.db, file);
  assertDurable(writer.db, file);
  const reader = kept ? connect(file, ["query_only = 1"], () => {}) : writer;
  // A life that was killed between an erasure and its end has left the log.
  if (kept) emptyLog(writer.db);
  const check: Check | undefined = checksAside ? checkAside(file) : undefined;
  /** Nothing is written to a damaged file any more. */
  let refusal: Error | undefined;
  const damage = check?.damage.then((words) => {
    if (words !== undefined) refusal = Object.assign(new Error(words), { errcode: CORRUPT });
    return words;
  });
  /** A group of transactions is open on the writer. */
  let open = false;
  const reading = (): Transaction => (open ? reader : writer).tx;

  async function settle(group: readonly Job[]): Promise<void> {
    try {
      await commit(group);
    } catch (error) {
      // One of them may be to blame, and then the others go through; not when somebody else holds the database.
      if (group.length === 1 || isBusy(error) || error === refusal) for (const job of group) job.reject(error);
      else for (const job of group) await commit([job]).catch(job.reject);
    }
  }

  /** Runs the jobs and commits them as one; nobody hears of a result before the commit is on disk. */
  async function commit(jobs: readonly Job[]): Promise<void> {
    if (refusal !== undefined) throw refusal;
    const done: [Job, unknown][] = [];
    writer.db.exec("BEGIN IMMEDIATE");
    open = true;
    try {
      for (const [work, group] of byWork(jobs)) {
        const items = group.map(({ item }) => item);
        const results = await work(writer.tx, items);
        for (const [i, job] of group.entries()) done.push([job, results[i]]);
      }
      writer.db.exec("COMMIT");
    } catch (error) {
      if (writer.db.isTransaction) writer.db.exec("ROLLBACK");
      throw error;
    } finally {
      open = false;
    }
    for (const [job, result] of done) job.resolve(result as never);
  }

  const groups = createGroups(settle, defer ?? later);
  const append = <Item, Result>(work: Batch<Item, Result>, item: Item): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      groups.add({ work: work as Batch<unknown, unknown>, item, resolve, reject });
    });
  const transaction = <T>(body: (tx: Transaction) => Promise<T>): Promise<T> =>
    append(async (tx) => [await body(tx)], undefined);

  return {
    dialect: "sqlite",
    damage,
    lock: async () => {},
    all: (sql, ...values) => reading().all(sql, ...values),
    each: (sql, lists) => reading().each(sql, lists),
    anyOf: (sql, list) => reading().anyOf(sql, list),
    run: (sql, ...values) => transaction((tx) => tx.run(sql, ...values)),
    runEach: (sql, lists) => transaction((tx) => tx.runEach(sql, lists)),
    transaction,
    append,
    async scrub() {
      // Behind what waits to be written.
      await transaction(async () => undefined);
      return emptyLog(writer.db);
    },
    async close() {
      for (const job of groups.drop()) job.reject(new Error("The database was closed"));
      // No turn of the event loop where no thread runs: a caller that does not wait finds the files closed.
      const stopping = checkpoints?.stop();
      if (stopping !== undefined) await stopping;
      // A thread that still reads would keep the log beside the file.
      if (check !== undefined) await check.stop();
      if (reader !== writer) reader.db.close();
      if (writer.db.isTransaction) writer.db.exec("ROLLBACK");
      emptyAtEnd(writer.db);
      writer.db.close();
      if (kept && check?.passed() !== false) seal(file);
    },
  };
}
