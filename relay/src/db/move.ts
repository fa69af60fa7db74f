import { hash } from "node:crypto";
import type { Database, Transaction, Value } from "./database.ts";
import { POSTGRES_NOW } from "./postgres-clock.ts";
import { storableText } from "./postgres-statements.ts";

/**
 * Copies a SQLite database into an empty PostgreSQL database, page by page. The transaction of each page also stores the
 * progress of its table in `meta`, so an interrupted move continues where it stopped.
 */

type Table = { name: string; columns: readonly string[]; key: readonly string[] };
type Row = Record<string, Value>;
/** Progress of copying or comparing: `rows` of the `total` rows of `table` are done. */
export type ReportProgress = (table: string, rows: number, total: number) => void;
/** A table that was copied: its number of rows, and the SHA-256 sum of all of them. */
export type MovedTable = { table: string; rows: number; hash: string };

/** Functions that a move calls. */
type Steps = {
  report: ReportProgress;
  /** Called before the first row is copied, but not when an interrupted move continues. It may add rows to the source. */
  onStart?: () => Promise<void>;
  /** Called in the target's transaction that ends the move. */
  onEnd?: (tx: Transaction, moved: MovedTable[]) => Promise<void>;
};

/** Rows that one statement reads. */
const PAGE_ROWS = 500;
/** Names in the target's `meta`: the id of the log that is moved, and the progress of a table. */
const SOURCE = "move.from";
const DONE = "done";
const progressName = (table: string): string => `move.at.${table}`;
/** Tables that refer to visitors come after `visitors`. `migrations` and SQLite's `sync_probe` are not copied. */
const FIRST = "visitors";

