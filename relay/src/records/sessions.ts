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
