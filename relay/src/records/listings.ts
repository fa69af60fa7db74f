import { DELIVERY_STATES, type DeliveryState } from "../base/delivery-states.ts";
import type { Transaction } from "../db/database.ts";
import { filtered, SLICE_ROWS } from "../db/slices.ts";

/** Lists that join several records, for the site owner. Only reads. */

/** A visitor as the owner's backend and the operator see it. */
export type ListedVisitor = {
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
  /** A deletion has begun, so parts may be missing: 1, or true on PostgreSQL. */
  deleting: number | boolean;
};
const VISITOR = `v.id, v.created, (SELECT count(*) FROM messages m WHERE m.visitor = v.id) AS messages, v.read, v.subject, v.contact, v.page, v.page_title, d.first_name AS "firstName", d.last_name AS "lastName", d.email, d.phone,
  EXISTS (SELECT 1 FROM deletions x WHERE x.visitor = v.id) AS deleting
  FROM visitors v LEFT JOIN details d ON d.visitor = v.id`;

/** A page of a site's visitors, newest first. `after`: the last visitor of the previous page. */
export async function visitorsPage(
  tx: Transaction,
  { site, after, limit }: { site: string; after?: { created: number; id: string }; limit: number },
): Promise<ListedVisitor[]> {
  return tx.all(
    `SELECT ${VISITOR} WHERE v.site = $1 AND (v.created, v.id) < ($2, $3)
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

/** The visitor with this id, as the lists show them; undefined when the site has no such visitor. */
export async function findListedVisitor(tx: Transaction, site: string, id: string): Promise<ListedVisitor | undefined> {
  const [row] = await tx.all<ListedVisitor>(`SELECT ${VISITOR} WHERE v.site = $1 AND v.id = $2`, site, id);
  return row;
}

/**
 * Whether data of a visitor that was read in several steps is complete. A deletion that began meanwhile removes the oldest parts
 * first, and may have been cancelled again; a login moves everything to the user.
 * @param read the visitor's row, which was read first
 * @param messages how many messages were read
 */
export async function isStillComplete(tx: Transaction, read: ListedVisitor, messages: number): Promise<boolean> {
  if (messages < read.messages) return false;
  const sql = `SELECT 1 FROM visitors WHERE id = $1 AND created = $2
    AND NOT EXISTS (SELECT 1 FROM deletions WHERE visitor = $1)`;
  return !read.deleting && (await tx.all(sql, read.id, read.created)).length > 0;
}

/** A visitor's message or reaction that the service has not accepted. */
export type DeliveryRow = {
  visitor: string;
  pos: number;
  /** Place of a reaction in the visitor's lane; 0 for a message. One reply may have several reactions that wait. */
  turn: number;
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

type DeliveryOfSite = DeliveryRow & { site: string };
/** The last row of a page. The next page begins after it. */
export type DeliveryCursor = Pick<DeliveryRow, "visitor" | "pos" | "turn">;

/** A column with the site of a visitor. @param visitor the column with the visitor's id */
const siteColumn = (visitor: string): string => `(SELECT site FROM visitors WHERE id = ${visitor}) AS site`;

const TURN = "CASE WHEN o.reaction IS NULL THEN 0 ELSE o.turn END";
/** The messages of each state, of all sites, in the order of visitors and places. The columns follow `DeliveryRow`. */
const DELIVERIES: Record<DeliveryState, string> = {
  waiting: `SELECT o.visitor, o.pos, ${TURN} AS turn, (SELECT id FROM messages m WHERE m.visitor = o.visitor AND m.pos = o.pos) AS id,
      'waiting' AS state, o.attempts, o.due, NULL AS reason, o.error, ${siteColumn("o.visitor")}
    FROM outbox o WHERE (o.visitor, o.pos, ${TURN}) > ($1, $2, $3) ORDER BY o.visitor, o.pos, ${TURN} LIMIT $4`,
  failed: `SELECT m.visitor, m.pos, 0 AS turn, m.id, 'failed' AS state, coalesce(m.attempts, 0) AS attempts, NULL AS due, m.reason, m.error,
      ${siteColumn("m.visitor")}
    FROM messages m WHERE m.state = 'failed' AND m.discarded IS NULL AND (m.visitor, m.pos, CAST(0 AS BIGINT)) > ($1, $2, $3)
    ORDER BY m.visitor, m.pos LIMIT $4`,
};

const byCursor = (a: DeliveryCursor, b: DeliveryCursor): number =>
  a.visitor < b.visitor ? -1 : a.visitor > b.visitor ? 1 : a.pos - b.pos || a.turn - b.turn;

/** Messages that the service has not accepted: waiting and failed ones, or only those of one state. */
export async function deliveriesPage(
  tx: Transaction,
  query: { site: string; state?: DeliveryState; after?: DeliveryCursor; limit: number },
): Promise<DeliveryRow[]> {
  const { site: wanted, state, after: begin = { visitor: "", pos: 0, turn: 0 }, limit } = query;
  // Keyed by cursor, because a message that fails between the two reads is in both. It counts as failed.
  const found = new Map<string, DeliveryRow>();
  for (const each of state === undefined ? DELIVERY_STATES : [state]) {
    const read = (after: DeliveryCursor = begin) =>
      tx.all<DeliveryOfSite>(DELIVERIES[each], after.visitor, after.pos, after.turn, SLICE_ROWS);
    const rows = await filtered(read, ({ site }) => site === wanted, { limit });
    for (const { site, ...row } of rows) found.set(`${row.visitor} ${row.pos} ${row.turn}`, row);
  }
  return [...found.values()].sort(byCursor).slice(0, limit);
}

/** A message that was not accepted, as people read it. `at`: when it was written, milliseconds since 1970. */
export type OpenMessage = Omit<DeliveryRow, "turn"> & { site: string; at: number; text: string };

/** Part of a list: how many rows come before it, and how many it has at most. */
export type Slice = { skip: number; limit: number };

/** Selects a failed message by its place. */
const FAILED = `SELECT m.visitor, m.pos, m.id, m.state, coalesce(m.attempts, 0) AS attempts, NULL AS due, m.reason, m.error,
    v.site, m.at, m.text
  FROM messages m JOIN visitors v ON v.id = m.visitor WHERE m.visitor = $1 AND m.pos = $2`;

type FailedKey = { at: number; visitor: string; pos: number; site: string };

/** The failed messages of a site, or with null of all sites, newest first. */
export async function failedMessages(tx: Transaction, wanted: string | null, part: Slice): Promise<OpenMessage[]> {
  const read = (after: Omit<FailedKey, "site"> = { at: Number.MAX_SAFE_INTEGER, visitor: "", pos: 0 }) =>
    tx.all<FailedKey>(
      `SELECT m.at, m.visitor, m.pos, ${siteColumn("m.visitor")} FROM messages m
       WHERE m.state = 'failed' AND m.discarded IS NULL AND m.at <= $1
         AND (m.at < $1 OR (m.visitor, m.pos) > ($2, $3))
       ORDER BY m.at DESC, m.visitor, m.pos LIMIT $4`,
      after.at,
      after.visitor,
      after.pos,
      SLICE_ROWS,
    );
  const places = await filtered(read, ({ site }) => wanted === null || site === wanted, part);
  const rows = await tx.each<OpenMessage>(
    FAILED,
    places.map(({ visitor, pos }) => [visitor, pos]),
  );
  return rows.filter((row) => row !== undefined);
}

type WaitingKey = { visitor: string; turn: number; expires: number; site: string };

/** Selects a waiting message or reaction by its place in the outbox. */
const WAITING = `SELECT o.visitor, o.pos, m.id, 'waiting' AS state, o.attempts, o.due, NULL AS reason, o.error, v.site, m.at, m.text
  FROM outbox o JOIN messages m ON m.visitor = o.visitor AND m.pos = o.pos JOIN visitors v ON v.id = o.visitor
  WHERE o.visitor = $1 AND o.turn = $2`;

const byExpiry = (a: WaitingKey, b: WaitingKey): number =>
  a.expires - b.expires || (a.visitor < b.visitor ? -1 : a.visitor > b.visitor ? 1 : a.turn - b.turn);

/**
 * The waiting messages and reactions of a site, or with null of all sites, the oldest first. Reads the whole outbox in slices:
 * an index in this order would cost every message of every visitor more than the list costs the few who open it.
 */
export async function waitingMessages(
  tx: Transaction,
  wanted: string | null,
  { skip, limit }: Slice,
): Promise<OpenMessage[]> {
  let oldest: WaitingKey[] = [];
  for (let after: WaitingKey | undefined, more = true; more; ) {
    const slice: WaitingKey[] = await tx.all(
      `SELECT o.visitor, o.turn, o.expires, ${siteColumn("o.visitor")} FROM outbox o
       WHERE (o.visitor, o.turn) > ($1, $2) ORDER BY o.visitor, o.turn LIMIT $3`,
      after?.visitor ?? "",
      after?.turn ?? 0,
      SLICE_ROWS,
    );
    const fitting = slice.filter(({ site }) => wanted === null || site === wanted);
    oldest = [...oldest, ...fitting].sort(byExpiry).slice(0, skip + limit);
    after = slice.at(-1);
    more = slice.length === SLICE_ROWS;
  }
  const rows = await tx.each<OpenMessage>(
    WAITING,
    oldest.slice(skip).map(({ visitor, turn }) => [visitor, turn]),
  );
  return rows.filter((row) => row !== undefined);
}

/** Visitors in one slice of the search for the newest reply. */
const REPLY_SLICE = 100;

/**
 * Time of the newest reply from the service, milliseconds since 1970; undefined without a reply. Reads the visitors with the
 * newest messages first, until no other visitor can have a newer reply, which is usually after the first slice. Reading a million
 * messages took half a second (A24).
 */
export async function newestCallback(tx: Transaction): Promise<number | undefined> {
  let newest: number | undefined;
  for (let after = { active: Number.MAX_SAFE_INTEGER, id: "" }; newest === undefined || newest < after.active; ) {
    const visitors = await tx.all<typeof after>(
      "SELECT active, id FROM visitors WHERE (active, id) < ($1, $2) ORDER BY active DESC, id DESC LIMIT $3",
      after.active,
      after.id,
      REPLY_SLICE,
    );
    const last = visitors.at(-1);
    if (last === undefined) break;
    const [row] = await tx.all<{ at: number | null }>(
      `SELECT max(m.at) AS at FROM visitors v JOIN messages m ON m.visitor = v.id
       WHERE (v.active, v.id) < ($1, $2) AND (v.active, v.id) >= ($3, $4) AND m.author = 'reply' AND m.id LIKE 'r%'`,
      after.active,
      after.id,
      last.active,
      last.id,
    );
    newest = Math.max(newest ?? 0, row?.at ?? 0) || undefined;
    after = last;
  }
  return newest;
}
