import type { SentState } from "@porchlight/shared/protocol";
import { ACTIVE_MS } from "../base/activity.ts";
import type { Transaction, Value } from "../db/database.ts";
import { filtered, SLICE_ROWS } from "../db/slices.ts";

/** A conversation in a list: its visitor and its newest message. */
export type ConversationRow = {
  id: string;
  site: string;
  created: number;
  /** The list is sorted by this time: that of the newest message, at most 10 s too early, in milliseconds since 1970. */
  active: number;
  messages: number;
  subject: string | null;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  text: string | null;
  author: "visitor" | "reply" | null;
  at: number | null;
  state: SentState | null;
};

/**
 * Place in the list of conversations, which begins with the newest message. `pos`: the position up to which the search has read
 * the thread of the next visitor without a match.
 */
export type ConversationCursor = { active: number; id: string; pos?: number };

const COLUMNS = `v.id, v.site, v.created, (SELECT count(*) FROM messages c WHERE c.visitor = v.id) AS messages, v.subject, d.first_name AS "firstName",
  d.last_name AS "lastName", d.email, m.text, m.author, m.at, m.state`;
const FROM = `visitors v LEFT JOIN details d ON d.visitor = v.id
  LEFT JOIN messages m ON m.visitor = v.id AND m.pos = (SELECT max(pos) FROM messages WHERE visitor = v.id)`;

/**
 * One slice of a search reads at most so many visitors, and about so many messages: a slice takes milliseconds, and the relay
 * does its other work between two of them.
 */
const SLICE = { visitors: 500, messages: 2_000 };

/** Criteria of a search. Empty texts match everything. `from`, `to`: time of a message, in milliseconds since 1970. */
export type ConversationQuery = {
  words: string;
  site: string;
  state: string;
  from?: number;
  to?: number;
  after: ConversationCursor | undefined;
};

/** Escapes the pattern characters of LIKE. */
const escaped = (words: string): string => words.replaceAll(/[\\%_]/g, "\\$&");

/** The function of SQL that gives texts in lower case. For words with only ASCII characters, the faster one is enough. */
const lowerFunction = (words: string): string => (/^[\0-\x7f]*$/.test(words) ? "lower" : "unicode_lower");

const BEGIN: ConversationCursor = { active: Number.MAX_SAFE_INTEGER, id: "" };

type Bounds = { active: number; id: string; head: number };

/** The visitors of a slice: at least one, and no more than have `SLICE.messages` together. */
async function visitorsAfter(tx: Transaction, site: string, after: ConversationCursor) {
  const rows = await tx.all<Bounds>(
    `SELECT active, id, head FROM visitors WHERE (active, id) < ($1, $2) ${site === "" ? "" : "AND site = $4"}
     ORDER BY active DESC, id DESC LIMIT $3`,
    ...[after.active, after.id, SLICE.visitors, ...(site === "" ? [] : [site])],
  );
  let messages = 0;
  const fitting = rows.findIndex(({ head }, n) => {
    messages += head;
    return n > 0 && messages > SLICE.messages;
  });
  return fitting === -1
    ? { visitors: rows, more: rows.length === SLICE.visitors }
    : { visitors: rows.slice(0, fitting), more: true };
}

/** Collects the values of a statement. `add` returns the name of a value in the statement, like `$1`. */
function createValues() {
  const all: Value[] = [];
  return { all, add: (value: Value): string => `$${all.push(value)}` };
}
type Values = ReturnType<typeof createValues>;

