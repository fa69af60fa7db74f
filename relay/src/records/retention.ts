import type { Transaction } from "../db/database.ts";

/** Data that a site keeps for a number of days. Times are milliseconds since 1970. */

/** Visitors per step of the search for old conversations, and rows that one transaction deletes. */
const SLICE = 500;

/** Where the next slice begins. */
export type RetentionCursor = { created: number; id: string };

type StaleRow = RetentionCursor & { newest: number | null; waits: number };

/** A visitor, the time of the newest message, and whether something of theirs waits to be sent or is being sent. */
const STALE = `SELECT v.created, v.id,
    (SELECT m.at FROM messages m WHERE m.visitor = v.id AND m.pos = (SELECT max(pos) FROM messages WHERE visitor = v.id)) AS newest,
    CASE WHEN EXISTS (SELECT 1 FROM outbox o WHERE o.visitor = v.id)
      OR EXISTS (SELECT 1 FROM leads l WHERE l.visitor = v.id AND l.state = 'open')
      OR EXISTS (SELECT 1 FROM mails m WHERE m.visitor = v.id AND m.state IN ('waiting', 'sending'))
      OR EXISTS (SELECT 1 FROM events e WHERE e.visitor = v.id AND e.state = 'waiting')
      OR EXISTS (SELECT 1 FROM ledger g WHERE g.kind = 'send' AND g.lane = v.id AND g.state IN ('received', 'intent', 'calling'))
      THEN 1 ELSE 0 END AS waits
  FROM visitors v`;

const isOld = ({ created, newest, waits }: StaleRow, before: number): boolean =>
  waits === 0 && (newest ?? created) < before;

/**
 * Visitors of a slice whose newest message, or first visit, is older than `before`, and for whom nothing waits to be sent.
 * @returns the visitors, and `next`, where the next slice begins; undefined after the last slice
 */
export async function staleVisitors(
  tx: Transaction,
  { site, before, after }: { site: string; before: number; after: RetentionCursor | undefined },
): Promise<{ found: string[]; next: RetentionCursor | undefined }> {
  const slice = await tx.all<StaleRow>(
    `${STALE} WHERE v.site = $1 AND v.created < $2 AND (v.created, v.id) > ($3, $4)
     ORDER BY v.created, v.id LIMIT $5`,
    site,
    before,
    after?.created ?? -1,
    after?.id ?? "",
    SLICE,
  );
  const found = slice.filter((row) => isOld(row, before));
  const last = slice.length < SLICE ? undefined : slice.at(-1);
  return { found: found.map(({ id }) => id), next: last && { created: last.created, id: last.id } };
}

/** Whether `staleVisitors` would find this visitor. */
export async function isStale(tx: Transaction, visitor: string, before: number): Promise<boolean> {
  const [row] = await tx.all<StaleRow>(`${STALE} WHERE v.id = $1`, visitor);
  return row !== undefined && isOld(row, before);
}

const OLD = {
  files: `FROM media WHERE site = $1 AND created < $2 AND visitor IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM outbox o JOIN messages m ON m.visitor = o.visitor AND m.pos = o.pos
      WHERE o.visitor = media.visitor AND m.media = media.key)`,
  leads: "FROM leads WHERE site = $1 AND at < $2 AND state <> 'open'",
  mails: `FROM mails WHERE at < $2 AND state IN ('sent', 'failed', 'unknown')
    AND visitor IN (SELECT id FROM visitors WHERE site = $1)`,
} as const;
/** The kinds of rows that `dropOld` deletes by age. */
export type RetainedRows = keyof typeof OLD;

/** Number of rows of a site that are older than `before`. */
export async function countOld(tx: Transaction, kind: RetainedRows, site: string, before: number): Promise<number> {
  const [row] = await tx.all<{ count: number }>(`SELECT count(*) AS count ${OLD[kind]}`, site, before);
  return row?.count ?? 0;
}

const KEYS = { files: "key", leads: "visitor, id", mails: "id" } as const;

/**
 * Deletes at most `SLICE` rows of a site that are older than `before`. A file only loses its owner: its link stops working now, and
 * the next sweep removes its bytes.
 * @returns the number of rows, for `wasLast`
 */
export function dropOld(tx: Transaction, kind: RetainedRows, site: string, before: number): Promise<number> {
  const chosen = `WHERE (${KEYS[kind]}) IN (SELECT ${KEYS[kind]} ${OLD[kind]} LIMIT ${SLICE})`;
  const sql =
    kind === "files" ? `UPDATE media SET visitor = NULL, name = '' ${chosen}` : `DELETE FROM ${kind} ${chosen}`;
  return tx.run(sql, site, before);
}

/**
 * Deletes at most `SLICE` finished mails or webhook events, of all sites, that are older than `before`.
 * @returns the number of rows, as `dropOld` does
 */
export const dropFinished = (tx: Transaction, table: "mails" | "events", before: number): Promise<number> =>
  tx.run(
    `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE at < $1 AND state <> 'waiting' LIMIT ${SLICE})`,
    before,
  );

/** Whether a slice was the last one. @param dropped the number of rows that were deleted */
export const wasLast = (dropped: number): boolean => dropped < SLICE;
