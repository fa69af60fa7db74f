import type { FailReason, Media, Message, SentState } from "@porchlight/shared/protocol";
import type { Transaction } from "../db/database.ts";
import { NOT_HERE } from "../service/callbacks.ts";
import type { MediaRow } from "./media.ts";

/**
 * A visitor's thread: a log in which every change takes the next number, without gaps. The number is taken from the
 * visitor's row inside the transaction that writes, so two writers never get the same one.
 *
 * A message's file has its key as `url` here: the door that shows the message makes a link of it, which ends some day.
 */

type File = { [K in keyof MediaRow]: MediaRow[K] | null };
type Row = File & {
  pos: number;
  n: number;
  id: string;
  author: "visitor" | "reply";
  at: number;
  text: string;
  state: SentState | null;
  reason: FailReason | null;
  reaction: string | null;
};

const SELECT = `SELECT m.pos, m.n, m.id, m.author, m.at, m.text, m.state, m.reason, m.reaction,
    f.key, f.name, f.type, f.size, f.width, f.height
  FROM messages m LEFT JOIN media f ON f.key = m.media AND f.visitor = m.visitor`;

function toMessage(row: Row): Message {
  const { pos, n, id, at, text, state, reason, reaction } = row;
  const media = toMedia(row);
  const entry = { id, pos, n, at, text, ...(media === undefined ? {} : { media }) };
  if (row.author === "reply") {
    const noFile = standInOf(text);
    return { ...entry, from: "reply", ...(noFile && { noFile }), ...(reaction === null ? {} : { reaction }) };
  }
  return { ...entry, from: "visitor", state: state ?? "sent", ...(reason === null ? {} : { reason }) };
}

/** Where a line of a reply says that a file is not available here, for whoever can say it in the visitor's language. */
function standInOf(text: string): [from: number, to: number] | undefined {
  const from = `\n${text}\n`.indexOf(`\n${NOT_HERE}\n`);
  return from < 0 ? undefined : [from, from + NOT_HERE.length];
}

function toMedia({ key, name, type, size, width, height }: File): Media | undefined {
  if (key === null || name === null || type === null || size === null) return undefined;
  return { url: key, name, type, size, ...(width === null || height === null ? {} : { width, height }) };
}

/** Takes the visitor's next number; nothing when the visitor does not exist. */
async function next(tx: Transaction, visitor: string): Promise<number | undefined> {
  const [row] = await tx.all<{ head: number }>(
    "UPDATE visitors SET head = head + 1 WHERE id = $1 RETURNING head",
    visitor,
  );
  return row?.head;
}

async function byId(tx: Transaction, visitor: string, id: string): Promise<Message | undefined> {
  const [row] = await tx.all<Row>(`${SELECT} WHERE m.visitor = $1 AND m.id = $2`, visitor, id);
  return row && toMessage(row);
}

export type Written = { message: Message; fresh: boolean };
type NewMessage = { visitor: string; id: string; text: string; at: number };

/**
 * Appends a visitor's message. The same id again writes nothing and answers with the stored message.
 * @returns nothing when the visitor does not exist (any more)
 */
export async function appendSent(
  tx: Transaction,
  entry: NewMessage & { sid: string; media?: MediaRow | undefined },
): Promise<Written | undefined> {
  const known = await byId(tx, entry.visitor, entry.id);
  if (known !== undefined) return { message: known, fresh: false };
  const n = await next(tx, entry.visitor);
  if (n === undefined) return undefined;
  await tx.run(
    "INSERT INTO messages (visitor, pos, n, id, author, at, text, state, sid, media) VALUES ($1, $2, $2, $3, 'visitor', $4, $5, 'sent', $6, $7)",
    entry.visitor,
    n,
    entry.id,
    entry.at,
    entry.text,
    entry.sid,
    entry.media?.key ?? null,
  );
  const { id, text, at } = entry;
  const media = entry.media && toMedia(entry.media);
  const file = media === undefined ? {} : { media };
  return { message: { id, pos: n, n, at, text, ...file, from: "visitor", state: "sent" }, fresh: true };
}

/** Whether a reply with this key (account and the service's message id) is in a thread. */
export const isKnown = async (tx: Transaction, external: string): Promise<boolean> =>
  (await tx.all("SELECT 1 FROM messages WHERE external = $1", external)).length > 0;

/**
 * Appends a reply once per `external` key (account and the service's message id, R-609).
 * @returns its number; `duplicate` when it was there already, `nobody` when the visitor is not (any more)
 */
export async function appendReply(
  tx: Transaction,
  entry: NewMessage & { external: string; media?: string | undefined },
): Promise<number | "duplicate" | "nobody"> {
  const known = await tx.all("SELECT 1 FROM messages WHERE external = $1", entry.external);
  if (known.length > 0) return "duplicate";
  const n = await next(tx, entry.visitor);
  if (n === undefined) return "nobody";
  await tx.run(
    "INSERT INTO messages (visitor, pos, n, id, author, at, text, external, media) VALUES ($1, $2, $2, $3, 'reply', $4, $5, $6, $7)",
    entry.visitor,
    n,
    entry.id,
    entry.at,
    entry.text,
    entry.external,
    entry.media ?? null,
  );
  return n;
}