/** The conditions of a search that a conversation `v` must meet. `part`: the part of the thread that is searched for words. */
function conditions(values: Values, query: ConversationQuery, part: readonly [low: number, high: number] | undefined) {
  const { words, site, state, from, to } = query;
  const some = (condition: string): string =>
    `EXISTS (SELECT 1 FROM messages t WHERE t.visitor = v.id AND ${condition})`;
  const all: string[] = [];
  if (site !== "") all.push(`v.site = ${values.add(site)}`);
  if (from !== undefined || to !== undefined) {
    const begin = from === undefined ? [] : [`t.at >= ${values.add(from)}`];
    const end = to === undefined ? [] : [`t.at < ${values.add(to)}`];
    all.push(some([...begin, ...end].join(" AND ")));
  }
  if (state !== "") all.push(some(`t.state = ${values.add(state)}`));
  if (words !== "") {
    const id = values.add(words);
    const lower = lowerFunction(words);
    const text = values.add(words.toLowerCase());
    const place = part === undefined ? "" : `t.pos > ${values.add(part[0])} AND t.pos <= ${values.add(part[1])} AND`;
    // No id has a space.
    const named = /\s/.test(words)
      ? ""
      : `OR t.id = ${id} OR t.sid = ${id} OR t.external LIKE ${values.add(`%:${escaped(words)}`)} ESCAPE '\\'`;
    const about = some(`${place} (strpos(${lower}(t.text), ${text}) > 0 ${named})`);
    all.push(
      `(v.id = ${id} OR v.subject = ${id} OR v.contact = ${id} OR strpos(${lower}(d.email), ${text}) > 0 OR ${about})`,
    );
  }
  return all;
}

/**
 * Finds the conversations of a slice that match a text: words of a message, an email address, or an id of the visitor, of a
 * message, of the service or of the owner's backend. A thread that is longer than a slice takes several. The order is that of
 * `visitors.active`, which may be 10 s too early.
 * @param query `site`: empty for every site
 * @param limit conversations, at most
 * @returns the matches, and `next`, where the next slice begins; undefined after the last slice
 */
export async function searchSlice(
  tx: Transaction,
  query: ConversationQuery,
  limit: number,
): Promise<{ found: ConversationRow[]; next: ConversationCursor | undefined }> {
  const { words, site, from = 0, after = BEGIN } = query;
  const { visitors, more } = await visitorsAfter(tx, site, after);
  const last = visitors.at(-1);
  if (last === undefined) return { found: [], next: undefined };
  const high = (after.pos ?? 0) + SLICE.messages;
  const isPart = words !== "" && last.head > SLICE.messages;
  const values = createValues();
  const bounds = [
    `(v.active, v.id) < (${values.add(after.active)}, ${values.add(after.id)})`,
    `(v.active, v.id) >= (${values.add(last.active)}, ${values.add(last.id)})`,
  ];
  const all = [...bounds, ...conditions(values, query, isPart ? [after.pos ?? 0, high] : undefined)];
  const found = await tx.all<ConversationRow>(
    `SELECT ${COLUMNS}, v.active FROM ${FROM} WHERE ${all.join(" AND ")}
     ORDER BY v.active DESC, v.id DESC LIMIT ${values.add(limit)}`,
    ...values.all,
  );
  if (isPart && found.length === 0 && high < last.head) return { found, next: { ...after, pos: high } };
  // All later slices are older than `from`.
  const isEnd = !more || last.active + ACTIVE_MS < from;
  return { found, next: isEnd ? undefined : { active: last.active, id: last.id } };
}

/** The ids of a message and its visitor, as its page has them. */
export type MessageIds = { visitor: string; id: string };

/** The kinds of ids by which a message is found: the id of a visitor's message, its `messageSid`, or the id of a reply. */
export type IdKind = "id" | "sid" | "reply";

/**
 * One slice of a search by id reads at most so many visitors and about so many messages. An index has the ids of visitors'
 * messages, but not their `messageSid`s or the ids of replies.
 */
const LOOKUP_SLICE = { visitors: 500, messages: { id: 20_000, sid: 2_000, reply: 2_000 } };
const LOOKUP_CONDITION = {
  id: "author = 'visitor' AND id = $3",
  sid: "sid = $3",
  reply: "author = 'reply' AND id = $3",
} as const satisfies Record<IdKind, string>;

