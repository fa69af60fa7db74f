import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { PoolClient, QueryResult } from "pg";
import type { Batch, Database, Transaction } from "./database.ts";
import { lockStatement, tryLockStatement } from "./locks.ts";
import { createReads } from "./postgres-reads.ts";
import { codeOf, connectTo, isAway, type Server } from "./postgres-server.ts";
import {
  createNames,
  type Parameter,
  type Query,
  queryOn,
  type StatementNames,
  transactionOn,
} from "./postgres-statements.ts";
import { createQueue, type Job } from "./queue.ts";

/** Connections of a pool: `BATCHES_MAX` for batches, one for a transaction that runs alone, the others for reads. */
const POOL = 10;
/** Most batches at the same time. */
const BATCHES_MAX = 4;
/** Most items in one batch. Each holds a lock until the commit; the server's default limit is 6,400 locks. */
const BATCH_MAX = 100;
/** Most transactions that run alone and share one commit. They block all others, so the number is small. */
const ALONE_MAX = 32;
/** How long each statement of a long transaction may take, in ms. */
const LONG_MS = 3_600_000;
/** Most attempts of a transaction that conflicts with others. */
const TRIES_MAX = 10;
/** "cached plan must not change result type": a migration changed a table that a prepared statement reads. */
const OLD_PLAN = "0A000";
/**
 * read_only_sql_transaction: a hosted server makes all sessions read-only when its disk is full. An open session stays read-only
 * when the disk has room again.
 */
const READ_ONLY = "25006";
/** serialization_failure, deadlock_detected (postgresql.org/docs/current/errcodes-appendix.html). */
const CONFLICTS = new Set(["40001", "40P01", OLD_PLAN]);

/**
 * Another transaction holds a lock that this one requested after its first statement. This transaction starts again, and requests
 * all locks at its start.
 */
class Contended extends Error {
  readonly keys: readonly string[];
  constructor(keys: readonly string[]) {
    super("Another transaction holds these rows");
    this.keys = keys;
  }
}

const isConflict = (error: unknown): boolean => error instanceof Contended || CONFLICTS.has(codeOf(error));

/**
 * The server, and the names of its prepared statements; no names behind a pooler. `limit`: how long a statement may take, in ms;
 * absent: as long as the pool allows.
 */
type Postgres = Server & { names: StatementNames | undefined; limit?: number };

/** Groups jobs by their work, in the order of the first job of each. */
const byWork = (jobs: readonly Job[]): Map<Job["work"], Job[]> => Map.groupBy(jobs, ({ work }) => work);

/**
 * Runs `body` in its own transaction, and repeats it after a conflict with another transaction.
 * @param keys the locks that it takes; absent: it runs alone
 * @throws the error of the body or of the driver; after a lost answer to the COMMIT, the transaction may have been committed
 */
async function transact<T>(
  postgres: Postgres,
  keys: ReadonlySet<string> | undefined,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const locked = keys && new Set(keys);
  for (let tries = 1; ; tries++) {
    try {
      return await attempt(postgres, locked, body);
    } catch (error) {
      if (!isConflict(error) || tries >= TRIES_MAX) throw error;
      if (error instanceof Contended) for (const key of error.keys) locked?.add(key);
      await pause(Math.random() * 2 ** tries);
    }
  }
}

/** Collects the statements of a transaction that were sent without waiting for their answers. */
function createSent() {
  const sent: Promise<unknown>[] = [];
  let failed: { error: unknown } | undefined;
  return {
    add(answer: Promise<unknown>): void {
      sent.push(
        answer.catch((error: unknown) => {
          failed ??= { error };
        }),
      );
    },
    /** Waits for all answers. @returns the first failure, which is the cause of later ones */
    async failure(): Promise<{ error: unknown } | undefined> {
      await Promise.all(sent);
      return failed;
    },
  };
}

/**
 * Wraps a query: the statements of one tick of the event loop leave in one write, because each write costs a system call at both
 * ends, and wakes the server up.
 */
function sendingTogether(client: PoolClient, query: Query): Query {
  // The driver's types lack its connection.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  let isCorked = false;
  const leave = (): void => {
    isCorked = false;
    stream.uncork();
  };
  return (text, values) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(leave);
    }
    return query(text, values);
  };
}

/** Whether a statement changes nothing: it does no harm when the transaction did not begin. */
const isRead = (text: string): boolean => /^\s*SELECT\b/i.test(text);

/**
 * The statements of a transaction on a connection. Reads are sent without waiting for the transaction's begin, writes are not:
 * if its BEGIN was cancelled, PostgreSQL would commit each write alone. When the begin fails, the reads fail too. A read that
 * follows a write waits with it.
 * @param begun the answers to BEGIN and to the request for locks
 */
