import type { Transaction } from "../db/database.ts";

/** Ends a session before its token does. @param expires milliseconds since 1970 at which every token of it has ended */
export async function revoke(tx: Transaction, session: string, expires: number, now: number): Promise<void> {
  await tx.run("DELETE FROM revoked WHERE expires < $1", now);
  await tx.run(
    "INSERT INTO revoked (session, expires) VALUES ($1, $2) ON CONFLICT (session) DO NOTHING",
    session,
    expires,
  );
}

export async function isRevoked(tx: Transaction, session: string): Promise<boolean> {
  return (await tx.all("SELECT 1 FROM revoked WHERE session = $1", session)).length > 0;
}

/** Whether a session was ended, and which of its tokens is in use since when; the first one has turn 0. */
export type Standing = { revoked: boolean; turn: number; since: number };

export async function standingOf(tx: Transaction, session: string): Promise<Standing> {
  const [row] = await tx.all<{ revoked: string | null; turn: number | null; since: number | null }>(
    `SELECT r.session AS revoked, t.turn, t.since FROM (SELECT CAST($1 AS TEXT) AS session) s
     LEFT JOIN revoked r ON r.session = s.session LEFT JOIN session_turns t ON t.session = s.session`,
    session,
  );
  return { revoked: (row?.revoked ?? null) !== null, turn: row?.turn ?? 0, since: row?.since ?? 0 };
}

/** Somebody came back with a newer token: from now on it is the one in use. Never goes back to an older one. */
export async function takeTurn(
  tx: Transaction,
  { session, turn, now, expires }: { session: string; turn: number; now: number; expires: number },
): Promise<void> {
  await tx.run("DELETE FROM session_turns WHERE expires < $1", now);
  await tx.run(
    `INSERT INTO session_turns (session, turn, since, expires) VALUES ($1, $2, $3, $4) ON CONFLICT (session)
     DO UPDATE SET turn = excluded.turn, since = excluded.since, expires = excluded.expires
     WHERE session_turns.turn < excluded.turn`,
    session,
    turn,
    now,
    expires,
  );
}
