import type { Transaction } from "../db/database.ts";

/**
 * The answer to a request of the server API, for repeats with the same `Idempotency-Key` (IETF
 * draft-ietf-httpapi-idempotency-key-header).
 */
export type StoredAnswer = { status: number; body: string };
type Name = { token: string; key: string };

/** After this time (ms), the process of a request counts as ended, and a repeat runs the request again, which is safe. */
export const STALE_MS = 60_000;
/** Answers are kept for this long (ms). The credit ledger keeps its keys forever. */
const KEEP_MS = 7 * 86_400_000;

/**
 * Begins a request. @returns `busy` while the first request with this key is under way, `reused` for another request with
 * the same key, or the stored answer of the first one
 */
export async function beginRequest(
  tx: Transaction,
  { token, key, digest, path, now }: Name & { digest: string; path: string; now: number },
): Promise<"new" | "busy" | "reused" | StoredAnswer> {
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
export async function endRequest(tx: Transaction, { token, key }: Name, { status, body }: StoredAnswer): Promise<void> {
  await tx.run("UPDATE requests SET status = $3, body = $4 WHERE token = $1 AND key = $2", token, key, status, body);
}

/** Removes a request that failed, so that a repeat with the same key runs it again. */
export async function dropRequest(tx: Transaction, { token, key }: Name): Promise<void> {
  await tx.run("DELETE FROM requests WHERE token = $1 AND key = $2", token, key);
}

/** Number of answers that one slice reads, in a few milliseconds. */
const SLICE = 200;
/** The parts of a text that can be a visitor's id. */
const ID_WORDS = /\w+/g;

type Row = Name & { path: string; body: string | null };

/** A visitor as answers name them. `ids`: the visitor's, and those from before logins. `names`: contact id, email, phone. */
export type VisitorTraces = { ids: readonly string[]; names: readonly string[] };

/**
 * Creates a check of whether an answer is about a visitor: it answers a request below the visitor's path, or it contains an id or a
 * name. The answer to the erasure itself does not count, because it contains nothing personal.
 */
function matcherOf({ ids, names }: VisitorTraces): (row: Row) => boolean {
  const known = new Set(ids);
  const lower = [...new Set(names.map((name) => name.toLowerCase()))];
  return ({ path, body }) => {
    const below = path.split("/").slice(0, -1);
    if (below.some((part) => known.has(part))) return true;
    if (body === null) return false;
    const text = body.toLowerCase();
    return (body.match(ID_WORDS) ?? []).some((word) => known.has(word)) || lower.some((name) => text.includes(name));
  };
}

/** The place before the first answer, for `answersAbout`. */
export const FIRST_ANSWER: Name = { token: "", key: "" };

/**
 * Finds the stored answers about a visitor in a slice of all answers.
 * @param after the answer after which the slice begins
 * @returns the matches, and the answer after which the next slice begins; `next` is undefined when this slice was the last one
 */
export async function answersAbout(
  tx: Transaction,
  traces: VisitorTraces,
  after: Name,
): Promise<{ found: Name[]; next: Name | undefined }> {
  const rows = await tx.all<Row>(
    `SELECT token, key, path, body FROM requests WHERE (token, key) > ($1, $2) ORDER BY token, key LIMIT ${SLICE}`,
    after.token,
    after.key,
  );
  return { found: rows.filter(matcherOf(traces)), next: rows.length === SLICE ? rows.at(-1) : undefined };
}

/** The newest answers about a visitor: those to requests that began at `since` (ms since 1970) or later. */
export async function newAnswersAbout(tx: Transaction, traces: VisitorTraces, since: number): Promise<Name[]> {
  const rows = await tx.all<Row>("SELECT token, key, path, body FROM requests WHERE at >= $1", since);
  return rows.filter(matcherOf(traces));
}

/** Deletes stored answers. A repeat of such a request runs again. */
export const dropAnswers = (tx: Transaction, answers: readonly Name[]): Promise<void> =>
  tx.runEach(
    "DELETE FROM requests WHERE token = $1 AND key = $2",
    answers.map(({ token, key }) => [token, key]),
  );
