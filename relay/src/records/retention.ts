import type { Transaction } from "../db/database.ts";

/** Data that a site keeps for a number of days. Times are milliseconds since 1970. */

/** Visitors that a slice of the search for old conversations looks at. */
const SLICE = 500;

/** Where the next slice begins. */
export type RetentionPlace = { created: number; id: string };

/**
 * Visitors of a slice whose newest message, or first visit, is older than `before`, and for whom nothing waits to be sent.
 * @returns the visitors, and where the next slice begins; nothing there after the last slice
 */
export async function staleVisitors(
  tx: Transaction,
  { site, before, after }: { site: string; before: number; after: RetentionPlace | undefined },
): Promise<{ found: string[]; next: RetentionPlace | undefined }> {
  const slice = await tx.all<RetentionPlace & { newest: number | null; waits: number }>(
    `SELECT v.created, v.id,
       (SELECT m.at FROM messages m WHERE m.visitor = v.id AND m.pos = (SELECT max(pos) FROM messages WHERE visitor = v.id)) AS newest,
       (SELECT count(*) FROM outbox o WHERE o.visitor = v.id) AS waits
     FROM visitors v WHERE v.site = $1 AND v.created < $2 AND (v.created > $3 OR (v.created = $3 AND v.id > $4))
     ORDER BY v.created, v.id LIMIT $5`,
    site,
    before,
    after?.created ?? -1,
    after?.id ?? "",
    SLICE,
  );
  const found = slice.filter(({ created, newest, waits }) => waits === 0 && (newest ?? created) < before);
  const last = slice.length < SLICE ? undefined : slice.at(-1);
  return { found: found.map(({ id }) => id), next: last && { created: last.created, id: last.id } };
}

const OLD = {
  files: "FROM media WHERE site = $1 AND created < $2 AND visitor IS NOT NULL",
  leads: "FROM leads WHERE site = $1 AND at < $2 AND state <> 'open'",
  mails: `FROM mails WHERE at < $2 AND state IN ('sent', 'failed', 'unknown')
    AND visitor IN (SELECT id FROM visitors WHERE site = $1)`,
} as const;
export type RetainedRows = keyof typeof OLD;

/** How many rows of a site are older than `before`. */
export async function countOld(tx: Transaction, kind: RetainedRows, site: string, before: number): Promise<number> {
  const [row] = await tx.all<{ count: number }>(`SELECT count(*) AS count ${OLD[kind]}`, site, before);
  return row?.count ?? 0;
}

/**
 * Deletes a site's rows that are older than `before`. A file loses its owner: its link ends now, and the next sweep removes
 * its bytes.
 * @returns how many
 */
export const dropOld = (tx: Transaction, kind: RetainedRows, site: string, before: number): Promise<number> =>
  tx.run(
    kind === "files"
      ? OLD.files.replace("FROM media WHERE", "UPDATE media SET visitor = NULL, name = '' WHERE")
      : `DELETE ${OLD[kind]}`,
    site,
    before,
  );