function statementsAfter(begun: Promise<unknown>, query: Query, sent: ReturnType<typeof createSent>) {
  let writes = false;
  let ended = false;
  const assertOpen = (): void => {
    if (ended) throw new Error("The transaction has ended");
  };
  return {
    query: async (text: string, values: readonly Parameter[]): Promise<QueryResult> => {
      writes ||= !isRead(text);
      if (writes) await begun;
      assertOpen();
      const answer = await query(text, values);
      await begun;
      return answer;
    },
    send: async (text: string, values: readonly Parameter[]): Promise<void> => {
      writes = true;
      await begun;
      assertOpen();
      sent.add(query(text, values));
    },
    /** Refuses further statements: they would be committed one by one. */
    end(): void {
      ended = true;
    },
  };
}

/**
 * Runs `body` in a transaction. Once it has begun, its writes and its COMMIT are sent without waiting for the statement
 * before them: PostgreSQL runs them in order, and a failure among them turns the COMMIT into a ROLLBACK.
 */
async function attempt<T>(
  { pool, begin, names, limit }: Postgres,
  locked: ReadonlySet<string> | undefined,
  body: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  const query = sendingTogether(client, queryOn(client, names, limit));
  const sent = createSent();
  const begun = Promise.all([query(begin(limit), []), query(...lockStatement(locked))]);
  sent.add(begun);
  const statements = statementsAfter(begun, query, sent);
  let broken: Error | boolean = false;
  try {
    const lock = async (keys: readonly string[]): Promise<void> => {
      const wanted = locked === undefined ? [] : keys.filter((key) => !locked.has(key));
      if (wanted.length === 0) return;
      const { rows } = await statements.query(tryLockStatement(wanted), []);
      if (rows[0]?.taken !== true) throw new Contended(wanted);
    };
    const result = await body(transactionOn({ ...statements, lock }));
    statements.end();
    const { command } = await query("COMMIT", []);
    const failure = await sent.failure();
    if (failure !== undefined) throw failure.error;
    if (command !== "COMMIT") throw new Error("The transaction was rolled back: one of its statements had failed");
    return result;
  } catch (thrown) {
    statements.end();
    const rollback = query("ROLLBACK", []);
    const error = (await sent.failure())?.error ?? thrown;
    broken = await rollback.then(
      // Replaces the connection if its plans or its mode are outdated.
      () => [OLD_PLAN, READ_ONLY].includes(codeOf(error)),
      (failed: Error) => failed,
    );
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Runs the jobs as one transaction. If one of them may have made it fail, runs each job alone. */
async function settle(postgres: Postgres, jobs: readonly Job[]): Promise<void> {
  const keys = jobs[0]?.key === undefined ? undefined : new Set(jobs.flatMap(({ key }) => key ?? []));
  try {
    const done = await transact(postgres, keys, (tx) => results(tx, jobs));
    for (const [job, result] of done) job.resolve(result as never);
  } catch (error) {
    if (jobs.length === 1 || isAway(error)) for (const job of jobs) job.reject(error);
    else for (const job of jobs) await settle(postgres, [job]);
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

/** Runs a statement outside of a transaction. Repeats it once if a migration made its plan invalid. */
const reading = ({ pool, names }: Postgres): ReturnType<typeof queryOn> => {
  const [prepared, plain] = [queryOn(pool, names), queryOn(pool)];
  return (text, values) =>
    prepared(text, values).catch((error: unknown) => {
      if (codeOf(error) !== OLD_PLAN) throw error;
      return plain(text, values);
    });
};

/**
 * Opens PostgreSQL with a pool of connections. Behind a pooler, such as PgBouncer in transaction mode, statements are not
 * prepared.
 * @param url `postgres://user:password@host:port/database`
 * @param connections most connections of the pool
 * @param limit how long a statement may take, in ms; absent: ten seconds
 * @throws Error with one sentence when the server cannot be used
 */
export async function openPostgres(url: string, connections = POOL, limit?: number): Promise<Database> {
  const server = await connectTo(url, connections, limit);
  const postgres: Postgres = { ...server, names: server.direct ? createNames() : undefined };
  const run = (jobs: readonly Job[]): Promise<void> => settle(postgres, jobs);
  const keyed = createQueue({ run, parallel: BATCHES_MAX, max: BATCH_MAX });
  const alone = createQueue({ run, parallel: 1, max: ALONE_MAX });

  const append = <Item, Result>(work: Batch<Item, Result>, item: Item, key?: readonly string[]): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      const job: Job = { work: work as Batch<unknown, unknown>, item, key, resolve, reject };
      (key === undefined ? alone : keyed).add(job);
    });
  const transaction: Database["transaction"] = (body, key) => append(async (tx) => [await body(tx)], undefined, key);

  return {
    dialect: "postgres",
    pooled: !server.direct,
    lock: async () => {},
    ...createReads(reading(postgres)),
    run: (sql, ...values) => transaction((tx) => tx.run(sql, ...values)),
    runEach: (sql, lists) => transaction((tx) => tx.runEach(sql, lists)),
    transaction,
    longTransaction: (body) => transact({ ...postgres, limit: LONG_MS }, undefined, body),
    append,
    // PostgreSQL reclaims the space of deleted rows itself (autovacuum).
    scrub: async () => true,
    async close() {
      for (const job of [...keyed.drop(), ...alone.drop()]) job.reject(new Error("The database was closed"));
      await postgres.pool.end();
    },
  };
}
