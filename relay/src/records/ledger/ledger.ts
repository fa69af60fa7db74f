import type { Transaction } from "../../db/database.ts";

/**
 * Calls that must never be made twice, because the service has no idempotency key for them: grants of credits, and messages
 * of the site owner (RELIABILITY 3c).
 *
 *   received ──► intent ──claim──► calling ──► done
 *      │            ▲                 ├──► intent    certainly not made
 *      ▼            └── a person      ├──► unknown   unclear: a late answer or a person settles it
 *   dismissed                         └──► refused   the service will not do it, until a person corrects it
 *
 * Each step is one statement with the state that it starts from, so two processes never both take it.
 */

/** The kinds of calls: a grant of credits, or a message of the site owner. */
export type LedgerKind = "grant" | "send";
/** The state of an entry; see the diagram. */
export type LedgerState = "received" | "intent" | "calling" | "done" | "unknown" | "refused" | "dismissed";

/**
 * The outcome of a call that must not be made twice. `done`: the service did it. `again`: it certainly did not, and a later
 * attempt may succeed. `refused`: it certainly did not, and no later attempt can succeed. `unknown`: it may have done it.
 */
export type LedgerVerdict =
  | { kind: "done"; result: Record<string, unknown> }
  | { kind: "again"; reason: string; waitMs?: number }
  | { kind: "refused"; reason: string }
  | { kind: "unknown"; reason: string };

/**
 * A call that must not be made twice. `lane`: calls of one lane never run at the same time. `digest`: of the request, to
 * recognise a repeat.
 */
export type LedgerEntry = {
  kind: LedgerKind;
  account: string;
  key: string;
  lane: string;
  digest: string;
  /** JSON: the content of the call. */
  content: string;
  state: LedgerState;
  reason: string | null;
  /** JSON: the service's answer. */
  result: string | null;
  /** Of a sent message: the key of the reply that shows it in the thread. */
  shown: string | null;
  /** Of a sent message: the key of the callback that came back for it. */
  echo: string | null;
  /** The process that makes or made the call. */
  node: string | null;
  attempts: number;
  /** Milliseconds since 1970, as all times here. */
  due: number;
  created: number;
  changed: number;
};

/** A step in the history of an entry. `at`: milliseconds since 1970. */
export type LedgerStep = { state: LedgerState; at: number; actor: string; reason: string | null };
type Name = Pick<LedgerEntry, "kind" | "account" | "key">;

/** Lock of the transactions that change an account's entries (`Database.transaction`). */
export const ledgerKey = (account: string): string => `ledger ${account}`;

const COLUMNS =
  "kind, account, key, lane, digest, content, state, reason, result, shown, echo, node, attempts, due, created, changed";

/** Adds a step to an entry's history. */
async function addStep(tx: Transaction, { kind, account, key }: Name, step: LedgerStep): Promise<void> {
  await tx.run(
    `INSERT INTO ledger_history (kind, account, key, step, at, state, actor, reason)
     SELECT $1, $2, $3, count(*) + 1, CAST($4 AS BIGINT), $5, $6, $7 FROM ledger_history WHERE kind = $1 AND account = $2 AND key = $3`,
    kind,
    account,
    key,
    step.at,
    step.state,
    step.actor,
    step.reason,
  );
}

type NewEntry = Name &
  Pick<LedgerEntry, "lane" | "digest" | "content" | "state" | "reason"> & { actor: string; now: number };

/** Stores an entry, once per key. @returns `fresh: false` with the stored entry when the key is known */
export async function addEntry(tx: Transaction, entry: NewEntry): Promise<{ entry: LedgerEntry; fresh: boolean }> {
  const { kind, account, key, lane, digest, content, state, reason, actor, now } = entry;
  const [written] = await tx.all<LedgerEntry>(
    `INSERT INTO ledger (kind, account, key, lane, digest, content, state, reason, due, created, changed)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $9) ON CONFLICT (kind, account, key) DO NOTHING RETURNING ${COLUMNS}`,
    kind,
    account,
    key,
    lane,
    digest,
    content,
    state,
    reason,
    now,
  );
  if (written !== undefined) {
    await addStep(tx, entry, { state, at: now, actor, reason });
    return { entry: written, fresh: true };
  }
  const known = await findEntry(tx, entry);
  if (known === undefined) throw new Error("The ledger entry could neither be written nor read");
  return { entry: known, fresh: false };
}

