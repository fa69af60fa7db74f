import type { Pool, PoolClient } from "pg";
import type { Batch, Database, Transaction, Value } from "./database.ts";
import { lockStatement, tryLockStatement } from "./locks.ts";
import { createQueue, type Job } from "./queue.ts";
import { spread } from "./unnest.ts";

/** The oldest version that is supported upstream (postgresql.org/support/versioning). */
const OLDEST = 14;
/** Connections of one node: `BATCHES` and one transaction that runs alone, the others read. */
const POOL = 10;
/** Batches that are under way at the same time. */
const BATCHES = 4;
/** Items in one batch. Each holds a lock until the commit; the server has room for 6,400 by default. */
const BATCH_MAX = 100;
/** Transactions that run alone share one commit. They stop everybody else, so there are not many in one. */
const ALONE_MAX = 32;
/** A server that does not answer within this time counts as unavailable. */
const CONNECT_MS = 3_000;
const STATEMENT_MS = 10_000;
/**
 * PostgreSQL ends a transaction that says nothing for so long: a node that stands still, or is gone without a word, must
 * not keep its locks.
 */
const IDLE_MS = 2_500;
/** Tries of a transaction that another one got in the way of. */
const TRIES = 10;
/** serialization_failure, deadlock_detected (postgresql.org/docs/current/errcodes-appendix.html). */
const CONFLICTS = new Set(["40001", "40P01"]);
/** Types of which this driver would make text: int8 and numeric. No number here exceeds 2^53. */
const NUMBERS = new Set([20, 1700]);

/**
 * Every statement here finds its rows by an index. Without statistics, on a young table, the planner would read whole
 * tables instead; and compiling a plan takes longer than any of them.
 */
const planning = (scope: "LOCAL" | "SESSION"): string => `SET ${scope} enable_seqscan = off; SET ${scope} jit = off`;

/** Another transaction holds a lock that was asked for late: the transaction begins again and asks for all at once. */
class Contended extends Error {
  readonly keys: readonly string[];
  constructor(keys: readonly string[]) {
    super("Another transaction holds these rows");
    this.keys = keys;
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown })?.code ?? "");
const isConflict = (error: unknown): boolean => error instanceof Contended || CONFLICTS.has(codeOf(error));

/** Whether the server could not be reached, or ended the connection: no other statement would do better now. */
const isAway = (error: unknown): boolean =>
  /^(08|57P0|53)|^E[A-Z]+$/.test(codeOf(error)) || /terminated|timeout|Connection ended/i.test(String(error));

async function connect(url: string): Promise<Pool> {
  // The driver is loaded only where PostgreSQL is used.
  const { default: pg } = await import("pg");
  const types = {
    getTypeParser: ((oid: number, format?: "text") =>
      NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    application_name: "porchlight",
    keepAlive: true,
    types,
    // Behind PgBouncer this reaches one of its connections at most, so transactions say it again.
    onConnect: async (client) => void (await client.query(planning("SESSION"))),
  });
  // A connection ended: the pool makes another one when it needs it, and the statement under way rejects.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

/** @throws Error with one sentence when this server would not keep what it acknowledges, or is too old */
async function assertFit(pool: Pool): Promise<void> {
  const { rows } = await pool.query(
    `SELECT current_setting('server_version_num')::bigint AS version, current_setting('synchronous_commit') AS sync,
       current_setting('server_encoding') AS encoding`,
  );
  const { version, sync, encoding } = rows[0] as { version: number; sync: string; encoding: string };
  if (version < OLDEST * 10_000)
    throw new Error(`DATABASE_URL: PostgreSQL ${Math.floor(version / 10_000)} is too old; use ${OLDEST} or newer`);
  if (sync === "off")
    throw new Error("DATABASE_URL: synchronous_commit is off, so a crash would lose messages; turn it on");
  if (encoding !== "UTF8") throw new Error(`DATABASE_URL: the database's encoding is ${encoding}; create it with UTF8`);
}

/** cannot_connect_now: the server starts, or recovers from a crash. */
const STARTING = "57P03";
/** A relay that starts waits for such a server so long, and asks so often. */
const STARTING_MS = 30_000;
const AGAIN_MS = 200;

/** Repeats `work` while the server says that it is starting. */
async function untilUp(work: () => Promise<void>): Promise<void> {
  for (let tries = STARTING_MS / AGAIN_MS; ; tries--) {
    const error: unknown = await work().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error === undefined) return;
    if (codeOf(error) !== STARTING || tries <= 0) throw error;
    await pause(AGAIN_MS);
  }
}

/** Anything that runs a statement: the pool, or one connection of it. */
type Runner = Pick<Pool | PoolClient, "query">;

type Parameter = Value | readonly Value[];

/** PostgreSQL has no texts with NUL, and refuses the whole statement. What a stranger sends must not look like its failure. */
const storable = (value: Parameter): Parameter =>
  typeof value === "string"
    ? value.includes("\0")
      ? value.replaceAll("\0", "\ufffd")
      : value
    : Array.isArray(value)
      ? value.map((each) => storable(each) as Value)
      : value;

