import type { Transaction } from "../db/database.ts";

/** A visitor's row. */
export type Visitor = {
  id: string;
  site: string;
  /** Newest number of the thread. */
  head: number;
  /** Number up to which the visitor has read the thread. */
  read: number;
  /** Sessions of older generations are invalid. */
  generation: number;
  /** The service's id of the visitor's contact. */
  contact: string | null;
};

/**
 * The site of a visitor whose site is not known yet, because only the MAC of the id was checked. Nobody can read the thread until a
 * session, a login or a message of the owner proves the site.
 */
export const NO_SITE = "";

/**
 * Stores a new visitor. A known visitor stays unchanged, except that an unknown site is filled in. A deleted visitor stays
 * deleted.
 */
export const addVisitor = (tx: Transaction, id: string, site: string, now: number): Promise<void> =>
  addVisitors(tx, [{ id, site, now }]);

async function addVisitors(
  tx: Transaction,
  visitors: readonly { id: string; site: string; now: number }[],
): Promise<void> {
  await tx.runEach(
    `INSERT INTO visitors (id, site, created, active) SELECT $1, $2, CAST($3 AS BIGINT), CAST($3 AS BIGINT)
     WHERE NOT EXISTS (SELECT 1 FROM forgotten WHERE visitor = $1) ON CONFLICT (id)
     DO UPDATE SET site = excluded.site WHERE visitors.site = ''`,
    visitors.map(({ id, site, now }) => [id, site, now]),
  );
}

/** A visitor with everything that storing a message reads or changes, such as the campaign and the page of the last message. */
export type VisitorRow = Visitor & {
  /** Time of the newest message, at most 10 s too early, in milliseconds since 1970. */
  active: number;
  campaign: string | null;
  page: string | null;
  page_title: string | null;
  /** Turn of the oldest entry in the visitor's lane; `null` when the lane is empty. */
  waiting: number | null;
  /** Whether the service lacks some of the visitor's details: 1, or true on PostgreSQL. */
  has_unsent_details: number | boolean;
  /** The owner's side has written to the visitor: 1, or true on PostgreSQL. */
  written_to: number | boolean;
};

/** The rows of these visitors, by id; only those that exist. */
export async function findVisitorRows(tx: Transaction, ids: Iterable<string>): Promise<Map<string, VisitorRow>> {
  const rows = await tx.each<VisitorRow>(
    `SELECT id, site, head, read, generation, contact, active, campaign, page, page_title,
       (SELECT min(turn) FROM outbox WHERE visitor = v.id) AS waiting,
       EXISTS (SELECT 1 FROM details WHERE visitor = v.id AND told < version) AS has_unsent_details,
       EXISTS (SELECT 1 FROM ledger WHERE kind = 'send' AND lane = v.id) AS written_to
     FROM visitors v WHERE id = $1`,
    Array.from(new Set(ids), (id) => [id]),
  );
  return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.id, row] as const])));
}

/**
 * Adds the missing rows of these visitors, see `addVisitor`.
 * @param known rows that were read in this transaction
 * @returns the rows; deleted visitors have none
 */
export async function ensureVisitorRows(
  tx: Transaction,
  visitors: readonly { id: string; site: string; now: number }[],
  known?: Map<string, VisitorRow>,
): Promise<Map<string, VisitorRow>> {
  const visitorRows =
    known ??
    (await findVisitorRows(
      tx,
      visitors.map(({ id }) => id),
    ));
  const missing = visitors.filter(({ id, site }) => {
    const visitorRow = visitorRows.get(id);
    return visitorRow === undefined || (visitorRow.site === NO_SITE && site !== NO_SITE);
  });
  if (missing.length === 0) return visitorRows;
  await addVisitors(tx, [...new Map(missing.map((visitor) => [visitor.id, visitor])).values()]);
  for (const [id, visitorRow] of await findVisitorRows(
    tx,
    missing.map(({ id }) => id),
  ))
    visitorRows.set(id, visitorRow);
  return visitorRows;
}

