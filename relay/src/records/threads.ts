import type { FailReason, Media, Message, SentState } from "@porchlight/shared/protocol";
import { authorIn } from "@porchlight/shared/reply-author";
import { ACTIVE_MS } from "../base/activity.ts";
import { MISSING_FILE_TEXT } from "../base/missing-file.ts";
import type { Transaction, Value } from "../db/database.ts";
import type { MediaRow } from "./media.ts";

/**
 * A visitor's thread: a log in which every change takes the next number, without gaps. The number comes from the visitor's row
 * inside the writing transaction, so two writers never get the same one.
 *
 * Here, the `url` of a message's file is the file's key. The code that shows the message replaces it with a link that expires.
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
    const noFile = missingFileIn(text);
    // The line that replaces a missing file has brackets, too.
    const author = noFile?.[0] === 0 ? undefined : authorIn(text);
    return {
      ...entry,
      from: "reply",
      ...(noFile && { noFile }),
      ...(author && { author }),
      ...(reaction === null ? {} : { reaction }),
    };
  }
  return { ...entry, from: "visitor", state: state ?? "sent", ...(reason === null ? {} : { reason }) };
}

/** Position of the line that replaces a missing file, so that the widget can show it in the visitor's language. */
function missingFileIn(text: string): [from: number, to: number] | undefined {
  const from = `\n${text}\n`.indexOf(`\n${MISSING_FILE_TEXT}\n`);
  return from < 0 ? undefined : [from, from + MISSING_FILE_TEXT.length];
}

function toMedia({ key, name, type, size, width, height }: File): Media | undefined {
  if (key === null || name === null || type === null || size === null) return undefined;
  return { url: key, name, type, size, ...(width === null || height === null ? {} : { width, height }) };
}

/** The newest numbers of some threads. */
export type ThreadNumbers = {
  /**
   * Takes the visitor's next number; undefined when the visitor does not exist.
   * @param at time of a new message, in milliseconds since 1970; absent for a change of an old one
   */
  next: (visitor: string, at?: number) => number | undefined;
  /** Stores the numbers that were taken. Call it once, in the transaction that read the rows. */
  write: (tx: Transaction) => Promise<void>;
};

/** The columns of a visitor's row that `createNumbers` uses. */
type Thread = { id: string; head: number; active: number };

/** The numbers of threads whose visitors' rows were read in this transaction. */
export function createNumbers(rows: Iterable<Thread>): ThreadNumbers {
  const threads = new Map<string, { head: number; active: number }>();
  for (const { id, head, active } of rows) threads.set(id, { head, active });
  const taken = new Map<string, number>();
  const moved = new Map<string, number>();
  return {
    next(visitor, at = 0) {
      const thread = threads.get(visitor);
      if (thread === undefined) return undefined;
      taken.set(visitor, ++thread.head);
      if (at >= thread.active + ACTIVE_MS) {
        thread.active = at;
        moved.set(visitor, at);
      }
      return thread.head;
    },
    async write(tx) {
      await tx.runEach("UPDATE visitors SET head = $2 WHERE id = $1", [...taken]);
      if (moved.size > 0) await tx.runEach("UPDATE visitors SET active = $2 WHERE id = $1", [...moved]);
    },
  };
}

/** Reads the newest numbers of some threads. */
export async function numbersOf(tx: Transaction, visitors: Iterable<string>): Promise<ThreadNumbers> {
  const rows = await tx.each<Thread>(
    "SELECT id, head, active FROM visitors WHERE id = $1",
    Array.from(new Set(visitors), (id) => [id]),
  );
  return createNumbers(rows.filter((row) => row !== undefined));
}

/** Takes and stores the visitor's next number; undefined when the visitor does not exist. */
async function next(tx: Transaction, visitor: string): Promise<number | undefined> {
  const numbers = await numbersOf(tx, [visitor]);
  const n = numbers.next(visitor);
  await numbers.write(tx);
  return n;
}

/** The visitor's message with this id, which the client made; undefined when there is none. */
export async function findSent(tx: Transaction, visitor: string, id: string): Promise<Message | undefined> {
  const sql = `${SELECT} WHERE m.visitor = $1 AND m.id = $2 AND m.author = 'visitor'`;
  const [row] = await tx.all<Row>(sql, visitor, id);
  return row && toMessage(row);
}