/** What records work with, on this connection. @param lock takes more locks */
function transactionOn(runner: Runner, lock: Transaction["lock"]): Transaction {
  const query = async (text: string, values: readonly Parameter[]) =>
    runner.query({ text, values: values.map(storable) });
  return {
    lock,
    all: async <Row>(sql: string, ...values: Value[]) => (await query(sql, values)).rows as Row[],
    run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
    async each<Row>(sql: string, lists: readonly (readonly Value[])[]) {
      const found = new Array<Row | undefined>(lists.length).fill(undefined);
      if (lists.length === 0) return found;
      const { text, values } = spread(sql, lists);
      for (const { "#": item, ...row } of (await query(text, values)).rows) found[item - 1] = row as Row;
      return found;
    },
    anyOf: async <Row>(sql: string, list: readonly string[]) =>
      list.length === 0 ? [] : ((await query(sql, [list])).rows as Row[]),
    async runEach(sql, lists) {
      if (lists.length === 0) return;
      const { text, values } = spread(sql, lists);
      await query(text, values);
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Jobs by their work, in the order in which the first of each came. */
const byWork = (jobs: readonly Job[]): Map<Job["work"], Job[]> => Map.groupBy(jobs, ({ work }) => work);

/**
 * Runs `body` in a transaction of its own, again when another transaction got in the way.
 * @param keys what it locks; absent: everything
 * @throws what the body throws, or the driver's error; a commit whose answer was lost may have been made
 */
async function transact<T>(
  pool: Pool,
  keys: ReadonlySet<string> | undefined,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const locked = keys && new Set(keys);
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(pool, locked, body);
    } catch (error) {
      if (!isConflict(error) || tries >= TRIES) throw error;
      if (error instanceof Contended) for (const key of error.keys) locked?.add(key);
      await pause(Math.random() * 2 ** tries);
    }
  }
}

async function attempt<T>(
  pool: Pool,
  locked: ReadonlySet<string> | undefined,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const more = async (keys: readonly string[]): Promise<void> => {
    const wanted = locked === undefined ? [] : keys.filter((key) => !locked.has(key));
    if (wanted.length === 0) return;
    const { rows } = await client.query(tryLockStatement(wanted));
    if (rows[0]?.taken !== true) throw new Contended(wanted);
  };
  let broken: Error | undefined;
  try {
    await client.query(
      `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}; ${planning("LOCAL")}; ${lockStatement(locked)}`,
    );
    const result = await body(transactionOn(client, more));
    const { command } = await client.query("COMMIT");
    if (command !== "COMMIT") throw new Error("The transaction was rolled back: one of its statements had failed");
    return result;
  } catch (error) {
    broken = await client.query("ROLLBACK").then(
      () => undefined,
      (failed: Error) => failed,
    );
    throw error;
  } finally {
    client.release(broken ?? false);
  }
}

/** Runs the jobs as one transaction, or each alone when that fails and one of them may be to blame. */
async function settle(pool: Pool, jobs: readonly Job[]): Promise<void> {
  const keys = jobs[0]?.key === undefined ? undefined : new Set(jobs.flatMap(({ key }) => key ?? []));
  try {
    const done = await transact(pool, keys, (tx) => results(tx, jobs));
    for (const [job, result] of done) job.resolve(result as never);
  } catch (error) {
    if (jobs.length === 1 || isAway(error)) for (const job of jobs) job.reject(error);
    else for (const job of jobs) await settle(pool, [job]);
  }
}

async function results(tx: Transaction, jobs: readonly Job[]): Promise<[Job, unknown][]> {
  const done: [Job, unknown][] = [];
  for (const [work, group] of byWork(jobs)) {
    const items = group.map(({ item }) => item);
    const found = await work(tx, items);
    for (const [i, job] of group.entries()) done.push([job, found[i]]);
  }
  return done;
}

/**
 * PostgreSQL, through a pool of connections. Statements have no names, so it works behind PgBouncer in transaction mode.
 * @param url `postgres://user:password@host:port/database`
 * @throws Error with one sentence when the server cannot be used
 */
export async function openPostgres(url: string): Promise<Database> {
  const pool = await connect(url);
  await untilUp(() => assertFit(pool)).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const run = (jobs: readonly Job[]): Promise<void> => settle(pool, jobs);
  const keyed = createQueue({ run, parallel: BATCHES, max: BATCH_MAX });
  const alone = createQueue({ run, parallel: 1, max: ALONE_MAX });

  const append = <Item, Result>(work: Batch<Item, Result>, item: Item, key?: readonly string[]): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      const job: Job = { work: work as Batch<unknown, unknown>, item, key, resolve, reject };
      (key === undefined ? alone : keyed).add(job);
    });
  const transaction: Database["transaction"] = (body, key) => append(async (tx) => [await body(tx)], undefined, key);
  const reads = transactionOn(pool, async () => {});

  return {
    dialect: "postgres",
    lock: reads.lock,
    all: reads.all,
    each: reads.each,
    anyOf: reads.anyOf,
    run: (sql, ...values) => transaction((tx) => tx.run(sql, ...values)),
    runEach: (sql, lists) => transaction((tx) => tx.runEach(sql, lists)),
    transaction,
    append,
    // PostgreSQL takes back the room of deleted rows by itself (autovacuum).
    scrub: async () => true,
    async close() {
      for (const job of [...keyed.drop(), ...alone.drop()]) job.reject(new Error("The database was closed"));
      await pool.end();
    },
  };
}
