/** A value that both databases can store. */
export type Value = string | number | null;

/**
 * A transaction. Statements use `$1, $2, …` and only SQL that both SQLite and PostgreSQL accept (`ON CONFLICT`, `RETURNING`).
 * `unicode_lower(column)` is the text in lower case; the faster `lower` changes only A to Z. `strpos(text, part)` is the
 * position of a part, from 1; 0 if the text does not contain it.
 */
export interface Transaction {
  /** Runs a statement; resolves to its rows. */
  all<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** Runs a statement; resolves to the number of rows it changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
  /**
   * Runs one statement for each list of values, in order, with one promise for all of them: on SQLite a prepared
   * statement in a loop, on PostgreSQL one statement over `unnest`.
   * @returns the first row of each run; undefined for a run without rows
   */
  each<Row>(sql: string, lists: readonly (readonly Value[])[]): Promise<(Row | undefined)[]>;
  /**
   * Runs one statement for a list of texts; resolves to its rows. The statement uses `$1` only as `= ANY ($1)`: PostgreSQL gets
   * the list as an array, and for SQLite it becomes `IN (…)`.
   */
  anyOf<Row>(sql: string, list: readonly string[]): Promise<Row[]>;
  /** Like `each`, for a statement that returns no rows. No two lists may change the same row. */
  runEach(sql: string, lists: readonly (readonly Value[])[]): Promise<void>;
  /**
   * Locks further keys until the end of the transaction: no other transaction changes what this one reads of them afterwards.
   * If another transaction holds them, this one starts again. Does nothing on SQLite.
   * @param keys as for `Database.transaction`
   */
  lock(keys: readonly string[]): Promise<void>;
}

/**
 * Processes many items in one transaction: reads for all of them, then writes for all of them.
 * @returns one result for each item, in order
 */
export type Batch<Item, Result> = (tx: Transaction, items: readonly Item[]) => Promise<readonly Result[]>;

/** A database. Its own `all`, `each` and `anyOf` read outside of transactions; its own writes are transactions without a key. */
export interface Database extends Transaction {
  readonly dialect: "sqlite" | "postgres";
  /** A pooler is between this process and PostgreSQL, so LISTEN may receive nothing. */
  readonly pooled?: boolean;
  /**
   * The check of the file, which runs while the database is used. Resolves to a description of the damage, or to undefined when
   * the file is intact. A damaged database accepts no more writes.
   */
  readonly damage?: Promise<string | undefined> | undefined;
  /**
   * Runs `body` as one transaction; resolves once its writes are durable. Bodies that arrive together share one commit; if one
   * of them throws, the others run again without it. So a body may await only its transaction, and must have no other effects.
   * @param key names of what the body reads before it writes, usually a visitor's id. On PostgreSQL, transactions with
   *   different keys run in parallel, and a transaction without `key` runs alone in the whole cluster
   */
  transaction<T>(body: (tx: Transaction) => Promise<T>, key?: readonly string[]): Promise<T>;
  /**
   * Like `transaction` without a key, for a migration: each of its statements, and its wait for others, may take an hour. On
   * PostgreSQL, a statement of any other transaction fails after ten seconds, so it does not wait for the end of a migration.
   */
  longTransaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Like `transaction`, for a frequent operation: `work` gets the items that arrive together as one list. If `work` throws, it
   * runs again for each item alone, so one failing item does not affect the others.
   * @param work the same function for all items that may share a list
   * @param key as for `transaction`
   * @param mayWait the result is not urgent: the item may wait a few milliseconds, to share the commit of others
   */
  append<Item, Result>(
    work: Batch<Item, Result>,
    item: Item,
    key?: readonly string[],
    mayWait?: boolean,
  ): Promise<Result>;
  /**
   * Removes deleted rows from the database's files: overwrites them, and empties the log, which still contains them. Cheap
   * enough for every erasure.
   * @returns false when another connection is reading; the caller must try again in that case
   */
  scrub(): Promise<boolean>;
  /** Closes at once. Work that is not committed yet is not written, and its promises reject. */
  close(): Promise<void>;
}
