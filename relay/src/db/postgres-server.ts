import { setTimeout as pause } from "node:timers/promises";
import type { Pool } from "pg";

/** The connections to PostgreSQL, and the checks of the server before it is used. */

/** The oldest version that is supported upstream (postgresql.org/support/versioning). */
const OLDEST = 14;
/** A server that does not answer within this time counts as unavailable. */
const CONNECT_MS = 3_000;
/** The server ends a statement that takes longer (ms); migrations have a limit of their own. */
const STATEMENT_MS = 10_000;
/** How much longer this process waits for the answer to a statement (ms), so that the server is the first to end it. */
const ANSWER_MS = 1_000;
/**
 * PostgreSQL ends a transaction that is idle for this long (ms), because a node that hangs or has disappeared must not keep its
 * locks.
 */
const IDLE_MS = 2_500;
/** Types that the driver would return as text: int8 and numeric. No number here exceeds 2^53. */
const NUMBERS = new Set([20, 1700]);
/** cannot_connect_now: the server starts, or recovers from a crash. */
const STARTING = "57P03";
/** How long a starting relay waits for a server that is starting, and the interval of its attempts, in milliseconds. */
const STARTING_MS = 30_000;
const AGAIN_MS = 200;

/** The SQLSTATE of an error, or the code of a network error; empty without one. */
export const codeOf = (error: unknown): string => String((error as { code?: unknown })?.code ?? "");

/** Whether the server could not be reached or ended the connection, so any other statement would fail too. */
export const isAway = (error: unknown): boolean =>
  /^(08|57P0|53)|^E[A-Z]+$/.test(codeOf(error)) || /terminated|timeout|Connection ended/i.test(String(error));

/**
 * Settings of a session or a transaction.
 * - Every statement finds its rows by an index; with sequential scans, the planner would read whole tables while a young table
 *   has no statistics. Compiling a plan (`jit`) would take longer than any statement runs.
 * - A server does not notice that its client has gone while a statement waits for a lock. Without a limit of its own, every
 *   statement that a node gives up during another node's migration would keep its connection, until none is left.
 * @param limit how long a statement may take, in ms
 */
const settings = (scope: "LOCAL" | "SESSION", limit: number): string =>
  Object.entries({
    statement_timeout: limit,
    idle_in_transaction_session_timeout: IDLE_MS,
    enable_seqscan: "off",
    jit: "off",
  })
    .map(([name, value]) => `SET ${scope} ${name} = ${value}`)
    .join("; ");

/** A PostgreSQL server that passed the checks. */
export type Server = {
  pool: Pool;
  /** Begins a transaction; more statements may follow in the same text. `limit`: the transaction's own, see `connectTo`. */
  begin: (limit?: number) => string;
  /** Whether statements may be prepared: no pooler is between this process and the server. */
  direct: boolean;
};

/**
 * Connects to PostgreSQL. Waits up to 30 s while the server reports that it is starting.
 * @param connections at most
 * @param limit how long a statement may take, in ms
 * @throws Error with one sentence when the server cannot be used
 */
export async function connectTo(url: string, connections: number, limit = STATEMENT_MS): Promise<Server> {
  const pool = await openPool(url, connections, limit);
  try {
    const direct = await untilUp(() => assertFit(pool));
    const begin = (own?: number): string =>
      direct && own === undefined ? "BEGIN" : `BEGIN; ${settings("LOCAL", own ?? limit)}`;
    return { pool, direct, begin };
  } catch (error) {
    await pool.end();
    throw error instanceof Unfit ? error : unusable(url, error as Error);
  }
}

/** Server and database of an address, without user and password. */
export const placeOf = (url: string): string => {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
};

/** The server was reached, but would not keep what it acknowledges, or is too old. */
class Unfit extends Error {}

/** Why the server cannot be used, with its address and without the password. An error of several attempts has no message. */
const unusable = (url: string, cause: Error): Error =>
  new Error(
    `DATABASE_URL: PostgreSQL at ${placeOf(url)} cannot be used (${cause.message || codeOf(cause)}); start it, or correct the address`,
    { cause },
  );

async function openPool(url: string, connections: number, limit: number): Promise<Pool> {
  // The driver is loaded only where PostgreSQL is used.
  const { default: pg } = await import("pg");
  const types = {
    getTypeParser: ((oid: number, format?: "text") =>
      NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
  };
  // Statements are sent without waiting for earlier answers. The driver's types lack `pipeline`.
  const options: ConstructorParameters<typeof pg.Pool>[0] & { pipeline: boolean } = {
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: limit + ANSWER_MS,
    application_name: "porchlight",
    keepAlive: true,
    pipeline: true,
    types,
    // Behind a pooler in transaction mode this affects one of its connections at most, so each transaction repeats it.
    onConnect: async (client) => void (await client.query(settings("SESSION", limit))),
  };
  const pool = new pg.Pool(options);
  // After the end of a connection, its pending statement rejects, and the pool opens another connection when it needs one.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

/**
 * Checks the server.
 * @returns whether the connection is direct: a pooler reports another process id than the server
 * @throws Error with one sentence when this server would not keep what it acknowledges, or is too old
 */
async function assertFit(pool: Pool): Promise<boolean> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query(
      `SELECT current_setting('server_version_num')::bigint AS version, current_setting('synchronous_commit') AS sync,
         current_setting('server_encoding') AS encoding, pg_backend_pid() AS pid`,
    );
    const { version, sync, encoding, pid } = rows[0] as {
      version: number;
      sync: string;
      encoding: string;
      pid: number;
    };
    if (version < OLDEST * 10_000)
      throw new Unfit(`DATABASE_URL: PostgreSQL ${Math.floor(version / 10_000)} is too old; use ${OLDEST} or newer`);
    if (sync === "off")
      throw new Unfit("DATABASE_URL: synchronous_commit is off, so a crash would lose messages; turn it on");
    if (encoding !== "UTF8")
      throw new Unfit(`DATABASE_URL: the database's encoding is ${encoding}; create it with UTF8`);
    return (client as { processID?: number | null }).processID === pid;
  } finally {
    client.release();
  }
}

/** Repeats `work` while the server reports that it is starting. */
async function untilUp<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = STARTING_MS / AGAIN_MS; ; tries--) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== STARTING || tries <= 0) throw error;
    }
    await pause(AGAIN_MS);
  }
}
