import type { Value } from "./database.ts";

/** A statement for many lists of values: its text, and one array for each parameter. */
export type Spread = { text: string; values: Value[][] };

/** The schema uses only these two types, so the values of a column show its type. */
const typeOf = (column: readonly Value[]): "bigint" | "text" =>
  column.some((value) => typeof value === "number") ? "bigint" : "text";

/** The statement with its parameters replaced by the columns of the unnested arrays. */
const withColumns = (sql: string): string => sql.replace(/\$(\d+)/g, "u.p$1");

/** Inserts `clause` before the first WHERE of an UPDATE or DELETE. */
function beforeWhere(sql: string, clause: string): string {
  const at = sql.search(/\bWHERE\b/i);
  if (at < 0) throw new Error(`A statement for many rows needs a WHERE: ${sql}`);
  return `${sql.slice(0, at)}${clause} ${sql.slice(at)}`;
}

/** `INSERT … VALUES (…)` as `INSERT … SELECT … FROM` the arrays; what follows the list of values stays. */
function spreadInsert(sql: string, from: string): string {
  const match = /^([\s\S]*?)\bVALUES\s*\(([^()]*)\)([\s\S]*)$/i.exec(sql);
  if (match === null) return beforeWhere(sql, `FROM ${from}`);
  const [, head, list, tail] = match;
  return `${head} SELECT ${list} FROM ${from} ${tail}`;
}

function rewritten(sql: string, from: string, rows: "first" | "all"): string {
  const text = withColumns(sql.trim());
  const [verb = ""] = /^\w+/.exec(text) ?? [];
  switch (verb.toUpperCase()) {
    case "SELECT": {
      const limit = rows === "first" ? " LIMIT 1" : "";
      return `SELECT r.*, u.item AS "#" FROM ${from} CROSS JOIN LATERAL (SELECT * FROM (${text}) q${limit}) r`;
    }
    case "INSERT":
      return spreadInsert(text, from);
    case "UPDATE":
      return beforeWhere(text, `FROM ${from}`);
    case "DELETE":
      return beforeWhere(text, `USING ${from}`) + (/\bRETURNING\b/i.test(text) ? ', u.item AS "#"' : "");
    default:
      throw new Error(`A statement for many rows cannot begin with ${verb}`);
  }
}

const statements = new Map<string, string>();

/**
 * Converts a statement that runs once for each list of values into one PostgreSQL statement. A SELECT returns the first row of
 * each run. Its rows, and those of a DELETE with RETURNING, have the number of their list, from 1, as `#`.
 *
 * All rows are changed at once, so two lists must not change the same row.
 * @param sql with `$1, $2, …`; the WHERE of an UPDATE or DELETE is its first one
 * @param lists at least one
 * @throws Error when the statement has another shape
 */
export const spread = (sql: string, lists: readonly (readonly Value[])[]): Spread => spreadRows(sql, lists, "first");

/** Like `spread`, for a SELECT that returns all rows. Each row names its list as `#`; rows of one list keep their order. */
export const spreadAll = (sql: string, lists: readonly (readonly Value[])[]): Spread => spreadRows(sql, lists, "all");

function spreadRows(sql: string, lists: readonly (readonly Value[])[], rows: "first" | "all"): Spread {
  const width = lists[0]?.length ?? 0;
  const values = Array.from({ length: width }, (_, i) => lists.map((list) => list[i] ?? null));
  const types = values.map(typeOf);
  const name = `${rows} ${types.join()} ${sql}`;
  let text = statements.get(name);
  if (text === undefined) {
    const arrays = types.map((type, i) => `$${i + 1}::${type}[]`).join(", ");
    const columns = types.map((_, i) => `p${i + 1}`).join(", ");
    text = rewritten(sql, `unnest(${arrays}) WITH ORDINALITY AS u(${columns}, item)`, rows);
    statements.set(name, text);
  }
  return { text, values };
}

/** The first row of each of `count` lists. The rows have the number of their list, from 1, as `#`. */
export function firstOfEach<Row>(rows: readonly { "#": number }[], count: number): (Row | undefined)[] {
  const found = new Array<Row | undefined>(count).fill(undefined);
  for (const { "#": item, ...row } of rows) found[item - 1] = row as Row;
  return found;
}
