import type { ContactExternalId } from "../base/id-types.ts";
import type { Transaction } from "../db/database.ts";

/** A message or a reaction that the service has not accepted yet. */
export type OutboxEntry = {
  visitor: string;
  /** Place in the visitor's lane: a lane is delivered strictly in this order. */
  turn: number;
  /** Place in the thread: of the message, or of the reply that got the reaction. */
  pos: number;
  account: string;
  attempts: number;
  /** Milliseconds since 1970: not delivered before `due`, and failed at `expires`. */
  due: number;
  expires: number;
  /** The emoji of a reaction, and the reaction's own `messageSid`; null for a message. */
  reaction: string | null;
  reaction_sid: string | null;
};

const COLUMNS = "visitor, turn, pos, account, attempts, due, expires, reaction, reaction_sid";

/** Appends entries to their visitors' lanes. */
export async function addOutboxEntries(tx: Transaction, entries: readonly OutboxEntry[]): Promise<void> {
  await tx.runEach(
    `INSERT INTO outbox (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    entries.map(({ visitor, turn, pos, account, attempts, due, expires, reaction, reaction_sid }) => [
      visitor,
      turn,
      pos,
      account,
      attempts,
      due,
      expires,
      reaction,
      reaction_sid,
    ]),
  );
}

/** Appends one entry to its visitor's lane. */
export const addOutboxEntry = (tx: Transaction, entry: OutboxEntry): Promise<void> => addOutboxEntries(tx, [entry]);

/** The first entry of a lane, with its content and its `messageSid`. */
export type LaneHead = OutboxEntry & {
  /** The service's answer at the last try. */
  error: string | null;
  /** Of the message, or of the reply that got the reaction. */
  id: string;
  at: number;
  text: string;
  sid: string;
  site: string;
  /** The id to send under: the visitor's, or the visitor's id before the login. */
  sender: ContactExternalId;
  /** There are details of the visitor that the service does not have yet: 1, or true on PostgreSQL. */
  has_unsent_details: number | boolean;
  /** The conversation's campaign; `null`: not chosen yet, empty: chosen to have none. */
  campaign: string | null;
  /** The message's file: key in the store, type, name and bytes. */
  key: string | null;
  type: string | null;
  name: string | null;
  size: number | null;
  width: number | null;
  height: number | null;
};

/**
 * Joins the message by its whole primary key, `visitor` and `pos`. The empty text keeps PostgreSQL from comparing `m.visitor` with
 * the parameter: while young tables had no statistics, that comparison made it read the whole thread for each message.
 */
const SELECT_LANE_HEAD = `SELECT o.visitor, o.turn, o.pos, o.account, o.attempts, o.due, o.expires, o.reaction, o.reaction_sid, o.error,
       COALESCE(o.reaction_sid, m.sid) AS sid, COALESCE(o.sender, o.visitor) AS sender, m.id, m.at, m.text, v.site,
       v.campaign, EXISTS (SELECT 1 FROM details d WHERE d.visitor = v.id AND d.told < d.version) AS has_unsent_details, f.key, f.type, f.name, f.size, f.width, f.height
     FROM outbox o
     JOIN messages m ON m.visitor = o.visitor || '' AND m.pos = o.pos
     JOIN visitors v ON v.id = o.visitor
     LEFT JOIN media f ON f.key = m.media AND f.visitor = m.visitor
     WHERE o.visitor = $1 AND o.turn = (SELECT min(turn) FROM outbox WHERE visitor = $1)`;

/** The oldest entry of a visitor's lane; undefined when the lane is empty. */
export async function laneHead(tx: Transaction, visitor: string): Promise<LaneHead | undefined> {
  const [head] = await laneHeads(tx, [visitor]);
  return head;
}

/** The oldest entry of each of these visitors' lanes; undefined where the lane is empty. */
export const laneHeads = (tx: Transaction, visitors: readonly string[]): Promise<(LaneHead | undefined)[]> =>
  tx.each<LaneHead>(
    SELECT_LANE_HEAD,
    visitors.map((visitor) => [visitor]),
  );

/** A lane with something to deliver. `due`: when its first entry is due; `first`: that entry is the visitor's first message. */
export type OpenLane = { visitor: string; account: string; due: number; first: boolean };

/** Number of lanes that are read at once: after a long outage there may be hundreds of thousands. */
const LANES_PAGE = 1_000;

/** Every lane with something to deliver, in pages; each page is sorted by due time. The courier reads them at its start. */
export async function* openLanes(tx: Transaction): AsyncGenerator<OpenLane[]> {
  for (let after = ""; ; ) {
    const rows = await tx.all<Omit<OpenLane, "first"> & { turn: number }>(
      `SELECT o.visitor, o.account, o.due, o.turn FROM outbox o
       WHERE o.visitor > $1 AND o.turn = (SELECT min(turn) FROM outbox WHERE visitor = o.visitor)
       ORDER BY o.visitor LIMIT $2`,
      after,
      LANES_PAGE,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.visitor;
    yield rows.map(({ turn, ...lane }) => ({ ...lane, first: turn === 1 })).sort((a, b) => a.due - b.due);
    if (rows.length < LANES_PAGE) return;
  }
}

/** The lanes with an entry whose `due` is between these two times. */
export const lanesDueBetween = (
  tx: Transaction,
  from: number,
  to: number,
): Promise<{ visitor: string; account: string }[]> =>
  tx.all("SELECT DISTINCT visitor, account FROM outbox WHERE due >= $1 AND due <= $2", from, to);

/** Removes entries that are delivered or failed. @returns for each entry whether the outbox still had it */
export async function removeOutboxEntries(
  tx: Transaction,
  entries: readonly Pick<OutboxEntry, "visitor" | "turn">[],
): Promise<boolean[]> {
  const removed = await tx.each(
    "DELETE FROM outbox WHERE visitor = $1 AND turn = $2 RETURNING turn",
    entries.map(({ visitor, turn }) => [visitor, turn]),
  );
  return removed.map((row) => row !== undefined);
}

/**
 * Appends a whole lane to another one, with turns and places shifted as in `moveThread`. Its messages keep the sender id under
 * which they were written, because an attempt may have reached the service.
 */
export async function moveLane(tx: Transaction, from: string, to: string, shift: number): Promise<number> {
  return tx.run(
    `UPDATE outbox SET visitor = $2, turn = turn + $3, pos = pos + $3, sender = COALESCE(sender, visitor)
     WHERE visitor = $1`,
    from,
    to,
    shift,
  );
}

/**
 * Stores why the last attempt failed, and schedules the next one.
 * @param due when it is due, in ms since 1970; null: as before
 * @returns when it is due now; undefined when the outbox no longer has the entry
 */
export async function scheduleRetry(
  tx: Transaction,
  { visitor, turn, attempts, error }: Pick<LaneHead, "visitor" | "turn" | "attempts" | "error">,
  due: number | null,
): Promise<number | undefined> {
  const [row] = await tx.all<{ due: number }>(
    "UPDATE outbox SET attempts = $3, due = COALESCE($4, due), error = $5 WHERE visitor = $1 AND turn = $2 RETURNING due",
    visitor,
    turn,
    attempts,
    due,
    error,
  );
  return row?.due;
}

/** Visitors' messages without an attempt that are due at `$1` or later: they wait for the budget of a later day. */
const HELD_FROM = `FROM outbox o JOIN visitors v ON v.id = o.visitor
     WHERE o.due >= $1 AND o.attempts = 0 AND o.reaction IS NULL`;

/** Ids of the sites with messages that wait for the budget of a day that begins at `from` or later (ms since 1970). */
export async function sitesHolding(tx: Transaction, from: number): Promise<Set<string>> {
  const rows = await tx.all<{ site: string }>(`SELECT DISTINCT v.site ${HELD_FROM}`, from);
  return new Set(rows.map(({ site }) => site));
}

/** An entry of the outbox, and when it is due. */
export type HeldEntry = Pick<OutboxEntry, "visitor" | "turn" | "due">;

/**
 * The first messages of a site that wait for the budget of a day that begins at `from` or later, oldest first; at most `limit`.
 * The messages of one visitor are in the order of their lane, even if one of them was sent again and is therefore older than the
 * messages before it.
 */
export const heldEntries = (
  tx: Transaction,
  { site, from, limit }: { site: string; from: number; limit: number },
): Promise<HeldEntry[]> =>
  tx.all(
    `SELECT visitor, turn, due FROM (
       SELECT o.visitor, o.turn, o.due, max(o.due) OVER lane AS day,
         max((SELECT m.at FROM messages m WHERE m.visitor = o.visitor AND m.pos = o.pos)) OVER lane AS written
       ${HELD_FROM} AND v.site = $2 WINDOW lane AS (PARTITION BY o.visitor ORDER BY o.turn)) held
     ORDER BY day, written, visitor, turn LIMIT $3`,
    from,
    site,
    limit,
  );

/** Makes entries due at another time, and shifts the time at which they fail by as much. */
export const moveDue = (tx: Transaction, entries: readonly HeldEntry[], due: number): Promise<void> =>
  tx.runEach(
    "UPDATE outbox SET due = $3, expires = expires - (due - $3) WHERE visitor = $1 AND turn = $2",
    entries.map(({ visitor, turn }) => [visitor, turn, due]),
  );

/** Entries that fail now because they were not accepted in time (`expires`), lane by lane: at most `limit` after the first `skip`. */
export async function expiredEntries(
  tx: Transaction,
  now: number,
  { skip, limit }: { skip: number; limit: number },
): Promise<Pick<LaneHead, "visitor" | "turn" | "pos" | "id" | "account" | "reaction" | "attempts" | "error">[]> {
  return tx.all(
    `SELECT o.visitor, o.turn, o.pos, m.id, o.account, o.reaction, o.attempts, o.error
     FROM outbox o JOIN messages m ON m.visitor = o.visitor AND m.pos = o.pos
     WHERE o.expires <= $1 ORDER BY o.visitor, o.turn LIMIT $2 OFFSET $3`,
    now,
    limit,
    skip,
  );
}

/**
 * The number of waiting messages and reactions, and when the first attempt of the oldest one was due, in milliseconds since
 * 1970. Reads only the outbox: with its messages, 60,000 waiting ones would take half a second.
 * @param horizon `Settings.horizon`
 */
export async function waitingIn(
  tx: Transaction,
  horizon: number,
): Promise<{ messages: number; since: number | undefined }> {
  const [row] = await tx.all<{ messages: number; expires: number | null }>(
    "SELECT count(*) AS messages, min(expires) AS expires FROM outbox",
  );
  const expires = row?.expires ?? undefined;
  return { messages: row?.messages ?? 0, since: expires === undefined ? undefined : expires - horizon };
}
