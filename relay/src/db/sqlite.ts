import { createCheckpoints, FULL_FLUSH } from "./checkpoint.ts";
import type { Batch, Database, Transaction, Value } from "./database.ts";
import { type LogFlush, openLogFlush } from "./flush.ts";
import { type Committed, createGroups, type Defer, type Groups, type Job } from "./groups.ts";
import { AT_ONCE_MAX, assertIntact, type Check, checkInBackground, mustCheckAtOnce } from "./integrity.ts";
import { breakSeal, seal } from "./seal.ts";
import {
  assertDurable,
  assertVersion,
  connect,
  emptyAtEnd,
  emptyLog,
  isBusy,
  isLost,
  type SqliteConnection,
} from "./sqlite-connection.ts";

/** Pages in the WAL at which a commit writes them back itself, when the checkpoint thread cannot keep up. */
const CHECKPOINT_PAGES = 8_000;
/** The writer's page cache, in KiB. SQLite's default of 2,000 is too small for the pages of 200 busy visitors. */
const CACHE_KIB = 16_000;
/** SQLITE_IOERR: the disk failed. */
const IOERR = 10;
/** SQLITE_CORRUPT: the file is damaged. */
const CORRUPT = 11;
const CLOSED = "The database was closed";

type Sqlite = {
  file: string;
  /** The database is a file, not in memory. */
  onDisk: boolean;
  writer: SqliteConnection;
  /** Serves reads while a group of transactions is open on the writer. */
  reader: SqliteConnection;
  checkpoints: ReturnType<typeof createCheckpoints> | undefined;
  check: Check | undefined;
  /** Absent: each commit flushes the log itself. */
  flush: LogFlush | undefined;
  /** Settles when every commit so far is on the disk. Undefined if they all are. */
  flushing: Promise<void> | undefined;
  /** A group of transactions is open on the writer. */
  open: boolean;
  /** `close` was called: no new group begins. */
  closing: boolean;
  /**
   * Set when writing has stopped permanently, with the reason: the file is damaged, or a flush failed, and it is unknown
   * what is on the disk.
   */
  refusal: (Error & { errcode: number }) | undefined;
};

type Options = {
  defer?: Defer;
  atOnceMax?: number;
  openFlush?: typeof openLogFlush;
  openCheckpoints?: typeof createCheckpoints;
};

/**
 * Opens SQLite in WAL mode. A write resolves once its commit is flushed to the disk. One connection writes and reads; a
 * second one reads while a group of transactions is open, so that no reader sees uncommitted data.
 * @param file path, or `:memory:` for a test: then one connection writes and reads
 * @param options.defer schedules the next group of transactions instead of the event loop. For simulations, which also
 *   run without threads
 * @param options.atOnceMax largest file, in bytes, that is checked before use after an unclean end
 * @param options.openFlush opens the flush of the file's log; tests pass one that they control
 * @param options.openCheckpoints starts the thread that copies the log back; also for tests
 * @throws Error when the check before use finds damage. A check in the background reports to `Database.damage`
 */
export function openSqlite(file: string, options: Options = {}): Database {
  const sqlite = connectTo(file, options);
  const damage = sqlite.check?.damage.then((words) => {
    // A failed flush takes precedence: it also forbids reads and a clean close.
    if (words !== undefined) sqlite.refusal ??= Object.assign(new Error(words), { errcode: CORRUPT });
    return words;
  });
  const groups = createGroups((jobs) => settle(sqlite, jobs), options.defer);
  const append = <Item, Result>(
    work: Batch<Item, Result>,
    item: Item,
    _key?: readonly string[],
    mayWait = false,
  ): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      groups.add({ work: work as Batch<unknown, unknown>, item, mayWait, resolve, reject });
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
    longTransaction: transaction,
    append,
    async scrub() {
      // Waits for the writes that are queued.
      await transaction(async () => undefined);
      return emptyLog(sqlite.writer.db);
    },
    close: () => close(sqlite, groups),
  };
}

