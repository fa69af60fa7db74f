import { createHash } from "node:crypto";
import type { Pool, PoolClient, QueryResult } from "pg";
import type { Transaction, Value } from "./database.ts";
import { firstOfEach, spread } from "./unnest.ts";

/** Statements of records, as one connection of PostgreSQL runs them. */

/** Anything that runs a statement: the pool, or one connection of it. */
export type Runner = Pick<Pool | PoolClient, "query">;
export type Parameter = Value | readonly Value[];
/** Runs a statement with parameters. */
export type Query = (text: string, values: readonly Parameter[]) => Promise<QueryResult>;

/** Most texts that get a name. Hot statements are few; a search may have any number of texts. */
const NAMES_MAX = 500;

/** Gives texts the names under which a connection keeps their plans. @returns nothing for a text that has no name */
export type Names = (text: string) => string | undefined;

export function createNames(): Names {
  const names = new Map<string, string>();
  return (text) => {
    const known = names.get(text);
    if (known !== undefined || names.size >= NAMES_MAX) return known;
    const name = createHash("sha1").update(text).digest("hex");
    names.set(text, name);
    return name;
  };
}

/** PostgreSQL has no texts with NUL, and refuses the whole statement. What a stranger sends must not look like its failure. */
const storable = (value: Parameter): Parameter =>
  typeof value === "string"
    ? value.includes("\0")
      ? value.replaceAll("\0", "\ufffd")
      : value
    : Array.isArray(value)
      ? value.map((each) => storable(each) as Value)
      : value;

/** @param names absent: every statement is parsed and planned anew, as poolers in transaction mode need it */
export const queryOn =
  (runner: Runner, names?: Names): Query =>
  (text, values) => {
    const name = values.length === 0 ? undefined : names?.(text);
    return runner.query({ text, values: values.map(storable), ...(name !== undefined && { name }) });
  };

/** What a transaction does with statements: waits for an answer, or only has them sent. */
type Statements = {
  query: Query;
  /** Sends a statement whose answer nobody needs before the commit. */
  send: (text: string, values: readonly Parameter[]) => void;
  lock: Transaction["lock"];
};

/** What records work with inside a transaction. */
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
    send(text, values);
  },
});