/** The account's entry of this kind with this idempotency key; undefined when there is none. */
export async function findEntry(tx: Transaction, { kind, account, key }: Name): Promise<LedgerEntry | undefined> {
  const [entry] = await tx.all<LedgerEntry>(
    `SELECT ${COLUMNS} FROM ledger WHERE kind = $1 AND account = $2 AND key = $3`,
    kind,
    account,
    key,
  );
  return entry;
}

/**
 * The condition that no call of an entry's lane is under way. With `ordered`, no earlier intent of the lane may wait either. It
 * has two parts, so that the first one is answered from the index `ledger_calling`.
 */
function laneIsFree(ordered: boolean): string {
  const other = (condition: string): string =>
    `NOT EXISTS (SELECT 1 FROM ledger o WHERE o.kind = ledger.kind AND o.account = ledger.account AND o.lane = ledger.lane
       AND ${condition})`;
  if (!ordered) return other("o.state = 'calling'");
  const earlier = "(o.created < ledger.created OR (o.created = ledger.created AND o.key < ledger.key))";
  return `${other("o.state = 'calling'")} AND ${other(`o.state = 'intent' AND ${earlier}`)}`;
}

/**
 * Claims an entry for one call. Commit the claim before the first byte is sent.
 * @param given.ordered whether an earlier intent of the lane must be called first
 * @returns the claimed entry; undefined when another process has claimed it, or when a call of its lane is under way
 */
export async function claim(
  tx: Transaction,
  { kind, account, key, node, now, ordered }: Name & { node: string; now: number; ordered: boolean },
): Promise<LedgerEntry | undefined> {
  const [entry] = await tx.all<LedgerEntry>(
    `UPDATE ledger SET state = 'calling', node = $4, attempts = attempts + 1, changed = $5, reason = NULL
     WHERE kind = $1 AND account = $2 AND key = $3 AND state = 'intent' AND ${laneIsFree(ordered)}
     RETURNING ${COLUMNS}`,
    kind,
    account,
    key,
    node,
    now,
  );
  if (entry !== undefined) await addStep(tx, entry, { state: "calling", at: now, actor: node, reason: null });
  return entry;
}

type Next = { state: LedgerState; reason: string | null; due: number; result?: string; actor: string; now: number };

/**
 * Stores the outcome of a call. Only the process that made the call may do so, even if it was considered dead meanwhile: a late
 * answer still counts.
 * @returns the entry's new state; undefined when the step was not possible
 */
export async function settle(tx: Transaction, called: LedgerEntry, next: Next): Promise<LedgerEntry | undefined> {
  const [entry] = await tx.all<LedgerEntry>(
    `UPDATE ledger SET state = $6, reason = $7, due = $8, result = coalesce($9, result), changed = $10
     WHERE kind = $1 AND account = $2 AND key = $3 AND node = $4 AND attempts = $5 AND state IN ('calling', 'unknown')
     RETURNING ${COLUMNS}`,
    called.kind,
    called.account,
    called.key,
    called.node,
    called.attempts,
    next.state,
    next.reason,
    next.due,
    next.result ?? null,
    next.now,
  );
  if (entry !== undefined)
    await addStep(tx, called, { state: next.state, at: next.now, actor: next.actor, reason: next.reason });
  return entry;
}

/** Takes a step outside a call, from one of the states `from`. @returns the entry; undefined when it is in none of them */
export async function transition(
  tx: Transaction,
  name: Name,
  from: readonly LedgerState[],
  next: Next & { lane?: string; content?: string },
): Promise<LedgerEntry | undefined> {
  const [entry] = await tx.all<LedgerEntry>(
    `UPDATE ledger SET state = $4, reason = $5, due = $6, result = coalesce($7, result), changed = $8,
       lane = coalesce($9, lane), content = coalesce($10, content)
     WHERE kind = $1 AND account = $2 AND key = $3 AND state IN (${from.map((state) => `'${state}'`).join(", ")})
     RETURNING ${COLUMNS}`,
    name.kind,
    name.account,
    name.key,
    next.state,
    next.reason,
    next.due,
    next.result ?? null,
    next.now,
    next.lane ?? null,
    next.content ?? null,
  );
  if (entry === undefined) return undefined;
  await addStep(tx, name, { state: next.state, at: next.now, actor: next.actor, reason: next.reason });
  return entry;
}

/** Sets when an entry is due. Nothing else about it changes, so its history gets no step. */
export async function postpone(tx: Transaction, { kind, account, key }: Name, due: number): Promise<void> {
  await tx.run("UPDATE ledger SET due = $4 WHERE kind = $1 AND account = $2 AND key = $3", kind, account, key, due);
}

