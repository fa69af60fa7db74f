import type { Pool } from "pg";

/** The connections to PostgreSQL, and what is asked of the server before it is used. */

/** The oldest version that is supported upstream (postgresql.org/support/versioning). */
const OLDEST = 14;
/** A server that does not answer within this time counts as unavailable. */
const CONNECT_MS = 3_000;
const STATEMENT_MS = 10_000;
/**
 * PostgreSQL ends a transaction that says nothing for so long: a node that stands still, or is gone without a word, must
 * not keep its locks.
 */
const IDLE_MS = 2_500;
/** Types that this driver would return as text: int8 and numeric. No number here exceeds 2^53. */
const NUMBERS = new Set([20, 1700]);
/** cannot_connect_now: the server starts, or recovers from a crash. */
const STARTING = "57P03";
/** How long a relay that starts waits for such a server, and how often it asks. */
const STARTING_MS = 30_000;
const AGAIN_MS = 200;

/** The SQLSTATE of an error, or the code of a network error; empty without one. */
export const codeOf = (error: unknown): string => String((error as { code?: unknown })?.code ?? "");

/** Whether the server could not be reached, or ended the connection: no other statement would do better now. */
export const isAway = (error: unknown): boolean =>
  /^(08|57P0|53)|^E[A-Z]+$/.test(codeOf(error)) || /terminated|timeout|Connection ended/i.test(String(error));

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Settings of a session or of a transaction. Every statement finds its rows by an index; without statistics, on a young
 * table, the planner would read whole tables instead. Compiling a plan takes longer than any statement runs.
 */
const settings = (scope: "LOCAL" | "SESSION"): string =>
  `SET ${scope} idle_in_transaction_session_timeout = ${IDLE_MS}; SET ${scope} enable_seqscan = off; SET ${scope} jit = off`;

export type Server = {
  pool: Pool;
  /** Begins a transaction; more statements may follow in the same text. */
  begin: string;
  /** Statements may be prepared: no pooler stands between this process and the server. */
  direct: boolean;
};

/**
 * Connects to PostgreSQL. While the server says that it is starting, waits up to 30 s.
 * @param connections at most
 * @throws Error with one sentence when the server cannot be used
 */
export async function connectTo(url: string, connections: number): Promise<Server> {
  const pool = await openPool(url, connections);
  try {
    const direct = await untilUp(() => assertFit(pool));
    return { pool, direct, begin: direct ? "BEGIN" : `BEGIN; ${settings("LOCAL")}` };
  } catch (error) {
    await pool.end();
    throw error;
  }
}

async function openPool(url: string, connections: number): Promise<Pool> {
  // The driver is loaded only where PostgreSQL is used.
  const { default: pg } = await import("pg");
  const types = {
    getTypeParser: ((oid: number, format?: "text") =>
      NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
  };
  // The types of the driver do not know `pipeline` yet: a statement is sent without waiting for the one before it.
  const options: ConstructorParameters<typeof pg.Pool>[0] & { pipeline: boolean } = {
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS,
    application_name: "porchlight",
    keepAlive: true,
    pipeline: true,
    types,
    // Behind a pooler in transaction mode this reaches one of its connections at most, so transactions say it again.
    onConnect: async (client) => void (await client.query(settings("SESSION"))),
  };
  const pool = new pg.Pool(options);
  // A connection ended: the pool makes another one when it needs it, and the statement under way rejects.
  pool.on("error", () => {});
  pool.on("connect", (client) => void client.on("error", () => {}));
  return pool;
}

/**
 * Checks the server.
 * @returns whether the connection is direct: a pooler tells its clients another process id than the server's own
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
      throw new Error(`DATABASE_URL: PostgreSQL ${Math.floor(version / 10_000)} is too old; use ${OLDEST} or newer`);
    if (sync === "off")
      throw new Error("DATABASE_URL: synchronous_commit is off, so a crash would lose messages; turn it on");
    if (encoding !== "UTF8")
      throw new Error(`DATABASE_URL: the database's encoding is ${encoding}; create it with UTF8`);
    return (client as { processID?: number | null }).processID === pid;
  } finally {
    client.release();
  }
}

/** Repeats `work` while the server says that it is starting. */
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
