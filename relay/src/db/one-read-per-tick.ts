import { limitConcurrency } from "../base/concurrency.ts";
import type { Database, Value } from "./database.ts";

/**
 * Wraps a database: its reads outside of transactions take turns, one statement per tick of the event loop, however many callers
 * wait. SQLite reads on the event loop: fifty searches of an operator at once, or ninety lists of the server API,
 * would delay visitors for seconds (RELIABILITY A24).
 */
export function oneReadPerTick(db: Database): Database {
  const oneAtATime = limitConcurrency(1);
  return {
    ...db,
    all: <Row>(sql: string, ...values: Value[]): Promise<Row[]> =>
      oneAtATime(() => db.all<Row>(sql, ...values).finally(() => new Promise((resolve) => setImmediate(resolve)))),
  };
}