/** Why a step was not possible: there is no such entry, or it is in another state. */
export type TransitionProblem = "missing" | "wrong_state";
/** Finds out why `transition` was not possible. */
export const transitionProblem = async (tx: Transaction, name: Name): Promise<TransitionProblem> =>
  (await findEntry(tx, name)) === undefined ? "missing" : "wrong_state";

/**
 * The condition of the index `ledger_open`, which contains the entries that are not finished. A statement uses the index only if
 * it repeats this condition: without it, the search for due entries reads the whole ledger, every five seconds.
 */
const LEDGER_OPEN = "state IN ('received', 'intent', 'calling', 'unknown')";

/** Accounts with calls under way that another process than `node` began. */
export async function accountsCalling(tx: Transaction, kind: LedgerKind, node: string): Promise<string[]> {
  const rows = await tx.all<{ account: string }>(
    "SELECT DISTINCT account FROM ledger WHERE kind = $1 AND state = 'calling' AND COALESCE(node, '') <> $2",
    kind,
    node,
  );
  return rows.map(({ account }) => account);
}

/**
 * Makes calls of an account `unknown` if another process than `node` began them, because only `node` works for the account now.
 * They never return to `intent`, because the service cannot tell a late first call from a second one.
 */
export async function abandon(
  tx: Transaction,
  { kind, account, node, now }: { kind: LedgerKind; account: string; node: string; now: number },
): Promise<LedgerEntry[]> {
  const reason = "the process that called is gone";
  const lost = await tx.all<LedgerEntry>(
    `UPDATE ledger SET state = 'unknown', reason = $4, changed = $5
     WHERE kind = $1 AND account = $2 AND state = 'calling' AND COALESCE(node, '') <> $3 RETURNING ${COLUMNS}`,
    kind,
    account,
    node,
    reason,
    now,
  );
  for (const entry of lost) await addStep(tx, entry, { state: "unknown", at: now, actor: node, reason });
  return lost;
}

/** Due entries that wait for a decision, earliest first; at most `limit`. */
export async function undecidedEntries(
  tx: Transaction,
  { kind, now, limit }: { kind: LedgerKind; now: number; limit: number },
): Promise<LedgerEntry[]> {
  return tx.all(
    `SELECT ${COLUMNS} FROM ledger
     WHERE ${LEDGER_OPEN} AND kind = $1 AND state = 'received' AND due <= $2 ORDER BY due, created, key LIMIT $3`,
    kind,
    now,
    limit,
  );
}

/**
 * Due intents of an account that `claim` would accept now, earliest first; at most `limit`. Entries that must wait for their lane
 * are left out: they would use up permits in vain, and hide the entries of other lanes.
 * @param query.ordered as in `claim`
 */
export async function claimableEntries(
  tx: Transaction,
  query: { kind: LedgerKind; account: string; now: number; ordered: boolean; limit: number },
): Promise<LedgerEntry[]> {
  const { kind, account, now, ordered, limit } = query;
  return tx.all(
    `SELECT ${COLUMNS} FROM ledger WHERE ${LEDGER_OPEN} AND kind = $1 AND state = 'intent' AND due <= $2 AND account = $3
       AND ${laneIsFree(ordered)} ORDER BY due, created, key LIMIT $4`,
    kind,
    now,
    account,
    limit,
  );
}

/** Makes entries due that wait because the service refused the account's key. @returns their number */
export async function retryRefusedKey(
  tx: Transaction,
  { kind, account, now }: { kind: LedgerKind; account: string; now: number },
): Promise<number> {
  return tx.run(
    `UPDATE ledger SET due = $3
     WHERE kind = $1 AND account = $2 AND state = 'intent' AND due > $3 AND (reason LIKE '401:%' OR reason LIKE '3__:%')`,
    kind,
    account,
    now,
  );
}

/** A page of entries, newest first. `before`: the last entry of the previous page. */
export async function entriesPage(
  tx: Transaction,
  query: {
    kind: LedgerKind;
    account: string;
    state?: LedgerState;
    before?: { created: number; key: string };
    skip?: number;
    limit: number;
  },
): Promise<LedgerEntry[]> {
  const { kind, account, state, before, skip = 0, limit } = query;
  return tx.all(
    `SELECT ${COLUMNS} FROM ledger
     WHERE kind = $1 AND account = $2 AND (created, key) < ($3, $4) ${state === undefined ? "" : "AND state = $7"}
     ORDER BY created DESC, key DESC LIMIT $5 OFFSET $6`,
    kind,
    account,
    before?.created ?? Number.MAX_SAFE_INTEGER,
    before?.key ?? "",
    limit,
    skip,
    ...(state === undefined ? [] : [state]),
  );
}

