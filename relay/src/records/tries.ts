import type { Transaction } from "../db/database.ts";

/**
 * An attempt to send a message that the service did not accept. `at`: milliseconds since 1970. `answer`: the service's status
 * and error; it begins with `NOT_SENT` when the relay itself held the message back.
 */
export type Try = { at: number; answer: string | null };

/** Prefix of the reason why the relay did not call the service. An answer of the service begins with its status. */
export const NOT_SENT = "not sent: ";

/** Prefix of an entry that is not an attempt: the message had failed and was sent again. The former `messageSid` follows. */
export const SENT_AGAIN = "sent again: ";

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

/** Number of failed calls to the service for a message. */
export async function countCalls(tx: Transaction, visitor: string, pos: number): Promise<number> {
  const sql = `SELECT count(*) AS count FROM tries WHERE visitor = $1 AND pos = $2
    AND (answer IS NULL OR (answer NOT LIKE '${NOT_SENT}%' AND answer NOT LIKE '${SENT_AGAIN}%'))`;
  const [row] = await tx.all<{ count: number }>(sql, visitor, pos);
  return row?.count ?? 0;
}

/** One slice of a search among the tries reads about so many of them. */
const SLICE = 20_000;

/**
 * Finds the messages that had a `messageSid` until they were sent again, in a slice of all tries, in the order of the visitors' ids.
 * @param after the visitor after whom the slice begins; empty: at the beginning
 * @returns the matches, and `next`, the visitor after whom the next slice begins; undefined after the last slice
 */
export async function messagesFormerly(
  tx: Transaction,
  sid: string,
  after: string,
): Promise<{ found: { visitor: string; id: string }[]; next: string | undefined }> {
  const sql = "SELECT visitor FROM tries WHERE visitor > $1 ORDER BY visitor LIMIT 1 OFFSET $2";
  const [last] = await tx.all<{ visitor: string }>(sql, after, SLICE);
  const found = await tx.all<{ visitor: string; id: string }>(
    `SELECT DISTINCT m.visitor, m.id FROM tries t JOIN messages m ON m.visitor = t.visitor AND m.pos = t.pos
     WHERE t.visitor > $1 AND (CAST($2 AS TEXT) IS NULL OR t.visitor <= $2) AND t.answer = $3`,
    after,
    last?.visitor ?? null,
    `${SENT_AGAIN}${sid}`,
  );
  return { found, next: last?.visitor };
}