/** A stored message. `fresh`: it was not stored before. */
export type WrittenMessage = { message: Message; fresh: boolean };
type NewMessage = { visitor: string; id: string; text: string; at: number };

/** The fields that a new message does not have yet. */
const NEW = { state: null, reason: null, reaction: null } as const;
/** The columns of the file of a message without one. */
export const NO_FILE: File = { key: null, name: null, type: null, size: null, width: null, height: null };

/**
 * Appends messages of visitors, each once per id. `typed`: when it was written, in milliseconds since 1970; absent when unknown.
 * @returns for each entry the stored message; undefined when the visitor does not exist
 */
export async function appendSent(
  tx: Transaction,
  numbers: ThreadNumbers,
  entries: readonly (NewMessage & { sid: string; typed?: number | undefined; media?: MediaRow | undefined })[],
): Promise<(WrittenMessage | undefined)[]> {
  const known = await tx.each<{ pos: number }>(
    "SELECT pos FROM messages WHERE visitor = $1 AND id = $2 AND author = 'visitor'",
    entries.map(({ visitor, id }) => [visitor, id]),
  );
  const rows: Value[][] = [];
  const fresh = new Map<string, Message>();
  const written = entries.map(({ visitor, id, text, at, sid, typed = 0, media }, i): WrittenMessage | undefined => {
    const name = `${visitor} ${id}`;
    const same = fresh.get(name);
    if (same !== undefined) return { message: same, fresh: false };
    const n = known[i] === undefined ? numbers.next(visitor, at) : undefined;
    if (n === undefined) return undefined;
    rows.push([visitor, n, id, at, text, sid, media?.key ?? null, typed]);
    const message = toMessage({ pos: n, n, id, author: "visitor", at, text, ...NEW, ...(media ?? NO_FILE) });
    fresh.set(name, message);
    return { message, fresh: true };
  });
  await tx.runEach(
    "INSERT INTO messages (visitor, pos, n, id, author, at, text, state, sid, media, typed) VALUES ($1, $2, $2, $3, 'visitor', $4, $5, 'sent', $6, $7, $8)",
    rows,
  );
  for (const [i, { visitor, id }] of entries.entries()) {
    const stored = known[i] === undefined ? undefined : await findSent(tx, visitor, id);
    if (stored !== undefined) written[i] = { message: stored, fresh: false };
  }
  return written;
}

/** Whether a reply with this key (account and the service's message id) is in a thread. */
export const isKnown = async (tx: Transaction, external: string): Promise<boolean> =>
  (await tx.all("SELECT 1 FROM messages WHERE external = $1", external)).length > 0;

/**
 * For a callback without a message id. `prefix`: `external` begins with it for every callback with the same body. `within`: a
 * callback with the same body within this time (ms) is a repeat.
 */
type SameBody = { prefix: string; within: number };
type NewReply = NewMessage & {
  external: string;
  sameBody?: SameBody | undefined;
  media?: MediaRow | undefined;
};

/**
 * Recognises duplicate callbacks by their `external` key: account and the service's message id. Those without an id are
 * also recognised by their body: another node, or this relay before a restart, may have stored the first one.
 * @returns for each reply whether it is already stored
 */
async function storedDuplicates(tx: Transaction, replies: readonly NewReply[]): Promise<boolean[]> {
  const same = await tx.each(
    "SELECT 1 FROM messages WHERE external = $1",
    replies.map(({ external }) => [external]),
  );
  const unnamed = replies.flatMap(({ sameBody, at }, i) => (sameBody === undefined ? [] : [{ i, at, ...sameBody }]));
  const repeated = await tx.each(
    "SELECT 1 FROM messages WHERE external > $1 AND external < $2 AND at > $3 AND at < $4",
    // No character of a key is greater than `~`.
    unnamed.map(({ at, prefix, within }) => [prefix, `${prefix}~`, at - within, at + within]),
  );
  const repeats = new Set(unnamed.flatMap(({ i }, k) => (repeated[k] === undefined ? [] : [i])));
  return replies.map((_, i) => same[i] !== undefined || repeats.has(i));
}

/**
 * Appends replies, except duplicates.
 * @returns for each entry the stored reply; `duplicate` when the key is already stored; `nobody` when the visitor does not
 *   exist
 */