/** A lane's entries, newest first; all of them without a limit. */
export async function laneEntries(
  tx: Transaction,
  kind: LedgerKind,
  lane: string,
  limit: number = Number.MAX_SAFE_INTEGER,
): Promise<LedgerEntry[]> {
  return tx.all(
    `SELECT ${COLUMNS} FROM ledger WHERE kind = $1 AND lane = $2 ORDER BY created DESC, key DESC LIMIT $3`,
    kind,
    lane,
    limit,
  );
}

/** The sent message that is shown by the reply with this key (`shown`). @param lanes the visitor's ids, old ones too */
export async function entryShownAs(
  tx: Transaction,
  lanes: readonly string[],
  external: string,
): Promise<LedgerEntry | undefined> {
  const sql = `SELECT ${COLUMNS} FROM ledger WHERE kind = 'send' AND lane = $1 AND shown = $2`;
  const found = await tx.each<LedgerEntry>(
    sql,
    lanes.map((lane) => [lane, external]),
  );
  return found.find((entry) => entry !== undefined);
}

/** An entry's steps, oldest first. */
export async function historyOf(tx: Transaction, { kind, account, key }: Name): Promise<LedgerStep[]> {
  return tx.all(
    "SELECT state, at, actor, reason FROM ledger_history WHERE kind = $1 AND account = $2 AND key = $3 ORDER BY step",
    kind,
    account,
    key,
  );
}

/** Stores the key of the reply that shows a sent message, or of the one that came back for it. */
export async function linkReply(tx: Transaction, name: Name, field: "shown" | "echo", external: string): Promise<void> {
  await tx.run(
    `UPDATE ledger SET ${field} = $4 WHERE kind = $1 AND account = $2 AND key = $3`,
    name.kind,
    name.account,
    name.key,
    external,
  );
}

/** Deletes the texts of an erased person's entries, and ends those that were not called. The keys stay. */
export async function eraseLane(tx: Transaction, kind: LedgerKind, lane: string): Promise<void> {
  await tx.run(
    `UPDATE ledger SET content = '{"site":"","text":""}', result = NULL,
       state = CASE state WHEN 'intent' THEN 'refused' ELSE state END WHERE kind = $1 AND lane = $2`,
    kind,
    lane,
  );
}

/** Never due: only a person moves such an entry. */
export const NEVER_DUE = Number.MAX_SAFE_INTEGER;
/** An intent that is older than this (ms) does not only wait for its permit: something is wrong. */
const OVERDUE_MS = 15 * 60_000;
/** Longer than any call takes: 60 s for the answer, plus connecting and reading. */
const LONGEST_CALL_MS = 150_000;

/**
 * Entries that need a person, oldest first: the outcome is unknown, a decision is missing, the service refuses them (4xx except
 * 429), they have waited for 15 minutes, or their call never ended.
 */
export async function stuckEntries(
  tx: Transaction,
  query: { kind: LedgerKind; account?: string; state?: LedgerState; now: number; limit: number },
): Promise<LedgerEntry[]> {
  const { kind, account = null, state = null, now, limit } = query;
  const asked = "kind = $1 AND account = coalesce($2, account) AND state = coalesce($3, state)";
  return tx.all(
    `SELECT ${COLUMNS} FROM (
       SELECT ${COLUMNS} FROM ledger WHERE ${LEDGER_OPEN} AND ${asked} AND (
         state = 'unknown' OR (state = 'received' AND due = $4) OR (state = 'calling' AND changed < $5)
         OR (state = 'intent' AND (created < $6 OR (reason LIKE '4%' AND reason NOT LIKE '429%'))))
       UNION ALL SELECT ${COLUMNS} FROM ledger WHERE state = 'refused' AND kind = 'grant' AND ${asked}) stuck
     ORDER BY created, key LIMIT $7`,
    kind,
    account,
    state,
    NEVER_DUE,
    now - LONGEST_CALL_MS,
    now - OVERDUE_MS,
    limit,
  );
}

/** Counts the unfinished and the refused entries in each state. */
export async function countStates(tx: Transaction, kind: LedgerKind): Promise<Partial<Record<LedgerState, number>>> {
  const rows = await tx.all<{ state: LedgerState; count: number }>(
    `SELECT state, count(*) AS count FROM ledger WHERE kind = $1
       AND state IN ('received', 'intent', 'calling', 'unknown', 'refused') GROUP BY state`,
    kind,
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}