/** The newest number, the read mark and the generation of each of these visitors, if they have a row. */
export async function threadPositions(
  tx: Transaction,
  ids: readonly string[],
): Promise<Map<string, { head: number; read: number; generation: number }>> {
  const rows = await tx.anyOf<{ id: string; head: number; read: number; generation: number }>(
    "SELECT id, head, read, generation FROM visitors WHERE id = ANY ($1)",
    ids,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** The ids among these that are no longer used. Value: the user who took over the thread; `null` if the thread was deleted. */
export async function forgottenAmong(tx: Transaction, ids: readonly string[]): Promise<Map<string, string | null>> {
  const rows = await tx.anyOf<{ visitor: string; successor: string | null }>(
    "SELECT visitor, successor FROM forgotten WHERE visitor = ANY ($1)",
    ids,
  );
  return new Map(rows.map(({ visitor, successor }) => [visitor, successor]));
}

/** The visitor with this id; undefined when there is no row. */
export async function findVisitor(tx: Transaction, id: string): Promise<Visitor | undefined> {
  const [visitor] = await tx.all<Visitor>(
    "SELECT id, site, head, read, generation, contact FROM visitors WHERE id = $1",
    id,
  );
  return visitor;
}

/** Moves the read mark forward, never back and never past the thread's head. @param at ms since 1970. @returns whether it moved */
export async function markRead(tx: Transaction, id: string, n: number, at: number): Promise<boolean> {
  const sql = "UPDATE visitors SET read = $2, read_at = $3 WHERE id = $1 AND read < $2 AND head >= $2";
  return (await tx.run(sql, id, n, at)) > 0;
}

/** Stores the service's contact id of a visitor, from a callback or the answer to a message. */
export async function setContact(tx: Transaction, id: string, contact: string): Promise<void> {
  await tx.run("UPDATE visitors SET contact = $2 WHERE id = $1 AND (contact IS NULL OR contact <> $2)", id, contact);
}

/** Stores a contact id that was found by email, unless one is stored: the found one may be another contact of the same person. */
export async function setContactIfUnknown(tx: Transaction, id: string, contact: string): Promise<void> {
  await tx.run("UPDATE visitors SET contact = $2 WHERE id = $1 AND contact IS NULL", id, contact);
}

/** Most rows of one visitor that one transaction deletes. A row takes 30 µs on SQLite, which deletes on the event loop. */
export const ROWS_SLICE = 500;

/**
 * The tables that may have very many rows of one visitor, and a column that distinguishes these rows. Unsent messages come
 * first.
 */
const LARGE_TABLES = [
  ["outbox", "turn"],
  ["tries", "pos"],
  ["messages", "pos"],
  ["events", "id"],
] as const;

/** Deletes a slice of a visitor's rows in the `LARGE_TABLES`. @returns whether none are left */
export async function dropVisitorRows(tx: Transaction, visitor: string): Promise<boolean> {
  for (const [table, place] of LARGE_TABLES) {
    const slice = `SELECT ${place} FROM ${table} WHERE visitor = $1 ORDER BY ${place} LIMIT $2`;
    const sql = `DELETE FROM ${table} WHERE visitor = $1 AND ${place} IN (${slice})`;
    if ((await tx.run(sql, visitor, ROWS_SLICE)) > 0) return false;
  }
  return true;
}

/** Deletes a visitor with thread and outbox. Keeps the id, so that it is never used again. */
export async function forgetVisitor(tx: Transaction, id: string, now: number): Promise<void> {
  await tx.run("DELETE FROM visitors WHERE id = $1", id);
  await tx.run("UPDATE forgotten SET successor = NULL WHERE successor = $1", id);
  await tx.run("INSERT INTO forgotten (visitor, at) VALUES ($1, $2) ON CONFLICT (visitor) DO NOTHING", id, now);
}

/** Whether the id is no longer used: its visitor was deleted, or became a user. */
export async function wasForgotten(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.all("SELECT 1 FROM forgotten WHERE visitor = $1", id)).length > 0;
}

/**
 * The visitor whose thread an id belongs to: the id itself; after a login, the user; undefined after a deletion. In the last
 * two cases the id is never used again.
 */
export async function ownerOf(tx: Transaction, id: string): Promise<string | undefined> {
  const [owner] = await ownersOf(tx, [id]);
  return owner;
}

/** Like `ownerOf`, for many ids, in their order. */
export async function ownersOf(tx: Transaction, ids: readonly string[]): Promise<(string | undefined)[]> {
  const gone = await tx.each<{ successor: string | null }>(
    "SELECT successor FROM forgotten WHERE visitor = $1",
    ids.map((id) => [id]),
  );
  return ids.map((id, i) => (gone[i] === undefined ? id : (gone[i].successor ?? undefined)));
}

/** The anonymous ids that a user had before logging in: messages to these ids are the user's. */
export async function formerIds(tx: Transaction, id: string): Promise<string[]> {
  const rows = await tx.all<{ visitor: string }>("SELECT visitor FROM forgotten WHERE successor = $1", id);
  return rows.map(({ visitor }) => visitor);
}

/**
 * Stores a visitor with a signed identity. Unlike an anonymous id, this id is used again when the person returns after a
 * deletion. Older sessions stay invalid, because the new generation is the time of the return. The id contains the site, so it
 * cannot belong to another one.
 */
export async function addUser(tx: Transaction, id: string, site: string, now: number): Promise<Visitor> {
  const returned = await tx.run("DELETE FROM forgotten WHERE visitor = $1", id);
  await addVisitor(tx, id, site, now);
  await tx.run("UPDATE visitors SET site = $2 WHERE id = $1 AND site <> $2", id, site);
  if (returned > 0) await tx.run("UPDATE visitors SET generation = $2 WHERE id = $1", id, now);
  const user = await findVisitor(tx, id);
  if (user === undefined) throw new Error("The user's row is missing after it was written");
  return user;
}

/**
 * Replaces an anonymous id with the user's id: deletes its row, after its thread and lane were moved. If the user had read the
 * whole thread, the anonymous visitor's read mark counts for the appended part. The conversation keeps its campaign.
 */
export async function replaceByUser(tx: Transaction, anonymous: Visitor, user: Visitor, now: number): Promise<void> {
  await tx.run(
    `UPDATE visitors SET head = head + $2, read = CASE WHEN read = head THEN head + $3 ELSE read END,
       active = (SELECT max(a.active) FROM visitors a WHERE a.id IN ($1, $4)),
       campaign = COALESCE(campaign, (SELECT a.campaign FROM visitors a WHERE a.id = $4)),
       page_title = (SELECT CASE WHEN a.page IS NULL THEN visitors.page_title ELSE a.page_title END
         FROM visitors a WHERE a.id = $4),
       page = COALESCE((SELECT a.page FROM visitors a WHERE a.id = $4), page) WHERE id = $1`,
    user.id,
    anonymous.head,
    anonymous.read,
    anonymous.id,
  );
  await tx.run("DELETE FROM visitors WHERE id = $1", anonymous.id);
  await tx.run(
    "INSERT INTO forgotten (visitor, at, successor) VALUES ($1, $2, $3) ON CONFLICT (visitor) DO NOTHING",
    anonymous.id,
    now,
    user.id,
  );
}

/** The data by which the conversation's route is chosen, and its campaign if one was chosen. */
export async function routingOf(
  tx: Transaction,
  id: string,
): Promise<{ campaign: string | null; claims: string | null } | undefined> {
  const [row] = await tx.all<{ campaign: string | null; claims: string | null }>(
    "SELECT campaign, claims FROM visitors WHERE id = $1",
    id,
  );
  return row;
}

/** Stores the conversation's campaign; empty: none. */
export async function setCampaign(tx: Transaction, id: string, campaign: string): Promise<void> {
  await tx.run("UPDATE visitors SET campaign = $2 WHERE id = $1", id, campaign);
}

/** Stores the claims of a signed identity that routes use, as JSON. */
export async function setClaims(tx: Transaction, id: string, claims: string): Promise<void> {
  await tx.run("UPDATE visitors SET claims = $2 WHERE id = $1", id, claims);
}

/** A visitor's position in the order of first visits. */
export type VisitorCursor = { created: number; id: string };

/** A page of a site's visitors, in the order of their first visits. `after`: the last one of the previous page. */
export const visitorsInOrder = (
  tx: Transaction,
  { site, after, limit }: { site: string; after: VisitorCursor | undefined; limit: number },
): Promise<VisitorCursor[]> =>
  tx.all(
    "SELECT created, id FROM visitors WHERE site = $1 AND (created, id) > ($2, $3) ORDER BY created, id LIMIT $4",
    site,
    after?.created ?? -1,
    after?.id ?? "",
    limit,
  );

/**
 * Gives visitors a new generation: the present time, or the next number if that is greater. Every older session becomes
 * invalid.
 * @param now milliseconds since 1970
 * @returns the ids of the visitors who belong to the site
 */
export async function renewGeneration(
  tx: Transaction,
  site: string,
  ids: readonly string[],
  now: number,
): Promise<string[]> {
  const found = await tx.each<{ id: string }>(
    "SELECT id FROM visitors WHERE id = $1 AND site = $2",
    ids.map((id) => [id, site]),
  );
  const known = found.flatMap((row) => (row === undefined ? [] : [row.id]));
  await tx.runEach(
    `UPDATE visitors SET generation = CASE WHEN generation < CAST($2 AS BIGINT) THEN CAST($2 AS BIGINT)
       ELSE generation + 1 END WHERE id = $1`,
    known.map((id) => [id, now]),
  );
  return known;
}
