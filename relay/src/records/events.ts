import type { EVENT_STATES, EventType } from "../base/owner-events.ts";
import type { Transaction } from "../db/database.ts";
import { filtered, SLICE_ROWS } from "../db/slices.ts";

/** An event for the owner's backend; later a line of the delivery log. */
export type Event = {
  id: string;
  site: string;
  visitor: string | null;
  type: EventType;
  /** JSON; exactly what is signed and sent. */
  body: string;
  /** Milliseconds since 1970. */
  at: number;
  state: (typeof EVENT_STATES)[number];
  attempts: number;
  due: number;
  /** HTTP status of the last try; 0: no answer. */
  status: number | null;
  problem: string | null;
  /** JSON: the newest tries (`EventTry`), oldest first. */
  tries: string;
};

/** A try to send an event. `at`: milliseconds since 1970; `status`: HTTP status, 0 without an answer. */
export type EventTry = { at: number; status: number; problem: string | null };

/** Most tries that are kept with an event. */
const TRIES_MAX = 50;

/** The tries of an event, oldest first. */
export const eventTries = ({ tries }: Pick<Event, "tries">): EventTry[] => JSON.parse(tries) as EventTry[];

/** The tries of an event with one more, for `setEvent`. */
export const withTry = (event: Pick<Event, "tries">, made: EventTry): string =>
  JSON.stringify([...eventTries(event), made].slice(-TRIES_MAX));

const COLUMNS = "id, site, visitor, type, body, at, state, attempts, due, status, problem, tries";

/** Stores an event that is due at once. */
export async function addEvent(
  tx: Transaction,
  { id, site, visitor, type, body, at }: Pick<Event, "id" | "site" | "visitor" | "type" | "body" | "at">,
): Promise<void> {
  await tx.run(
    `INSERT INTO events (id, site, visitor, type, body, at, state, due) VALUES ($1, $2, $3, $4, $5, $6, 'waiting', $6)`,
    id,
    site,
    visitor,
    type,
    body,
    at,
  );
}

/** The sites with waiting events, each found with one search of the index, however many events wait. */
const WAITING_SITES = `WITH RECURSIVE waiting(site) AS (
    SELECT min(site) FROM events WHERE state = 'waiting'
    UNION ALL
    SELECT (SELECT min(e.site) FROM events e WHERE e.state = 'waiting' AND e.site > w.site) FROM waiting w WHERE w.site IS NOT NULL
  ) SELECT site FROM waiting WHERE site IS NOT NULL`;

/** Due events, oldest first; at most `each` per site, so that no site delays the others. */
export async function dueEvents(tx: Transaction, now: number, each: number): Promise<Event[]> {
  const due: Event[] = [];
  for (const { site } of await tx.all<{ site: string }>(WAITING_SITES))
    due.push(
      ...(await tx.all<Event>(
        `SELECT ${COLUMNS} FROM events WHERE site = $1 AND state = 'waiting' AND due <= $2 ORDER BY due, at LIMIT $3`,
        site,
        now,
        each,
      )),
    );
  return due.sort((a, b) => a.due - b.due || a.at - b.at);
}

/** The site's waiting event that is due first among those with at least `tries` tries; undefined when there is none. */
export async function troubledEvent(tx: Transaction, site: string, tries: number): Promise<Event | undefined> {
  const sql = `SELECT ${COLUMNS} FROM events WHERE site = $1 AND state = 'waiting' AND attempts >= $2 ORDER BY due, at LIMIT 1`;
  const [event] = await tx.all<Event>(sql, site, tries);
  return event;
}

/** The newest event of a site that does not wait: it was delivered or has failed. */
export async function newestSettledEvent(tx: Transaction, site: string): Promise<Event | undefined> {
  const sql = `SELECT ${COLUMNS} FROM events WHERE site = $1 AND state <> 'waiting' ORDER BY at DESC, id DESC LIMIT 1`;
  const [event] = await tx.all<Event>(sql, site);
  return event;
}

/** Reserves an event for one try. @param until when it is due again, ms since 1970. @returns false when another process has it */
export async function claimEvent(tx: Transaction, { id, due }: Event, until: number): Promise<boolean> {
  const sql = "UPDATE events SET due = $3 WHERE id = $1 AND due = $2 AND state = 'waiting'";
  return (await tx.run(sql, id, due, until)) === 1;
}

/** Stores the result of a try. @param given.tries see `withTry`; absent: the stored ones stay */
export async function setEvent(
  tx: Transaction,
  {
    id,
    state,
    attempts,
    due,
    status,
    problem,
    tries,
  }: Pick<Event, "id" | "state" | "attempts" | "due" | "status" | "problem"> & { tries?: string },
): Promise<void> {
  await tx.run(
    "UPDATE events SET state = $2, attempts = $3, due = $4, status = $5, problem = $6, tries = COALESCE($7, tries) WHERE id = $1",
    id,
    state,
    attempts,
    due,
    status,
    problem,
    tries ?? null,
  );
}

/** Makes an event due now, for one more try. @returns undefined when the site has no such event */
export async function renewEvent(tx: Transaction, site: string, id: string, now: number): Promise<Event | undefined> {
  const [event] = await tx.all<Event>(
    `UPDATE events SET state = 'waiting', due = $3 WHERE id = $2 AND site = $1 RETURNING ${COLUMNS}`,
    site,
    id,
    now,
  );
  return event;
}

type EventKey = Pick<Event, "at" | "id" | "state">;
const NEWEST: Omit<EventKey, "state"> = { at: Number.MAX_SAFE_INTEGER, id: "" };

type EventsPage = { site: string; after?: Omit<EventKey, "state">; skip?: number; limit: number };

/** Events of one state. Few of many events may have it, so it reads their keys in slices, and then the events. */
async function eventsIn(tx: Transaction, state: Event["state"], query: EventsPage): Promise<Event[]> {
  const { site, after: begin = NEWEST, ...part } = query;
  const read = (after: Omit<EventKey, "state"> = begin) =>
    tx.all<EventKey>(
      `SELECT at, id, state FROM events WHERE site = $1 AND (at, id) < ($2, $3) ORDER BY at DESC, id DESC LIMIT $4`,
      site,
      after.at,
      after.id,
      SLICE_ROWS,
    );
  const keys = await filtered(read, (key) => key.state === state, part);
  const rows = await tx.each<Event>(
    `SELECT ${COLUMNS} FROM events WHERE id = $1`,
    keys.map(({ id }) => [id]),
  );
  return rows.filter((row) => row !== undefined);
}

/** A page of a site's delivery log, newest first. `after`: the last line of the previous page. `skip`: lines before the page. */
export async function eventsPage(tx: Transaction, query: EventsPage & { state?: Event["state"] }): Promise<Event[]> {
  const { site, state, after = NEWEST, skip = 0, limit } = query;
  if (state !== undefined) return eventsIn(tx, state, query);
  return tx.all(
    `SELECT ${COLUMNS} FROM events WHERE site = $1 AND (at, id) < ($2, $3) ORDER BY at DESC, id DESC LIMIT $4 OFFSET $5`,
    site,
    after.at,
    after.id,
    limit,
    skip,
  );
}

/** The event with this id. */
export async function findEvent(tx: Transaction, id: string): Promise<Event | undefined> {
  const [event] = await tx.all<Event>(`SELECT ${COLUMNS} FROM events WHERE id = $1`, id);
  return event;
}

/** Deletes a visitor's events. */
export async function forgetEvents(tx: Transaction, visitor: string): Promise<void> {
  await tx.run("DELETE FROM events WHERE visitor = $1", visitor);
}