/** Opens and checks the file, its connections, and the threads that serve it. */
function connectTo(file: string, options: Options): Sqlite {
  const { defer, atOnceMax = AT_ONCE_MAX, openFlush = openLogFlush, openCheckpoints = createCheckpoints } = options;
  const onDisk = file !== ":memory:";
  const threads = onDisk && defer === undefined;
  const atOnce = onDisk && mustCheckAtOnce(file, atOnceMax);
  const sealed = onDisk && breakSeal(file);
  const checkpoints = threads ? openCheckpoints(file, (error) => isLost(error) && refuse(sqlite, error)) : undefined;
  const writer = connect(file, pragmasOfWriter, (rows) => checkpoints?.wrote(rows));
  assertVersion(writer.db);
  // A sealed file is unchanged since a clean end, and was checked before that.
  const checksInBackground = threads && !sealed && !atOnce;
  if (!sealed && !checksInBackground) assertIntact(writer.db, file);
  assertDurable(writer.db, file);
  const reader = onDisk ? connect(file, ["query_only = 1"], () => {}) : writer;
  // A process killed after an erasure leaves the erased content in the log.
  if (onDisk) emptyLog(writer.db);
  const check = checksInBackground ? checkInBackground(file) : undefined;
  const flush = threads ? openFlush(file) : undefined;
  // From now on, `flush` does the flush that FULL adds to each commit.
  if (flush !== undefined) writer.db.exec("PRAGMA synchronous = NORMAL");
  const sqlite: Sqlite = {
    file,
    onDisk,
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
 * Reads rows, and returns them once every commit that they may show is on the disk. Rejects after a failed flush: the
 * log may hold commits that the disk does not, and a message that is not stored must not reach the service.
 */
function read<T>(sqlite: Sqlite, rowsOf: (tx: Transaction) => Promise<T>): Promise<T> {
  const { refusal, flushing } = sqlite;
  if (refusal?.errcode === IOERR) return Promise.reject(refusal);
  const rows = rowsOf(reading(sqlite));
  return flushing === undefined ? rows : Promise.all([rows, flushing]).then(([found]) => found);
}

/** Commits a group of jobs together; if that fails, each job alone. Never rejects. */
async function settle(sqlite: Sqlite, group: readonly Job[]): Promise<Committed> {
  try {
    const written = await write(sqlite, group);
    // The next group may be written while this one is flushed.
    return { settled: resolveWhenFlushed(written).catch((error) => settleAlone(sqlite, group, error)) };
  } catch (error) {
    await settleAlone(sqlite, group, error);
    return { settled: Promise.resolve() };
  }
}

/**
 * Commits each job of a group alone after the group failed, so that only the job that caused the failure fails.
 */
async function settleAlone(sqlite: Sqlite, group: readonly Job[], error: unknown): Promise<void> {
  // Another process holds the database, or writing has stopped permanently.
  if (group.length === 1 || isBusy(error) || error === sqlite.refusal) return rejectWhenFlushed(sqlite, group, error);
  for (const job of group) {
    const resolved = write(sqlite, [job]).then(resolveWhenFlushed);
    await resolved.catch((alone) => rejectWhenFlushed(sqlite, [job], alone));
  }
}

/** Rejects the jobs once every commit that they read is on the disk, because their error may show data from it. */
async function rejectWhenFlushed(sqlite: Sqlite, jobs: readonly Job[], error: unknown): Promise<void> {
  let reason = error;
  if (sqlite.flushing !== undefined && error !== sqlite.refusal)
    await sqlite.flushing.catch((failure: unknown) => {
      reason = failure;
    });
  for (const job of jobs) job.reject(reason);
}

/** Resolves the jobs once their commit is on the disk, never earlier. */
async function resolveWhenFlushed({ done, flushed }: Written): Promise<void> {
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
    // The flush of an earlier group failed meanwhile. Another flush would seem to succeed.
    if (sqlite.refusal !== undefined) throw sqlite.refusal;
    writer.db.exec("COMMIT");
    // Set synchronously with the commit: a read in between would not wait for the flush.
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
 * Flushes the log; resolves when this and every earlier commit are on the disk. After a failed flush it is unknown
 * which part of the log is on the disk, and the system reports the failure only once. So nothing is written or read
 * until a new process has recovered the log.
 */
function flushLog(sqlite: Sqlite, flush: LogFlush): Promise<void> {
  const flushing = Promise.allSettled([sqlite.flushing, flush.run()]).then((ends) => {
    if (sqlite.flushing === flushing) sqlite.flushing = undefined;
    for (const end of ends) if (end.status === "rejected") throw refuse(sqlite, end.reason);
  });
  return flushing;
}

/** Stops all writes and reads. @returns the error that they reject with */
function refuse(sqlite: Sqlite, error: unknown): Error {
  if (sqlite.refusal !== undefined && error === sqlite.refusal) return sqlite.refusal;
  const words = `${sqlite.file}: the disk failed to store a commit (${String(error)}); repair it, then restart the relay`;
  sqlite.refusal = Object.assign(new Error(words), { errcode: IOERR });
  return sqlite.refusal;
}

async function close(sqlite: Sqlite, groups: Groups): Promise<void> {
  const { file, onDisk, writer, reader, check, flush } = sqlite;
  sqlite.closing = true;
  for (const job of groups.drop()) job.reject(new Error(CLOSED));
  // Do not yield if no thread runs: a caller that does not await then finds the files closed.
  const stopping = sqlite.checkpoints?.stop();
  if (stopping !== undefined) await stopping;
  // A check that is still reading would keep the log file from being deleted.
  if (check !== undefined) await check.stop();
  // Last, because an open group may have committed meanwhile, also during an earlier flush. The callers of these
  // commits have learned of a failed flush.
  while (sqlite.flushing !== undefined) await sqlite.flushing.catch(() => {});
  flush?.close();
  // Leave it open: a close copies the log into the database, and pages of this log may be lost. The next process checks
  // them.
  if (sqlite.refusal !== undefined && sqlite.refusal.errcode === IOERR) return;
  if (reader !== writer) reader.db.close();
  if (writer.db.isTransaction) writer.db.exec("ROLLBACK");
  if (!emptyAtEnd(writer.db)) return;
  writer.db.close();
  if (onDisk && check?.passed() !== false) seal(file);
}
