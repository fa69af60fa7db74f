import { createCheckpoints, FULL_FLUSH } from "./checkpoint.ts";
import type { Batch, Database, Transaction, Value } from "./database.ts";
import { type LogFlush, openLogFlush } from "./flush.ts";
import { type Committed, createGroups, type Defer, type Groups, type Job } from "./groups.ts";
import { breakSeal, seal } from "./seal.ts";
import { AT_ONCE_MAX, assertSound, type Check, checkAside, mustCheckAtOnce } from "./soundness.ts";
import {
  assertDurable,
  assertVersion,
  connect,
  emptyAtEnd,
  emptyLog,
  isLost,
  type SqliteConnection,
} from "./sqlite-connection.ts";

/** Pages in the WAL at which a commit writes them back itself, when the checkpoint thread cannot keep up. */
const CHECKPOINT_PAGES = 8_000;
/** KiB of pages that the writer keeps in memory: SQLite's default of 2,000 does not hold what 200 busy visitors touch. */
const CACHE_KIB = 16_000;
/** SQLITE_BUSY: another process holds it. */
const BUSY = 5;
/** SQLITE_IOERR: the disk failed. */
const IOERR = 10;
/** SQLITE_CORRUPT: the file is damaged. */
const CORRUPT = 11;
const CLOSED = "The database was closed";

type Sqlite = {
  file: string;
  /** The database is a file, not in memory. */
  kept: boolean;
  writer: SqliteConnection;
  /** Reads while a group of transactions is open on the writer. */
  reader: SqliteConnection;
  checkpoints: ReturnType<typeof createCheckpoints> | undefined;
  check: Check | undefined;
  /** Absent: each commit flushes the log itself. */
  flush: LogFlush | undefined;
  /** Settles when the newest commit and all before it are on the disk; absent when they are. */
  flushing: Promise<void> | undefined;
  /** A group of transactions is open on the writer. */
  open: boolean;
  /** No group begins any more. */
  closing: boolean;
  /** Why nothing is written any more: the file is damaged, or nobody knows what of it is on the disk. */
  refusal: (Error & { errcode: number }) | undefined;
};

type Options = {
  defer?: Defer;
  atOnceMax?: number;
  openFlush?: typeof openLogFlush;
  openCheckpoints?: typeof createCheckpoints;
};

/**
 * SQLite in WAL mode; a write resolves once its commit is flushed to the disk. One connection writes and reads; a second one
 * reads while a group of transactions is open, so that nobody sees what is not committed.
 * @param file path, or `:memory:` for a test without readers of its own
 * @param options.defer runs the next group of transactions, in place of the event loop: for simulations, which have no
 *   threads either
 * @param options.atOnceMax bytes up to which a file that was not closed in order is checked before it is used
 * @param options.openFlush opens the flush of the file's log; tests pass one that they control
 * @param options.openCheckpoints the same for the thread that copies the log back
 * @throws Error when the file is damaged, as far as it is checked at once; see `Database.damage` for the rest
 */
export function openSqlite(file: string, options: Options = {}): Database {
  const sqlite = connectTo(file, options);
  const damage = sqlite.check?.damage.then((words) => {
    // A failed flush weighs more: it forbids reading, and closing the file in order.
    if (words !== undefined) sqlite.refusal ??= Object.assign(new Error(words), { errcode: CORRUPT });
    return words;
  });
  const groups = createGroups((jobs) => settle(sqlite, jobs), options.defer);
  const append = <Item, Result>(
    work: Batch<Item, Result>,
    item: Item,
    _key?: readonly string[],
    patient = false,
  ): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      groups.add({ work: work as Batch<unknown, unknown>, item, patient, resolve, reject });
    });
  const transaction = <T>(body: (tx: Transaction) => Promise<T>): Promise<T> =>
    append(async (tx) => [await body(tx)], undefined);

  return {
    dialect: "sqlite",
    damage,
    lock: async () => {},
    all: <Row>(sql: string, ...values: Value[]) => read(sqlite, (tx) => tx.all<Row>(sql, ...values)),
    each: <Row>(sql: string, lists: readonly (readonly Value[])[]) => read(sqlite, (tx) => tx.each<Row>(sql, lists)),
    anyOf: <Row>(sql: string, list: readonly string[]) => read(sqlite, (tx) => tx.anyOf<Row>(sql, list)),
    run: (sql, ...values) => transaction((tx) => tx.run(sql, ...values)),
    runEach: (sql, lists) => transaction((tx) => tx.runEach(sql, lists)),
    transaction,
    append,
    async scrub() {
      // Behind what waits to be written.
      await transaction(async () => undefined);
      return emptyLog(sqlite.writer.db);
    },
    close: () => close(sqlite, groups),
  };
}

