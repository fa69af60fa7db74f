import type { Transaction } from "../db/database.ts";

/** Lists that join several records, for the site owner. Only reads. */

export type VisitorRow = {
  id: string;
  created: number;
  /** How many messages the thread holds, in both directions. */
  messages: number;
  read: number;
  subject: string | null;
  contact: string | null;
  page: string | null;
  page_title: string | null;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  phone: string | null;
};
const VISITOR = `v.id, v.created, (SELECT count(*) FROM messages m WHERE m.visitor = v.id) AS messages, v.read, v.subject, v.contact, v.page, v.page_title, d.first_name AS "firstName", d.last_name AS "lastName", d.email, d.phone
  FROM visitors v LEFT JOIN details d ON d.visitor = v.id`;

/** A page of a site's visitors, newest first. `after`: the last visitor of the page before. */
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

/** Number of visitors of a site, or of all sites. */
export async function countVisitors(tx: Transaction, site?: string): Promise<number> {
  const sql = "SELECT count(*) AS count FROM visitors";
  const [row] = await (site === undefined
    ? tx.all<{ count: number }>(sql)
    : tx.all<{ count: number }>(`${sql} WHERE site = $1`, site));
  return row?.count ?? 0;
}

export async function visitorRow(tx: Transaction, site: string, id: string): Promise<VisitorRow | undefined> {
  const [row] = await tx.all<VisitorRow>(`SELECT ${VISITOR} WHERE v.site = $1 AND v.id = $2`, site, id);
  return row;
}

export const DELIVERY_STATES = ["waiting", "failed"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A visitor's message that the service has not accepted. */
export type DeliveryRow = {
  visitor: string;
  pos: number;
  id: string;
  state: DeliveryState;
  /** Number of tries. */
  attempts: number;
  /** Time of the next try, milliseconds since 1970; `null` once it failed. */
  due: number | null;
  reason: string | null;
  /** The service's answer at the last try. */
  error: string | null;
};

const DELIVERIES = `
  SELECT o.visitor, o.pos, m.id, 'waiting' AS state, o.attempts, o.due, NULL AS reason, o.error
  FROM outbox o JOIN messages m ON m.visitor = o.visitor AND m.pos = o.pos
  UNION ALL
  SELECT visitor, pos, id, 'failed' AS state, coalesce(attempts, 0), NULL AS due, reason, error
  FROM messages WHERE state = 'failed' AND discarded IS NULL`;

/** Messages that the service has not accepted: waiting and failed ones, or only those of one state. */
export async function deliveriesPage(
  tx: Transaction,
  query: { site: string; state?: DeliveryState; after?: { visitor: string; pos: number }; limit: number },
): Promise<DeliveryRow[]> {
  const { site, state = null, after, limit } = query;
  return tx.all(
    `SELECT d.visitor, d.pos, d.id, d.state, d.attempts, d.due, d.reason, d.error
     FROM (${DELIVERIES}) d JOIN visitors v ON v.id = d.visitor
     WHERE v.site = $1 AND d.state = coalesce($2, d.state) AND (d.visitor > $3 OR (d.visitor = $3 AND d.pos > $4))
     ORDER BY d.visitor, d.pos LIMIT $5`,
    site,
    state,
    after?.visitor ?? "",
    after?.pos ?? 0,
    limit,
  );
}

/** A message that was not accepted, as people read it. `at`: when it was written, milliseconds since 1970. */
export type OpenMessage = DeliveryRow & { site: string; at: number; text: string };

/** Part of a list: how many rows come before it, and how many it has at most. */
export type Slice = { skip: number; limit: number };

/** The failed messages of a site, or with null of all sites, newest first. */
export const failedMessages = (tx: Transaction, site: string | null, { skip, limit }: Slice): Promise<OpenMessage[]> =>
  tx.all(
    `SELECT m.visitor, m.pos, m.id, m.state, coalesce(m.attempts, 0) AS attempts, NULL AS due, m.reason, m.error,
       v.site, m.at, m.text
     FROM messages m JOIN visitors v ON v.id = m.visitor
     WHERE m.state = 'failed' AND m.discarded IS NULL AND v.site = coalesce($1, v.site)
     ORDER BY m.at DESC, m.visitor, m.pos LIMIT $2 OFFSET $3`,
    site,
    limit,
    skip,
  );

/** The waiting messages and reactions of a site, or with null of all sites, the oldest first. */
export const waitingMessages = (tx: Transaction, site: string | null, { skip, limit }: Slice): Promise<OpenMessage[]> =>
  tx.all(
    `SELECT o.visitor, o.pos, m.id, 'waiting' AS state, o.attempts, o.due, NULL AS reason, o.error, v.site, m.at, m.text
     FROM (
       SELECT visitor, turn, pos, attempts, due, expires, error FROM outbox
       WHERE CAST($1 AS TEXT) IS NULL OR visitor IN (SELECT id FROM visitors WHERE site = $1)
       ORDER BY expires, visitor, turn LIMIT $2 OFFSET $3
     ) o JOIN messages m ON m.visitor = o.visitor AND m.pos = o.pos JOIN visitors v ON v.id = o.visitor
     ORDER BY o.expires, o.visitor, o.turn`,
    site,
    limit,
    skip,
  );

/** Time of the newest reply from the service, milliseconds since 1970; undefined without a reply. */
export async function newestCallback(tx: Transaction): Promise<number | undefined> {
  const [row] = await tx.all<{ at: number | null }>(
    "SELECT max(at) AS at FROM messages WHERE author = 'reply' AND id LIKE 'r%'",
  );
  return row?.at ?? undefined;
}