/**
 * Gives a visitor's message its next state, under the thread's next number.
 * @returns that number, or nothing when the message is gone
 */
export async function mark(
  tx: Transaction,
  visitor: string,
  pos: number,
  state: SentState,
  reason: FailReason | null = null,
): Promise<number | undefined> {
  const n = await next(tx, visitor);
  if (n === undefined) return undefined;
  await tx.run(
    "UPDATE messages SET state = $3, reason = $4, n = $5 WHERE visitor = $1 AND pos = $2",
    visitor,
    pos,
    state,
    reason,
    n,
  );
  return n;
}

/** Keeps with a failed message how often it was tried, and the service's last words. */
export async function noteFailure(
  tx: Transaction,
  { visitor, pos, attempts, error }: { visitor: string; pos: number; attempts: number; error: string | null },
): Promise<void> {
  await tx.run(
    "UPDATE messages SET attempts = $3, error = $4 WHERE visitor = $1 AND pos = $2",
    visitor,
    pos,
    attempts,
    error,
  );
}

/** The service shall take the message for another one from now on: it refused the earlier one for good. */
export async function renewSid(tx: Transaction, visitor: string, pos: number, sid: string): Promise<void> {
  await tx.run("UPDATE messages SET sid = $3 WHERE visitor = $1 AND pos = $2", visitor, pos, sid);
}

/** Place of the newest reply; nothing while there is none. */
export async function newestReply(tx: Transaction, visitor: string): Promise<number | undefined> {
  const [row] = await tx.all<{ pos: number }>(
    "SELECT pos FROM messages WHERE visitor = $1 AND author = 'reply' ORDER BY pos DESC LIMIT 1",
    visitor,
  );
  return row?.pos;
}

/**
 * Gives a reply the visitor's reaction, or none, under the thread's next number.
 * @returns that number, or nothing when the visitor is gone
 */
export async function setReaction(
  tx: Transaction,
  visitor: string,
  pos: number,
  emoji: string | null,
): Promise<number | undefined> {
  const n = await next(tx, visitor);
  if (n === undefined) return undefined;
  await tx.run("UPDATE messages SET reaction = $3, n = $4 WHERE visitor = $1 AND pos = $2", visitor, pos, emoji, n);
  return n;
}

/** Takes a reaction off again, unless it was changed meanwhile. Same result as `setReaction`. */
async function dropReaction(tx: Transaction, visitor: string, pos: number, emoji: string): Promise<number | undefined> {
  const [same] = await tx.all(
    "SELECT 1 FROM messages WHERE visitor = $1 AND pos = $2 AND reaction = $3",
    visitor,
    pos,
    emoji,
  );
  return same === undefined ? undefined : setReaction(tx, visitor, pos, null);
}

/** What was on its way to the service: a message of a thread, or the visitor's reaction to one. */
export type Carried = { visitor: string; pos: number; reaction: string | null };

/**
 * Writes at its message what came of something carried. A reaction that was refused is taken off again; one that arrived
 * says nothing new.
 * @returns the thread's newest number, or nothing when it did not change
 */
export async function conclude(
  tx: Transaction,
  { visitor, pos, reaction }: Carried,
  state: SentState,
  reason?: FailReason,
): Promise<number | undefined> {
  if (reaction === null) return mark(tx, visitor, pos, state, reason);
  return state === "failed" ? dropReaction(tx, visitor, pos, reaction) : undefined;
}

/**
 * Puts a whole thread behind another one: places and numbers go up by `shift`, the other thread's newest number. An id
 * that stands in both is changed.
 */
export async function moveThread(tx: Transaction, from: string, to: string, shift: number): Promise<void> {
  await tx.run(
    `UPDATE messages SET id = id || '_' || CAST(pos AS TEXT)
     WHERE visitor = $1 AND id IN (SELECT id FROM messages WHERE visitor = $2)`,
    from,
    to,
  );
  await tx.run("UPDATE messages SET visitor = $2, pos = pos + $3, n = n + $3 WHERE visitor = $1", from, to, shift);
}

/** The message with this client id, as it stands. */
export const findMessage = byId;

/** What changed after number `since`, oldest change first; at most `limit`. */
export async function changesSince(tx: Transaction, visitor: string, since: number, limit: number): Promise<Message[]> {
  const rows = await tx.all<Row>(
    `${SELECT} WHERE m.visitor = $1 AND m.n > $2 ORDER BY m.n LIMIT $3`,
    visitor,
    since,
    limit,
  );
  return rows.map(toMessage);
}

/** The messages before place `before`, oldest first; at most `limit`, the newest of them. */
export async function page(tx: Transaction, visitor: string, before: number, limit: number): Promise<Message[]> {
  const rows = await tx.all<Row>(
    `${SELECT} WHERE m.visitor = $1 AND m.pos < $2 ORDER BY m.pos DESC LIMIT $3`,
    visitor,
    before,
    limit,
  );
  return rows.reverse().map(toMessage);
}