/**
 * Finds messages by id in a slice of all messages, in the order of the visitors' ids. No index begins with these ids: it would
 * cost more at every write than this search costs an operator.
 * @param after the visitor after whom the slice begins; empty: at the beginning
 * @returns the matches, and `next`, the visitor after whom the next slice begins; undefined after the last slice
 */
export async function messagesWithId(
  tx: Transaction,
  { kind, id, after }: { kind: IdKind; id: string; after: string },
): Promise<{ found: MessageIds[]; next: string | undefined }> {
  const sql = "SELECT id, head FROM visitors WHERE id > $1 ORDER BY id LIMIT $2";
  const visitors = await tx.all<{ id: string; head: number }>(sql, after, LOOKUP_SLICE.visitors);
  let messages = 0;
  const fitting = visitors.find(({ head }) => {
    messages += head;
    return messages >= LOOKUP_SLICE.messages[kind];
  });
  const last = fitting ?? visitors.at(-1);
  if (last === undefined) return { found: [], next: undefined };
  const found = await tx.all<MessageIds>(
    `SELECT visitor, id FROM messages WHERE visitor > $1 AND visitor <= $2 AND ${LOOKUP_CONDITION[kind]}`,
    after,
    last.id,
    id,
  );
  const more = fitting !== undefined || visitors.length === LOOKUP_SLICE.visitors;
  return { found, next: more ? last.id : undefined };
}

/** Visitors in one slice of a search that compares only their ids. */
const IDS_SLICE = 2_000;

/**
 * Finds visitors by a property of their ids that the database does not know, in a slice of all visitors, in the order of their ids.
 * @param after as for `messagesWithId`
 * @returns the ids of the matches, and `next`, the visitor after whom the next slice begins; undefined after the last slice
 */
export async function visitorIdsMatching(
  tx: Transaction,
  { matches, after }: { matches: (id: string) => boolean; after: string },
): Promise<{ found: string[]; next: string | undefined }> {
  const sql = "SELECT id FROM visitors WHERE id > $1 ORDER BY id LIMIT $2";
  const ids = (await tx.all<{ id: string }>(sql, after, IDS_SLICE)).map(({ id }) => id);
  const next = ids.length === IDS_SLICE ? ids.at(-1) : undefined;
  return { found: ids.filter(matches), next };
}

/** The reply with this id of the service. @param external the account and the id, as replies are stored */
export const replyWithId = (tx: Transaction, external: string): Promise<MessageIds[]> =>
  tx.all("SELECT visitor, id FROM messages WHERE external = $1", external);

/** The stored steps of a message's journey. */
export type JourneyRow = {
  visitor: string;
  site: string;
  pos: number;
  n: number;
  id: string;
  author: "visitor" | "reply";
  at: number;
  text: string;
  state: SentState | null;
  reason: string | null;
  sid: string | null;
  external: string | null;
  attempts: number | null;
  error: string | null;
  /** When the visitor wrote it; null when the client did not say so. */
  typed: number | null;
  /** When it was delivered or failed. */
  settled: number | null;
  /** HTTP status with which the service accepted it. */
  accepted: number | null;
  /** The number up to which the visitor has seen everything, and when this mark last moved. */
  read: number;
  readAt: number | null;
  /** For a waiting message: account, attempts, time of the next one, end of the attempts, the service's last answer. */
  account: string | null;
  tries: number | null;
  due: number | null;
  expires: number | null;
  answer: string | null;
};

const JOURNEY = `SELECT m.visitor, v.site, m.pos, m.n, m.id, m.author, m.at, m.text, m.state, m.reason, m.sid, m.external,
    m.attempts, m.error, NULLIF(m.typed, 0) AS typed, m.settled, m.accepted, v.read, v.read_at AS "readAt", o.account, o.attempts AS tries, o.due, o.expires, o.error AS answer
  FROM messages m JOIN visitors v ON v.id = m.visitor
  LEFT JOIN outbox o ON o.visitor = m.visitor AND o.pos = m.pos AND o.reaction IS NULL`;

