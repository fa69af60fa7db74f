import type { Transaction } from "../db/database.ts";

/** Requests of the server API by their `Idempotency-Key` (IETF draft-ietf-httpapi-idempotency-key-header). */
export type Stored = { status: number; body: string };
type Name = { token: string; key: string };

/** After this the process that began a request is gone, and the request may be done again: its flows are safe to repeat. */
const STALE_MS = 60_000;
/** Answers are kept this long. The credit ledger keeps its keys for ever. */
const KEEP_MS = 7 * 86_400_000;

/**
 * Begins a request, or says why not: `busy` while the first one is under way, `reused` for another request under the same
 * key, or the answer that was given.
 */
export async function beginRequest(
  tx: Transaction,
  { token, key, digest, now }: Name & { digest: string; now: number },
): Promise<"new" | "busy" | "reused" | Stored> {
  await tx.run("DELETE FROM requests WHERE at < $1", now - KEEP_MS);
  const fresh = await tx.run(
    `INSERT INTO requests (token, key, digest, at) VALUES ($1, $2, $3, $4) ON CONFLICT (token, key) DO NOTHING`,
    token,
    key,
    digest,
    now,
  );
  if (fresh === 1) return "new";
  const [row] = await tx.all<{ digest: string; at: number; status: number | null; body: string | null }>(
    "SELECT digest, at, status, body FROM requests WHERE token = $1 AND key = $2",
    token,
    key,
  );
  if (row === undefined) return "busy";
  if (row.digest !== digest) return "reused";
  if (row.status !== null) return { status: row.status, body: row.body ?? "" };
  if (row.at > now - STALE_MS) return "busy";
  await tx.run("UPDATE requests SET at = $3 WHERE token = $1 AND key = $2", token, key, now);
  return "new";
}

/** Keeps the answer for repeats. */
export async function endRequest(tx: Transaction, { token, key }: Name, { status, body }: Stored): Promise<void> {
  await tx.run("UPDATE requests SET status = $3, body = $4 WHERE token = $1 AND key = $2", token, key, status, body);
}

/** Nothing was done: the same key may try again. */
export async function dropRequest(tx: Transaction, { token, key }: Name): Promise<void> {
  await tx.run("DELETE FROM requests WHERE token = $1 AND key = $2", token, key);
}

/** Forgets the answers that name a visitor. A repeat of such a request is done anew, and finds nobody. */
export async function forgetRequests(tx: Transaction, visitor: string): Promise<void> {
  await tx.run("DELETE FROM requests WHERE body LIKE '%' || $1 || '%'", visitor);
}
