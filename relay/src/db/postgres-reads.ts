import type { Transaction, Value } from "./database.ts";
import { isAway } from "./postgres-server.ts";
import type { Query } from "./postgres-statements.ts";
import { firstOfEach, spread, spreadAll } from "./unnest.ts";

/**
 * Reads outside of transactions. Reads of the same SQL that arrive together become one statement, because planning and the
 * round trip cost more than the rows, above all when hundreds of visitors reconnect at once.
 */

/** Most statements of the same SQL at a time. Reads that arrive meanwhile become the next statement. */
const PARALLEL = 2;
/** Most reads in one statement. */
const TOGETHER_MAX = 100;

/** A read that waits. */
type Read = {
  values: readonly Value[];
  resolve: (rows: never) => void;
  reject: (error: unknown) => void;
};

type Group = { waiting: Read[]; running: number; scheduled: boolean };

/** Creates the methods of a database that read outside of transactions. @param query runs one statement */
export function createReads(query: Query): Pick<Transaction, "all" | "each" | "anyOf"> {
  const rowsOf = createGroups(
    async (sql, values) => (await query(sql, values)).rows,
    async (sql, lists) => {
      const { text, values } = spreadAll(sql, lists);
      const rows: { "#": number }[][] = lists.map(() => []);
      for (const row of (await query(text, values)).rows as { "#": number }[]) rows[row["#"] - 1]?.push(row);
      return rows.map((some) => some.map(({ "#": _, ...row }) => row));
    },
  );
  const firstRowOf = createGroups(
    async (sql, values) => (await firstRows(query, sql, [values]))[0],
    (sql, lists) => firstRows(query, sql, lists),
  );
  return {
    all: <Row>(sql: string, ...values: Value[]) =>
      isMergeable(sql, values) ? rowsOf<Row[]>(sql, values) : query(sql, values).then(({ rows }) => rows as Row[]),
    each: <Row>(sql: string, lists: readonly (readonly Value[])[]) => {
      const [only] = lists;
      return lists.length === 1 && only !== undefined && isMergeable(sql, only)
        ? firstRowOf<Row | undefined>(sql, only).then((row) => [row])
        : firstRows<Row>(query, sql, lists);
    },
    anyOf: async <Row>(sql: string, list: readonly string[]) =>
      list.length === 0 ? [] : ((await query(sql, [list])).rows as Row[]),
  };
}

async function firstRows<Row>(query: Query, sql: string, lists: readonly (readonly Value[])[]) {
  if (lists.length === 0) return [];
  const { text, values } = spread(sql, lists);
  return firstOfEach<Row>((await query(text, values)).rows, lists.length);
}

/** Whether a read can be merged. NULL has no type, so the type of its column would be unknown. */
const isMergeable = (sql: string, values: readonly Value[]): boolean =>
  values.length > 0 && values.every((value) => value !== null) && /^\s*SELECT\b/i.test(sql);

/** The types of the parameters. Reads of the same SQL are merged only when these are equal. */
const typesOf = (values: readonly Value[]): string => values.map((value) => typeof value).join();

/**
 * Creates a function that runs a read, grouped with other reads of the same SQL.
 * @param alone runs one read
 * @param together runs several; one result for each, in order
 */
function createGroups(
  alone: (sql: string, values: readonly Value[]) => Promise<unknown>,
  together: (sql: string, lists: readonly (readonly Value[])[]) => Promise<readonly unknown[]>,
) {
  const groups = new Map<string, Group>();

  async function run(sql: string, reads: readonly Read[]): Promise<void> {
    const [first] = reads;
    if (first === undefined) return;
    try {
      const lists = reads.map(({ values }) => values);
      const results = lists.length === 1 ? [await alone(sql, first.values)] : await together(sql, lists);
      for (const [i, { resolve }] of reads.entries()) resolve(results[i] as never);
    } catch (error) {
      // One of the reads may have caused the error, unless the server is unreachable.
      if (reads.length === 1 || isAway(error)) for (const { reject } of reads) reject(error);
      else await Promise.all(reads.map((read) => run(sql, [read])));
    }
  }

  function start(name: string, sql: string, group: Group): void {
    group.scheduled = false;
    const reads = group.waiting.splice(0, TOGETHER_MAX);
    group.running++;
    void run(sql, reads).finally(() => {
      group.running--;
      if (group.waiting.length > 0) schedule(name, sql, group);
      else if (group.running === 0 && groups.get(name) === group) groups.delete(name);
    });
    if (group.waiting.length > 0) schedule(name, sql, group);
  }

  function schedule(name: string, sql: string, group: Group): void {
    if (group.scheduled || group.running >= PARALLEL) return;
    group.scheduled = true;
    // After this tick of the event loop, so that reads that arrive together share a statement.
    setImmediate(start, name, sql, group);
  }

  return <Result>(sql: string, values: readonly Value[]): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      const name = `${typesOf(values)} ${sql}`;
      const group = groups.get(name) ?? { waiting: [], running: 0, scheduled: false };
      groups.set(name, group);
      group.waiting.push({ values, resolve, reject });
      schedule(name, sql, group);
    });
}
