/** A value that both databases store: text, number or nothing. */
export type Value = string | number | null;

/** Statements use `$1, $2, …` and the SQL that SQLite and PostgreSQL share (`ON CONFLICT`, `RETURNING`). */
export interface Transaction {
  /** The rows of a statement. */
  all<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** Runs a statement; resolves to the number of rows it changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /**
   * Runs one statement for each list of values, in order, with one promise for all of them: on SQLite a prepared
   * statement in a loop, on PostgreSQL one statement over `unnest`.
   * @returns the first row of each run, or nothing where a run gave none
   */
  each<Row>(sql: string, lists: readonly (readonly Value[])[]): Promise<(Row | undefined)[]>;
  /**
   * The rows of one statement for a list of texts. The statement says `= ANY ($1)`, and nothing else of `$1`: PostgreSQL
   * gets the list as an array, on SQLite it becomes `IN (…)`.
   */
  anyOf<Row>(sql: string, list: readonly string[]): Promise<Row[]>;
  /** The same as `each` for a statement that gives no rows. No two lists change the same row. */
  runEach(sql: string, lists: readonly (readonly Value[])[]): Promise<void>;
  /**
   * Locks more than the transaction began with, until its end: what it reads of these keys afterwards, no other
   * transaction changes. Where another one holds them, the transaction begins again. Nothing to do on SQLite.
   * @param keys as for `Database.transaction`
   */
  lock(keys: readonly string[]): Promise<void>;
}

/**
 * Work on many items in one transaction: reads for all of them, then writes for all of them.
 * @returns one result for each item, in order
 */
export type Batch<Item, Result> = (tx: Transaction, items: readonly Item[]) => Promise<readonly Result[]>;

export interface Database extends Transaction {
  readonly dialect: "sqlite" | "postgres";
  /**
   * Of a database that is checked while it is used: resolves to the damage in words, or to nothing once it was found sound.
   * A damaged one takes no writes any more.
   */
  readonly damage?: Promise<string | undefined> | undefined;
  /**
   * Runs `body` all or nothing, and resolves once its writes are durable. Bodies that arrive together share one commit;
   * when one of them throws, the others run again without it. So a body awaits nothing but its transaction, and leaves
   * no trace outside it.
   * @param key what the body reads before it writes, by name: a visitor's id, mostly. On PostgreSQL, transactions whose
   *   keys differ run beside each other, and one without `key` runs alone in the whole cluster
   */
  transaction<T>(body: (tx: Transaction) => Promise<T>, key?: readonly string[]): Promise<T>;
  /**
   * The same for an operation that happens often: items that arrive together for the same `work` are handed to it as
   * one list. When `work` throws, it runs again for each item alone, so an item that fails fails alone.
   * @param work the same function for all items that may share a list
   * @param key as for `transaction`
   * @param patient nobody waits for the result: the item may wait a few milliseconds, to share the commit of others
   */
  append<Item, Result>(
    work: Batch<Item, Result>,
    item: Item,
    key?: readonly string[],
    patient?: boolean,
  ): Promise<Result>;
  /**
   * Leaves nothing of deleted rows in the database's files: what was deleted is overwritten, and the log that still holds
   * it is emptied. Cheap enough for every erasure.
   * @returns false when somebody else reads at this moment: to be tried again
   */
  scrub(): Promise<boolean>;
  /** Closes at once: what has not been committed by now is not written, and its callers hear so. */
  close(): Promise<void>;
}