/** Opens and checks the file, its connections, and the threads that serve it. */
function connectTo(file: string, options: Options): Sqlite {
  const { defer, atOnceMax = AT_ONCE_MAX, openFlush = openLogFlush, openCheckpoints = createCheckpoints } = options;
  const kept = file !== ":memory:";
  const threads = kept && defer === undefined;
  const atOnce = kept && mustCheckAtOnce(file, atOnceMax);
  const sealed = kept && breakSeal(file);
  const checkpoints = threads ? openCheckpoints(file, (error) => isLost(error) && refuse(sqlite, error)) : undefined;
  const writer = connect(file, pragmasOfWriter, (rows) => checkpoints?.wrote(rows));
  assertVersion(writer.db);
  // A sealed file is as an orderly end left it, and was checked before that life.
  const checksAside = threads && !sealed && !atOnce;
  if (!sealed && !checksAside) assertSound(writer.db, file);
  assertDurable(writer.db, file);
  const reader = kept ? connect(file, ["query_only = 1"], () => {}) : writer;
  // A life that was killed between an erasure and its end has left the log.
  if (kept) emptyLog(writer.db);
  const check = checksAside ? checkAside(file) : undefined;
  const flush = threads ? openFlush(file) : undefined;
  // From now on `flush` does what FULL adds to a commit.
  if (flush !== undefined) writer.db.exec("PRAGMA synchronous = NORMAL");
  const sqlite: Sqlite = {
    file,
    kept,
    writer,
    reader,
    checkpoints,
    check,
    flush,
    flushing: undefined,
    open: false,
    closing: false,
    refusal: undefined,
  };
  return sqlite;
}

