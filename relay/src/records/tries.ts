import type { Transaction } from "../db/database.ts";

/**
 * An attempt to send a message that the service did not accept. `at`: milliseconds since 1970. `answer`: the service's status
 * and error; it begins with `NOT_SENT` when the relay itself held the message back.
 */
export type Try = { at: number; answer: string | null };

/** Prefix of the reason why the relay did not call the service. An answer of the service begins with its status. */
export const NOT_SENT = "not sent: ";

/** Stores a failed attempt of a visitor's message at `pos`. Stores nothing when the message was erased. */
export async function addTry(tx: Transaction, visitor: string, pos: number, { at, answer }: Try): Promise<void> {
  await tx.run(
    `INSERT INTO tries (visitor, pos, attempt, at, answer)
     SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), coalesce(max(attempt), 0) + 1, CAST($3 AS BIGINT), CAST($4 AS TEXT) FROM tries WHERE visitor = $1 AND pos = $2
     HAVING EXISTS (SELECT 1 FROM messages WHERE visitor = $1 AND pos = $2)`,
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

/** Number of failed calls to the service for a message; without those that the relay held back. */
export async function countCalls(tx: Transaction, visitor: string, pos: number): Promise<number> {
  const sql = `SELECT count(*) AS count FROM tries WHERE visitor = $1 AND pos = $2
    AND (answer IS NULL OR answer NOT LIKE '${NOT_SENT}%')`;
  const [row] = await tx.all<{ count: number }>(sql, visitor, pos);
  return row?.count ?? 0;
}
