import type { Transaction } from "../db/database.ts";

/** Pages over many records at once, for the owner's side. Read only. */

export type VisitorRow = {
  id: string;
  created: number;
  head: number;
  read: number;
  contact: string | null;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  phone: string | null;
};
const VISITOR = `v.id, v.created, v.head, v.read, v.contact, d.first_name AS "firstName", d.last_name AS "lastName", d.email, d.phone
  FROM visitors v LEFT JOIN details d ON d.visitor = v.id`;

/** A site's visitors, newest first, after the one that ended the page before. */
export async function visitorsPage(
  tx: Transaction,
  { site, after, limit }: { site: string; after?: { created: number; id: string }; limit: number },
): Promise<VisitorRow[]> {
  return tx.all(
    `SELECT ${VISITOR} WHERE v.site = $1 AND (v.created < $2 OR (v.created = $2 AND v.id < $3))
     ORDER BY v.created DESC, v.id DESC LIMIT $4`,
    site,
    after?.created ?? Number.MAX_SAFE_INTEGER,
    after?.id ?? "",
    limit,
  );
}

export async function visitorRow(tx: Transaction, site: string, id: string): Promise<VisitorRow | undefined> {
  const [row] = await tx.all<VisitorRow>(`SELECT ${VISITOR} WHERE v.site = $1 AND v.id = $2`, site, id);
  return row;
}

export type DeliveryRow = {
  visitor: string;
  pos: number;
  id: string;
  attempts: number;
  due: number | null;
  reason: string | null;
};
type After = { visitor: string; pos: number };

/** Messages that the service has not taken yet. */
export async function waitingPage(
  tx: Transaction,
  { site, after, limit }: { site: string; after?: After; limit: number },
): Promise<DeliveryRow[]> {
  return tx.all(
    `SELECT o.visitor, o.pos, m.id, o.attempts, o.due, NULL AS reason
     FROM outbox o JOIN visitors v ON v.id = o.visitor JOIN messages m ON m.visitor = o.visitor AND m.pos = o.pos
     WHERE v.site = $1 AND (o.visitor > $2 OR (o.visitor = $2 AND o.pos > $3)) ORDER BY o.visitor, o.pos LIMIT $4`,
    site,
    after?.visitor ?? "",
    after?.pos ?? 0,
    limit,
  );
}

/** Messages that failed and were not sent anew. */
export async function failedPage(
  tx: Transaction,
  { site, after, limit }: { site: string; after?: After; limit: number },
): Promise<DeliveryRow[]> {
  return tx.all(
    `SELECT m.visitor, m.pos, m.id, 0 AS attempts, NULL AS due, m.reason
     FROM messages m JOIN visitors v ON v.id = m.visitor
     WHERE v.site = $1 AND m.state = 'failed' AND (m.visitor > $2 OR (m.visitor = $2 AND m.pos > $3))
     ORDER BY m.visitor, m.pos LIMIT $4`,
    site,
    after?.visitor ?? "",
    after?.pos ?? 0,
    limit,
  );
}

/** When the newest reply came from the service, in milliseconds since 1970; nothing when none did yet. */
export async function newestCallback(tx: Transaction): Promise<number | undefined> {
  const [row] = await tx.all<{ at: number | null }>(
    "SELECT max(at) AS at FROM messages WHERE author = 'reply' AND id LIKE 'r%'",
  );
  return row?.at ?? undefined;
}