export async function appendReplies(
  tx: Transaction,
  numbers: ThreadNumbers,
  entries: readonly NewReply[],
): Promise<(Message | "duplicate" | "nobody")[]> {
  const known = await storedDuplicates(tx, entries);
  const rows: Value[][] = [];
  const fresh = new Set<string>();
  const written = entries.map(({ visitor, id, text, at, external, media }, i): Message | "duplicate" | "nobody" => {
    if (known[i] || fresh.has(external)) return "duplicate";
    const n = numbers.next(visitor, at);
    if (n === undefined) return "nobody";
    fresh.add(external);
    rows.push([visitor, n, id, at, text, external, media?.key ?? null]);
    return toMessage({ pos: n, n, id, author: "reply", at, text, ...NEW, ...(media ?? NO_FILE) });
  });
  await tx.runEach(
    "INSERT INTO messages (visitor, pos, n, id, author, at, text, external, media) VALUES ($1, $2, $2, $3, 'reply', $4, $5, $6, $7)",
    rows,
  );
  return written;
}

/** Appends one reply, see `appendReplies`. @returns its number instead of the reply */
export async function appendReply(tx: Transaction, entry: NewReply): Promise<number | "duplicate" | "nobody"> {
  const numbers = await numbersOf(tx, [entry.visitor]);
  const [written = "nobody"] = await appendReplies(tx, numbers, [entry]);
  await numbers.write(tx);
  return typeof written === "string" ? written : written.n;
}

/** A visitor's message at `pos`, and its new state. */
export type MessageMark = {
  visitor: string;
  pos: number;
  state: SentState;
  reason: FailReason | null;
  /** When it was delivered or failed, milliseconds since 1970; absent for a message that waits again. */
  settled?: number;
  /** HTTP status with which the service accepted it. */
  accepted?: number;
};

/**
 * Gives visitors' messages their next state, each under its thread's next number.
 * @returns those numbers; undefined for a visitor who no longer exists
 */
export async function markAll(
  tx: Transaction,
  numbers: ThreadNumbers,
  marks: readonly MessageMark[],
): Promise<(number | undefined)[]> {
  const taken = marks.map(({ visitor }) => numbers.next(visitor));
  const rows = marks.flatMap(({ visitor, pos, state, reason, settled = 0, accepted = 0 }, i): Value[][] => {
    const n = taken[i];
    return n === undefined ? [] : [[visitor, pos, state, reason, n, settled, accepted]];
  });
  await tx.runEach(
    "UPDATE messages SET state = $3, reason = $4, n = $5, settled = NULLIF($6, 0), accepted = NULLIF($7, 0), discarded = CASE WHEN $3 = 'sent' THEN NULL ELSE discarded END WHERE visitor = $1 AND pos = $2",
    rows,
  );
  return taken;
}

/**
 * Gives a visitor's message its next state, under the thread's next number.
 * @returns that number; undefined when the visitor no longer exists
 */
export async function markMessage(
  tx: Transaction,
  visitor: string,
  pos: number,
  state: SentState,
  reason: FailReason | null = null,
): Promise<number | undefined> {
  const numbers = await numbersOf(tx, [visitor]);
  const [n] = await markAll(tx, numbers, [{ visitor, pos, state, reason }]);
  await numbers.write(tx);
  return n;
}

/** Stores with failed messages the number of attempts and the service's last answer. */
export const noteFailures = (
  tx: Transaction,
  failures: readonly { visitor: string; pos: number; attempts: number; error: string | null }[],
): Promise<void> =>
  tx.runEach(
    "UPDATE messages SET attempts = $3, error = $4 WHERE visitor = $1 AND pos = $2",
    failures.map(({ visitor, pos, attempts, error }) => [visitor, pos, attempts, error]),
  );

/** The `messageSid` of a visitor's message. */
export async function sidAt(tx: Transaction, visitor: string, pos: number): Promise<string> {
  const sql = "SELECT sid FROM messages WHERE visitor = $1 AND pos = $2";
  const [row] = await tx.all<{ sid: string | null }>(sql, visitor, pos);
  return row?.sid ?? "";
}

/** Gives a message a new `messageSid`, because the service permanently refused it under the old one. */
export async function renewSid(tx: Transaction, visitor: string, pos: number, sid: string): Promise<void> {
  await tx.run("UPDATE messages SET sid = $3 WHERE visitor = $1 AND pos = $2", visitor, pos, sid);
}

/**
 * For each reply, when the visitor wrote the newest message before it, in milliseconds since 1970; undefined when another reply
 * came between.
 */
