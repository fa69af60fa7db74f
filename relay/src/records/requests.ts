import type { Transaction } from "../db/database.ts";

/** Requests of the server API by their `Idempotency-Key` (IETF draft-ietf-httpapi-idempotency-key-header). */
export type Stored = { status: number; body: string };
type Name = { token: string; key: string };

/**
 * After this time (ms), the process of a request counts as ended, and the request may run again: its flows are safe to repeat.
 */
const STALE_MS = 60_000;
/** Answers are kept this long. The credit ledger keeps its keys forever. */
const KEEP_MS = 7 * 86_400_000;

/**
 * Begins a request. @returns `busy` while the first request with this key is under way, `reused` for another request with
 * the same key, or the stored answer of the first one
 */
export async function beginRequest(
  tx: Transaction,
  { token, key, digest, path, now }: Name & { digest: string; path: string; now: number },
): Promise<"new" | "busy" | "reused" | Stored> {
  await tx.run("DELETE FROM requests WHERE at < $1", now - KEEP_MS);
  const fresh = await tx.run(
    `INSERT INTO requests (token, key, digest, at, path) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (token, key) DO NOTHING`,
    token,
    key,
    digest,
    now,
    path,
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

/** Stores the answer for repeats. */
export async function endRequest(tx: Transaction, { token, key }: Name, { status, body }: Stored): Promise<void> {
  await tx.run("UPDATE requests SET status = $3, body = $4 WHERE token = $1 AND key = $2", token, key, status, body);
}

/** Removes a request that failed: the same key may try again. */
export async function dropRequest(tx: Transaction, { token, key }: Name): Promise<void> {
  await tx.run("DELETE FROM requests WHERE token = $1 AND key = $2", token, key);
}

/** Rows that are read at once. */
const PAGE = 500;
/** The parts of a text that can be a visitor's id. */
const WORDS = /\w+/g;

type Row = { token: string; key: string; path: string; body: string | null };

/**
 * Deletes the stored answers about a visitor: those to requests below the visitor's path, and those that contain an id or a
 * name. A repeat of such a request finds no visitor. The answer to the erasure itself stays: it contains nothing personal.
 * Reads every answer once, however many ids the visitor has (A27).
 * @param ids the visitor's id, and those from before logins
 * @param names what else identifies the person: contact id, e-mail, phone
 */
export async function forgetRequests(tx: Transaction, ids: readonly string[], names: readonly string[]): Promise<void> {
  const known = new Set(ids);
  const lower = [...new Set(names.map((name) => name.toLowerCase()))];
  const isAbout = ({ path, body }: Row): boolean => {
    const below = path.split("/").slice(0, -1);
    if (below.some((part) => known.has(part))) return true;
    if (body === null) return false;
    const text = body.toLowerCase();
    return (body.match(WORDS) ?? []).some((word) => known.has(word)) || lower.some((name) => text.includes(name));
  };
  let last: Pick<Row, "token" | "key"> | undefined = { token: "", key: "" };
  while (last !== undefined) {
    const rows: Row[] = await tx.all<Row>(
      `SELECT token, key, path, body FROM requests WHERE (token, key) > ($1, $2) ORDER BY token, key LIMIT ${PAGE}`,
      last.token,
      last.key,
    );
    last = rows.length === PAGE ? rows.at(-1) : undefined;
    await tx.runEach(
      "DELETE FROM requests WHERE token = $1 AND key = $2",
      rows.filter(isAbout).map(({ token, key }) => [token, key]),
    );
  }
}