/** The journey of a visitor's message, by its id or `messageSid`, or of a reply, by the service's id. */
export async function journeyOf(tx: Transaction, visitor: string, id: string): Promise<JourneyRow | undefined> {
  const sql = `${JOURNEY} WHERE m.visitor = $1 AND (m.id = $2 OR m.sid = $2 OR m.external LIKE $3 ESCAPE '\\') LIMIT 1`;
  const [row] = await tx.all<JourneyRow>(sql, visitor, id, `%:${escaped(id)}`);
  return row;
}

/** The first reply after a place of a thread. */
export async function replyAfter(
  tx: Transaction,
  visitor: string,
  pos: number,
): Promise<{ id: string; at: number } | undefined> {
  const [row] = await tx.all<{ id: string; at: number }>(
    "SELECT id, at FROM messages WHERE visitor = $1 AND pos > $2 AND author = 'reply' ORDER BY pos LIMIT 1",
    visitor,
    pos,
  );
  return row;
}

/** The mails that contained the message at a place of a thread. */
export const mailsWith = (
  tx: Transaction,
  visitor: string,
  pos: number,
): Promise<{ kind: string; state: string; at: number }[]> =>
  tx.all(
    "SELECT kind, state, at FROM mails WHERE visitor = $1 AND since < $2 AND upto >= $2 ORDER BY at",
    visitor,
    pos,
  );

/** A mail to a visitor in a list. `at`: when it was ordered, milliseconds since 1970. */
export type MailRow = {
  id: string;
  visitor: string;
  site: string;
  kind: string;
  address: string;
  state: string;
  attempts: number;
  problem: string | null;
  at: number;
};

/** The newest mails of these sites. @param query.skip mails before the page */
export function newestMails(
  tx: Transaction,
  { sites, ...part }: { sites: readonly string[]; skip: number; limit: number },
): Promise<MailRow[]> {
  const read = ({ at, id }: Pick<MailRow, "at" | "id"> = { at: Number.MAX_SAFE_INTEGER, id: "" }) =>
    tx.all<MailRow>(
      `SELECT m.id, m.visitor, (SELECT site FROM visitors WHERE id = m.visitor) AS site, m.kind, m.address, m.state, m.attempts,
         m.problem, m.at
       FROM mails m WHERE (m.at, m.id) < ($1, $2) ORDER BY m.at DESC, m.id DESC LIMIT $3`,
      at,
      id,
      SLICE_ROWS,
    );
  return filtered(read, ({ site }) => sites.includes(site), part);
}

/**
 * Removes a failed message from the list of failures, and makes a waiting message expire now, so that the courier's next check
 * ends it.
 * @returns whether there was such a message
 */
export async function discardMessage(tx: Transaction, visitor: string, id: string, now: number): Promise<boolean> {
  const sql = `UPDATE messages SET discarded = $3 WHERE visitor = $1 AND id = $2 AND author = 'visitor' AND discarded IS NULL
    AND (state = 'failed' OR EXISTS (SELECT 1 FROM outbox o WHERE o.visitor = $1 AND o.pos = messages.pos AND o.reaction IS NULL))`;
  if ((await tx.run(sql, visitor, id, now)) === 0) return false;
  await tx.run(
    `UPDATE outbox SET expires = $3 WHERE visitor = $1 AND reaction IS NULL
       AND pos = (SELECT pos FROM messages WHERE visitor = $1 AND id = $2 AND author = 'visitor')`,
    visitor,
    id,
    now,
  );
  return true;
}

/**
 * Number of messages that failed and were neither sent again nor discarded. `at >= 0` is always true: it makes SQLite read the
 * index of failed messages.
 */
export async function countFailed(tx: Transaction): Promise<number> {
  const [row] = await tx.all<{ count: number }>(
    "SELECT count(*) AS count FROM messages WHERE state = 'failed' AND discarded IS NULL AND at >= 0",
  );
  return row?.count ?? 0;
}