export async function questionsBefore(
  tx: Transaction,
  replies: readonly { visitor: string; pos: number }[],
): Promise<(number | undefined)[]> {
  // One step back in the primary key. Searching for the greatest position of earlier replies would read the whole thread.
  const found = await tx.each<{ author: Row["author"]; at: number }>(
    "SELECT author, at FROM messages WHERE visitor = $1 AND pos < $2 ORDER BY pos DESC LIMIT 1",
    replies.map(({ visitor, pos }) => [visitor, pos]),
  );
  return found.map((row) => (row?.author === "visitor" ? row.at : undefined));
}

type ReplyToReact = { pos: number; id: string; reaction: string | null };

/**
 * Finds a reply that may get or lose a reaction: the newest one, or one that has a reaction. No index has the ids of the
 * others, because it would cost a page for each reply.
 */
export async function findReply(
  tx: Transaction,
  visitor: string,
  id: string,
): Promise<(ReplyToReact & { newest: boolean }) | undefined> {
  const [newest] = await tx.all<ReplyToReact>(
    "SELECT pos, id, reaction FROM messages WHERE visitor = $1 AND author = 'reply' ORDER BY pos DESC LIMIT 1",
    visitor,
  );
  if (newest?.id === id) return { ...newest, newest: true };
  const [older] = await tx.all<ReplyToReact>(
    "SELECT pos, id, reaction FROM messages WHERE visitor = $1 AND id = $2 AND reaction IS NOT NULL",
    visitor,
    id,
  );
  return older && { ...older, newest: false };
}

/**
 * Sets or removes the visitor's reaction to a reply, with the thread's next number.
 * @returns that number; undefined when the visitor no longer exists
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

/** Removes a reaction that the service refused, unless the visitor has changed it. @returns as `setReaction` does */
export async function dropReaction(
  tx: Transaction,
  visitor: string,
  pos: number,
  emoji: string,
): Promise<number | undefined> {
  const [same] = await tx.all(
    "SELECT 1 FROM messages WHERE visitor = $1 AND pos = $2 AND reaction = $3",
    visitor,
    pos,
    emoji,
  );
  return same === undefined ? undefined : setReaction(tx, visitor, pos, null);
}

/** A visitor's message with a new state and number. */
export const messageOf = (
  row: Pick<Row, "pos" | "id" | "at" | "text" | keyof File>,
  { n, state, reason }: Pick<Row, "n" | "state" | "reason">,
): Message => toMessage({ ...row, n, state, reason, author: "visitor", reaction: null });

/**
 * Appends a whole thread to another one: places and numbers grow by `shift`, the other thread's newest number. A message id
 * that exists in both threads is changed.
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

/**
 * Changes after number `since`, oldest first; at most `limit`. One statement finds unchanged messages by their place, another
 * finds changed ones by their own index, each at most `limit`. A single statement sorted a thousand long messages for each part,
 * which took 6 ms.
 */
export async function changesSince(tx: Transaction, visitor: string, since: number, limit: number): Promise<Message[]> {
  const rows = await tx.all<Row>(
    `SELECT * FROM (
       SELECT * FROM (${SELECT} WHERE m.visitor = $1 AND m.pos > $2 AND m.n = m.pos ORDER BY m.pos LIMIT $3) unchanged
       UNION ALL
       SELECT * FROM (${SELECT} WHERE m.visitor = $1 AND m.n > $2 AND m.n <> m.pos ORDER BY m.n LIMIT $3) changed) c
     ORDER BY n LIMIT $3`,
    visitor,
    since,
    limit,
  );
  return rows.map(toMessage);
}

/** The newest messages before place `before`, oldest first; at most `limit`. */
export async function messagesBefore(
  tx: Transaction,
  visitor: string,
  before: number,
  limit: number,
): Promise<Message[]> {
  const rows = await tx.all<Row>(
    `${SELECT} WHERE m.visitor = $1 AND m.pos < $2 ORDER BY m.pos DESC LIMIT $3`,
    visitor,
    before,
    limit,
  );
  return rows.reverse().map(toMessage);
}

/** The messages after place `after`, oldest first; at most `limit`. */
export async function pageAfter(tx: Transaction, visitor: string, after: number, limit: number): Promise<Message[]> {
  const rows = await tx.all<Row>(
    `${SELECT} WHERE m.visitor = $1 AND m.pos > $2 ORDER BY m.pos LIMIT $3`,
    visitor,
    after,
    limit,
  );
  return rows.map(toMessage);
}