const pragmasOfWriter = [
  "journal_mode = WAL",
  "synchronous = FULL",
  FULL_FLUSH,
  // Deleted and replaced content is overwritten with zeros (sqlite.org/pragma.html#pragma_secure_delete).
  "secure_delete = ON",
  `cache_size = -${CACHE_KIB}`,
  `wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
];

const reading = ({ open, reader, writer }: Sqlite): Transaction => (open ? reader : writer).tx;

/**
 * Reads, and hands out the rows when all that they may contain is on the disk. After a failed flush nothing is read: the log
 * may hold what the disk does not, and a message that is not stored must not reach the service.
 */
function read<T>(sqlite: Sqlite, rowsOf: (tx: Transaction) => Promise<T>): Promise<T> {
  const { refusal, flushing } = sqlite;
  if (refusal?.errcode === IOERR) return Promise.reject(refusal);
  const rows = rowsOf(reading(sqlite));
  return flushing === undefined ? rows : Promise.all([rows, flushing]).then(([found]) => found);
}

/** Commits a group, and each of its jobs alone when that fails. Never rejects. */
async function settle(sqlite: Sqlite, group: readonly Job[]): Promise<Committed> {
  try {
    const written = await write(sqlite, group);
    // The next group may be written while this one is flushed.
    return { settled: hearWhenFlushed(written).catch((error) => settleAlone(sqlite, group, error)) };
  } catch (error) {
    await settleAlone(sqlite, group, error);
    return { settled: Promise.resolve() };
  }
}

/** Commits each job of a group alone after the group failed: one of them may be to blame, and then the others go through. */
async function settleAlone(sqlite: Sqlite, group: readonly Job[], error: unknown): Promise<void> {
  // Somebody else holds the database, or nothing is written any more.
  if (group.length === 1 || isBusy(error) || error === sqlite.refusal) return rejectWhenFlushed(sqlite, group, error);
  for (const job of group) {
    const heard = write(sqlite, [job]).then(hearWhenFlushed);
    await heard.catch((alone) => rejectWhenFlushed(sqlite, [job], alone));
  }
}

/** Rejects the jobs when every commit that they read is on the disk: their error may say what was in it. */
async function rejectWhenFlushed(sqlite: Sqlite, jobs: readonly Job[], error: unknown): Promise<void> {
  let reason = error;
  if (sqlite.flushing !== undefined && error !== sqlite.refusal)
    await sqlite.flushing.catch((failure: unknown) => {
      reason = failure;
    });
  for (const job of jobs) job.reject(reason);
}

const isBusy = (error: unknown): boolean => ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY;

/** Gives the jobs their results when their commit is on the disk; nobody hears of one before that. */
async function hearWhenFlushed({ done, flushed }: Written): Promise<void> {
  await flushed;
  for (const [job, result] of done) job.resolve(result as never);
}

/** Jobs with their results, and the flush of their commit, which is under way. */
type Written = { done: [Job, unknown][]; flushed: Promise<void> | undefined };

/** Runs the jobs in one transaction, commits it, and begins its flush. */
async function write(sqlite: Sqlite, jobs: readonly Job[]): Promise<Written> {
  if (sqlite.refusal !== undefined) throw sqlite.refusal;
  if (sqlite.closing) throw new Error(CLOSED);
  const { writer, flush } = sqlite;
  const done: [Job, unknown][] = [];
  writer.db.exec("BEGIN IMMEDIATE");
  sqlite.open = true;
  try {
    for (const [work, group] of Map.groupBy(jobs, (job) => job.work)) {
      const items = group.map(({ item }) => item);
      const results = await work(writer.tx, items);
      for (const [i, job] of group.entries()) done.push([job, results[i]]);
    }
    // The flush of an earlier group failed meanwhile: the next flush would look good.
    if (sqlite.refusal !== undefined) throw sqlite.refusal;
    writer.db.exec("COMMIT");
    // In the same step as the commit: a read in between would not know that it has to wait.
    if (flush !== undefined) sqlite.flushing = flushLog(sqlite, flush);
  } catch (error) {
    if (writer.db.isTransaction) writer.db.exec("ROLLBACK");
    throw isLost(error) ? refuse(sqlite, error) : error;
  } finally {
    sqlite.open = false;
  }
  return { done, flushed: sqlite.flushing };
}

/**
 * Flushes what was committed; resolves when this and every earlier commit are on the disk. When the disk fails, nobody
 * knows what of the log it has, and the system reports the failure only once: nothing is written or read any more until
 * a new process has recovered the log.
 */
function flushLog(sqlite: Sqlite, flush: LogFlush): Promise<void> {
  const flushing = Promise.allSettled([sqlite.flushing, flush.run()]).then((ends) => {
    if (sqlite.flushing === flushing) sqlite.flushing = undefined;
    for (const end of ends) if (end.status === "rejected") throw refuse(sqlite, end.reason);
  });
  return flushing;
}

/** From now on nothing is written or read. @returns the reason */
function refuse(sqlite: Sqlite, error: unknown): Error {
  if (sqlite.refusal !== undefined && error === sqlite.refusal) return sqlite.refusal;
  const words = `${sqlite.file}: the disk failed to store a commit (${String(error)}); repair it, then restart the relay`;
  sqlite.refusal = Object.assign(new Error(words), { errcode: IOERR });
  return sqlite.refusal;
}

async function close(sqlite: Sqlite, groups: Groups): Promise<void> {
  const { file, kept, writer, reader, check, flush } = sqlite;
  sqlite.closing = true;
  for (const job of groups.drop()) job.reject(new Error(CLOSED));
  // No turn of the event loop where no thread runs: a caller that does not wait finds the files closed.
  const stopping = sqlite.checkpoints?.stop();
  if (stopping !== undefined) await stopping;
  // A thread that still reads would keep the log beside the file.
  if (check !== undefined) await check.stop();
  // Last: a group that was open may have committed meanwhile, also during an earlier flush. A failed flush was told to
  // those whose commit it was.
  while (sqlite.flushing !== undefined) await sqlite.flushing.catch(() => {});
  flush?.close();
  // Left open: closing would copy a log whose pages may be lost into the database. The next process checks them.
  if (sqlite.refusal !== undefined && sqlite.refusal.errcode === IOERR) return;
  if (reader !== writer) reader.db.close();
  if (writer.db.isTransaction) writer.db.exec("ROLLBACK");
  if (!emptyAtEnd(writer.db)) return;
  writer.db.close();
  if (kept && check?.passed() !== false) seal(file);
}
