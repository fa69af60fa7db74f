import { createHash } from "node:crypto";
import type { Pool, PoolClient, QueryResult } from "pg";
import type { Transaction, Value } from "./database.ts";
import { firstOfEach, spread } from "./unnest.ts";

/** Runs the statements of records on a connection of PostgreSQL. */

/** Runs statements: the pool, or one of its connections. */
export type Runner = Pick<Pool | PoolClient, "query">;
/** A parameter of a statement: a value, or a list that PostgreSQL gets as an array. */
export type Parameter = Value | readonly Value[];
/** Runs a statement with parameters. */
export type Query = (text: string, values: readonly Parameter[]) => Promise<QueryResult>;

/** Most statements that get a name. Frequent statements are few; searches have any number of texts. */
const NAMES_MAX = 500;

/** Names statements: a connection keeps their plans under these names. @returns undefined for a statement without a name */
export type StatementNames = (text: string) => string | undefined;

/** Creates the names of statements for all connections of a pool. */
export function createNames(): StatementNames {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= NAMES_MAX) return known;
    const name = createHash("sha1").update(text).digest("hex");
    names.set(text, name);
    return name;
  };
}

/** Replaces NUL, because PostgreSQL refuses it: input from outside must not look like a failure of the database. */
export const storableText = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text);

const storable = (value: Parameter): Parameter =>
  typeof value === "string"
    ? storableText(value)
    : Array.isArray(value)
      ? value.map((each) => storable(each) as Value)
      : value;

/** Translates `unicode_lower`: by default `lower` folds only A to Z; with the collation `und-x-icu` it folds every script. */
const translated = (sql: string): string =>
  sql.includes("unicode_lower") ? sql.replaceAll(/\bunicode_lower\(([\w.]+)\)/g, 'lower($1 COLLATE "und-x-icu")') : sql;

/**
 * Creates a function that runs statements on a pool or a connection.
 * @param names absent: each statement is parsed and planned again, because a pooler in transaction mode requires it
 * @param limit how long the answer to a statement may take, in ms; absent: as long as the pool allows
 */
export const queryOn =
  (runner: Runner, names?: StatementNames, limit?: number): Query =>
  (sql, values) => {
    const text = translated(sql);
    const name = values.length === 0 ? undefined : names?.(text);
    // The driver's types lack the limit of one statement.
    const options = { ...(name !== undefined && { name }), ...(limit !== undefined && { query_timeout: limit }) };
    return runner.query({ text, values: values.map(storable), ...options });
  };

/** Runs a transaction's statements: waits for the answer, or only sends them. */
type Statements = {
  query: Query;
  /** Sends a statement whose answer is not needed before the commit. */
  send: (text: string, values: readonly Parameter[]) => Promise<void>;
  lock: Transaction["lock"];
};

/** The statements of a transaction with the interface that records use. */
export const transactionOn = ({ query, send, lock }: Statements): Transaction => ({
  lock,
  all: async <Row>(sql: string, ...values: Value[]) => (await query(sql, values)).rows as Row[],
  run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
  async each<Row>(sql: string, lists: readonly (readonly Value[])[]) {
    if (lists.length === 0) return [];
    const { text, values } = spread(sql, lists);
    return firstOfEach<Row>((await query(text, values)).rows, lists.length);
  },
  anyOf: async <Row>(sql: string, list: readonly string[]) =>
    list.length === 0 ? [] : ((await query(sql, [list])).rows as Row[]),
  async runEach(sql, lists) {
    if (lists.length === 0) return;
    const { text, values } = spread(sql, lists);
    await send(text, values);
  },
});