/** The tables of a SQLite database, in an order in which their rows can be inserted. */
async function tablesOf(sqlite: Database): Promise<Table[]> {
  const names = await sqlite.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('migrations', 'sync_probe')
     ORDER BY name <> '${FIRST}', name`,
  );
  return Promise.all(
    names.map(async ({ name }) => {
      const columns = await sqlite.all<{ name: string; pk: number }>(
        "SELECT name, pk FROM pragma_table_info($1)",
        name,
      );
      const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
      return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
    }),
  );
}

const countOf = async (db: Database, { name }: Table): Promise<number> =>
  (await db.all<{ rows: number }>(`SELECT count(*) AS rows FROM ${name} WHERE ${copiedRows(name)}`))[0]?.rows ?? 0;

/** The condition, in SQL, of the rows that are copied and compared: all but those that the move itself stores. */
const copiedRows = (table: string): string =>
  table === "meta" ? "name NOT LIKE 'move.%' AND name <> 'trial'" : "1 = 1";

/** The rows of a table after a key, in the order of the key. Both databases compare texts by their bytes. */
function pageAfter(db: Database, { name, columns, key }: Table, after: readonly Value[] | undefined): Promise<Row[]> {
  const beyond = after === undefined ? "" : `AND (${key.join(", ")}) > (${key.map((_, i) => `$${i + 1}`).join(", ")})`;
  return db.all<Row>(
    `SELECT ${columns.join(", ")} FROM ${name} WHERE ${copiedRows(name)} ${beyond} ORDER BY ${key.join(", ")} LIMIT ${PAGE_ROWS}`,
    ...(after ?? []),
  );
}

const keyIn = ({ key }: Table, row: Row): Value[] => key.map((column) => row[column] ?? null);

/** The row as the relay would store it on PostgreSQL, so that it finds the row again by the same texts. */
const storable = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "string" ? storableText(value) : value]),
  );

/** Copies the rows of a table that were not copied before. */
async function copyTable(from: Database, to: Database, table: Table, report: ReportProgress): Promise<void> {
  const total = await countOf(from, table);
  const [progress] = await to.all<{ value: string }>(
    "SELECT value FROM meta WHERE name = $1",
    progressName(table.name),
  );
  let after = progress === undefined ? undefined : (JSON.parse(progress.value) as Value[]);
  for (let rows = 0; ; ) {
    const page = await pageAfter(from, table, after);
    const last = page.at(-1);
    if (last === undefined) return;
    after = keyIn(table, last);
    const position = JSON.stringify(after);
    const conflict =
      table.name === "meta"
        ? "ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        : `ON CONFLICT (${table.key.join(", ")}) DO NOTHING`;
    await to.transaction(async (tx) => {
      await tx.run(
        `INSERT INTO ${table.name} (${table.columns.join(", ")})
         SELECT ${table.columns.join(", ")} FROM jsonb_populate_recordset(NULL::${table.name}, CAST($1 AS jsonb)) ${conflict}`,
        JSON.stringify(page.map(storable)),
      );
      await tx.run(
        "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        progressName(table.name),
        position,
      );
    });
    rows += page.length;
    report(table.name, rows, total);
  }
}

const sha256 = (text: string): bigint => BigInt(`0x${hash("sha256", text)}`);

/**
 * Counts a table, and adds up the SHA-256 of its rows. The sum does not depend on the order of the rows, which changes if a
 * text of a key is stored in another way.
 */
async function fingerprint(db: Database, table: Table): Promise<MovedTable> {
  let [rows, sum] = [0, 0n];
  for (let after: Value[] | undefined; ; ) {
    const page = await pageAfter(db, table, after);
    const last = page.at(-1);
    if (last === undefined) return { table: table.name, rows, hash: hash("sha256", String(sum)) };
    for (const row of page.map(storable)) sum += sha256(JSON.stringify(table.columns.map((column) => row[column])));
    rows += page.length;
    after = keyIn(table, last);
  }
}

/** Returns a row if a relay holds a lease now. */
const HELD = `SELECT 1 FROM leases WHERE until > ${POSTGRES_NOW} LIMIT 1`;

/**
 * Checks that no move into this database is unfinished. A relay on an unfinished copy would serve only a part of the
 * conversations, and the move could not continue.
 * @throws Error when a move into this database has not finished
 */
export async function assertMoved(db: Database): Promise<void> {
  const [source] = await db.all<{ value: string }>("SELECT value FROM meta WHERE name = $1", SOURCE);
  if (source === undefined || source.value === DONE) return;
  throw new Error(
    "DATABASE_URL: porchlight move into this database has not finished; run it again, or name an empty database",
  );
}

/**
 * Checks the target, and marks it as the target of this move.
 * @throws Error unless the target is empty and unused, or contains the beginning of the same move
 */
async function begin(from: Database, to: Database, { onStart }: Steps): Promise<void> {
  if ((await to.all(HELD)).length > 0)
    throw new Error("A relay uses the PostgreSQL database; stop it, and create an empty database");
  const [epoch] = await from.all<{ value: string }>("SELECT value FROM meta WHERE name = 'epoch'");
  const [source] = await to.all<{ value: string }>("SELECT value FROM meta WHERE name = $1", SOURCE);
  if (source !== undefined && source.value === epoch?.value) return;
  const [used] = await to.all("SELECT 1 FROM visitors LIMIT 1");
  if (source !== undefined || used !== undefined)
    throw new Error("The PostgreSQL database holds other conversations; create an empty one");
  await onStart?.();
  await to.run("INSERT INTO meta (name, value) VALUES ($1, $2)", SOURCE, epoch?.value ?? "");
}

/**
 * Copies all tables, and compares both databases by counts and hashes. An interrupted move continues where it stopped.
 * @param from SQLite; no relay may use it
 * @param to PostgreSQL with the schema of this version; no other program may use it
 * @returns the tables with their rows
 * @throws Error when the target contains other data, or when a table differs afterwards
 */
export async function moveDatabase(from: Database, to: Database, steps: Steps): Promise<MovedTable[]> {
  await begin(from, to, steps);
  const tables = await tablesOf(from);
  for (const table of tables) await copyTable(from, to, table, steps.report);
  const moved: MovedTable[] = [];
  for (const table of tables) {
    const [source, target] = await Promise.all([fingerprint(from, table), fingerprint(to, table)]);
    if (source.hash !== target.hash)
      throw new Error(
        `The table ${table.name} differs: ${source.rows} rows in SQLite, ${target.rows} in PostgreSQL. Create an empty database, and move again`,
      );
    moved.push(source);
  }
  // From now on, another move must not overwrite what a relay writes.
  await to.transaction(async (tx) => {
    await tx.run("DELETE FROM meta WHERE name LIKE 'move.at.%'");
    await tx.run("UPDATE meta SET value = $2 WHERE name = $1", SOURCE, DONE);
    await steps.onEnd?.(tx, moved);
  });
  return moved;
}
