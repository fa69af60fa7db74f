import type { Transaction } from "../db/database.ts";

/** An attempt to send a message that the service did not accept. `at`: milliseconds since 1970. */
export type Try = { at: number; answer: string | null };

/** Stores a failed attempt of a visitor's message at `pos`. */
export async function addTry(tx: Transaction, visitor: string, pos: number, { at, answer }: Try): Promise<void> {
  await tx.run(
    `INSERT INTO tries (visitor, pos, attempt, at, answer)
     SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), coalesce(max(attempt), 0) + 1, CAST($3 AS BIGINT), CAST($4 AS TEXT) FROM tries WHERE visitor = $1 AND pos = $2`,
    visitor,
    pos,
    at,
    answer,
  );
}

/** The newest failed attempts of a message, oldest first; at most `limit`. */
export async function triesOf(tx: Transaction, visitor: string, pos: number, limit: number): Promise<Try[]> {
  const sql = "SELECT at, answer FROM tries WHERE visitor = $1 AND pos = $2 ORDER BY attempt DESC LIMIT $3";
  return (await tx.all<Try>(sql, visitor, pos, limit)).reverse();
}
