import type { Transaction } from "../db/database.ts";
import type { Visitor } from "./visitors.ts";

/** A returning visitor, and what is stored about them. The flags are 1, or true on PostgreSQL. */
export type ReturningVisitor = Visitor &
  Record<"revoked" | "email" | "rating" | "refused", number | boolean> &
  Record<"rotation" | "since", number | null>;

/**
 * Reads in one statement the data that decides whether a session is still valid, and the content of its `welcome`. `revoked`,
 * `rotation`, `since`: see `SessionState`. `email`, `rating`, `refused`: the visitor has an address, a rating, a refused form.
 * @returns undefined for a visitor without a row
 */
export async function findReturningVisitor(
  tx: Transaction,
  visitor: string,
  session: string,
): Promise<ReturningVisitor | undefined> {
  const [visitorRow] = await tx.all<ReturningVisitor>(
    `SELECT v.id, v.site, v.head, v.read, v.generation, v.contact, t.turn AS rotation, t.since,
       EXISTS (SELECT 1 FROM revoked r WHERE r.session = $2) AS revoked,
       EXISTS (SELECT 1 FROM details d WHERE d.visitor = v.id AND d.email IS NOT NULL) AS email,
       EXISTS (SELECT 1 FROM ratings r WHERE r.visitor = v.id) AS rating,
       EXISTS (SELECT 1 FROM leads l WHERE l.visitor = v.id AND l.state = 'refused') AS refused
     FROM visitors v LEFT JOIN session_turns t ON t.session = $2 WHERE v.id = $1`,
    visitor,
    session,
  );
  return visitorRow;
}

type SessionName = { session: string; visitor: string };

/** Ends a session before its token expires. @param expires when all its tokens have expired, milliseconds since 1970 */
export async function revoke(
  tx: Transaction,
  { session, visitor, expires, now }: SessionName & { expires: number; now: number },
): Promise<void> {
  await tx.run("DELETE FROM revoked WHERE expires < $1", now);
  await tx.run(
    "INSERT INTO revoked (session, expires, visitor) VALUES ($1, $2, $3) ON CONFLICT (session) DO NOTHING",
    session,
    expires,
    visitor,
  );
}

/** The number of rows about a visitor's sessions: ended ones, and those whose token was replaced. */
export async function countSessionRows(tx: Transaction, visitor: string): Promise<number> {
  const [row] = await tx.all<{ count: number }>(
    `SELECT (SELECT count(*) FROM revoked WHERE visitor = $1)
       + (SELECT count(*) FROM session_turns WHERE visitor = $1) AS count`,
    visitor,
  );
  return row?.count ?? 0;
}

/**
 * Deletes the rows about a visitor's sessions. Ended sessions would be valid again, so the caller makes all of them invalid in
 * the same transaction: it raises the visitor's generation, or deletes the visitor.
 */
export async function dropSessionRows(tx: Transaction, visitor: string): Promise<void> {
  await tx.run("DELETE FROM revoked WHERE visitor = $1", visitor);
  await tx.run("DELETE FROM session_turns WHERE visitor = $1", visitor);
}

/** The sessions among these that were ended. */
export async function revokedAmong(tx: Transaction, sessions: readonly string[]): Promise<Set<string>> {
  const rows = await tx.anyOf<{ session: string }>("SELECT session FROM revoked WHERE session = ANY ($1)", sessions);
  return new Set(rows.map(({ session }) => session));
}

/** Whether a session was ended, which of its tokens is in use, and since when (ms since 1970). The first token has rotation 0. */
export type SessionState = { revoked: boolean; rotation: number; since: number };

/** The state of a session, from the row of its visitor. */
export const sessionStateIn = ({ revoked, rotation, since }: ReturningVisitor): SessionState => ({
  revoked: Boolean(revoked),
  rotation: rotation ?? 0,
  since: since ?? 0,
});

/** Reads the state of a session whose visitor has no row. */
export async function findSessionState(tx: Transaction, session: string): Promise<SessionState> {
  const [row] = await tx.all<{ revoked: string | null; rotation: number | null; since: number | null }>(
    `SELECT r.session AS revoked, t.turn AS rotation, t.since FROM (SELECT CAST($1 AS TEXT) AS session) s
     LEFT JOIN revoked r ON r.session = s.session LEFT JOIN session_turns t ON t.session = s.session`,
    session,
  );
  return { revoked: (row?.revoked ?? null) !== null, rotation: row?.rotation ?? 0, since: row?.since ?? 0 };
}

/** Records that a newer token is in use. Never goes back to an older one. */
export async function recordRotation(
  tx: Transaction,
  { session, visitor, rotation, now, expires }: SessionName & { rotation: number; now: number; expires: number },
): Promise<void> {
  await tx.run("DELETE FROM session_turns WHERE expires < $1", now);
  await tx.run(
    `INSERT INTO session_turns (session, turn, since, expires, visitor) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (session)
     DO UPDATE SET turn = excluded.turn, since = excluded.since, expires = excluded.expires
     WHERE session_turns.turn < excluded.turn`,
    session,
    rotation,
    now,
    expires,
    visitor,
  );
}
