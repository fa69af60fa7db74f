/** A value that both databases store: text, number or nothing. */
export type Value = string | number | null;

/** Statements use `$1, $2, …` and the SQL that SQLite and PostgreSQL share (`ON CONFLICT`, `RETURNING`). */
export interface Transaction {
  /** The rows of a statement. */
  all<Row>(sql: string, ...values: Value[]): Promise<Row[]>;
  /** Runs a statement; resolves to the number of rows it changed. */
  run(sql: string, ...values: Value[]): Promise<number>;
}

export interface Database extends Transaction {
  readonly dialect: "sqlite" | "postgres";
  /**
   * Runs `body` all or nothing, and resolves once its writes are durable. Bodies that arrive together share one commit;
   * when one of them throws, the others run again without it. So a body awaits nothing but its transaction, and leaves
   * no trace outside it.
   */
  transaction<T>(body: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Closes at once: what has not been committed by now is not written, and its callers hear so. */
  close(): Promise<void>;
}
