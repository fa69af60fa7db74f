import type { SentState } from "@porchlight/shared/protocol";
import type { Transaction } from "../db/database.ts";

/** A conversation in a list: who it is, and its newest message. */
export type ConversationRow = {
  id: string;
  site: string;
  created: number;
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

/** Place in the list of conversations: newest visitor first. */
export type ConversationPlace = { created: number; id: string };

const COLUMNS = `v.id, v.site, v.created, (SELECT count(*) FROM messages c WHERE c.visitor = v.id) AS messages, v.subject, d.first_name AS "firstName",
  d.last_name AS "lastName", d.email, m.text, m.author, m.at, m.state`;
const FROM = `visitors v LEFT JOIN details d ON d.visitor = v.id
  LEFT JOIN messages m ON m.visitor = v.id AND m.pos = (SELECT max(pos) FROM messages WHERE visitor = v.id)`;

/** Visitors of one slice of a search: a slice takes milliseconds, and the relay works on between two of them. */
const SLICE = 500;

/** What a search asks for. Empty texts: any. `from`, `to`: a message is of this time, in milliseconds since 1970. */
export type ConversationQuery = {
  words: string;
  site: string;
  state: string;
  from?: number;
  to?: number;
  after: ConversationPlace | undefined;
};
const NO_END = Number.MAX_SAFE_INTEGER;

/** The characters that LIKE takes for patterns. */
const literal = (words: string): string => words.toLowerCase().replaceAll(/[\\%_]/g, "\\$&");

/**
 * Conversations of a slice that a text is about: words of a message, an id of the visitor, of a message, of the service, of the
 * owner's backend, or an e-mail address.
 * @param site empty: every site
 * @returns the matches, and where the next slice begins; nothing there when this was the last one
 */
export async function searchSlice(
  tx: Transaction,
  { words, site, state, from = 0, to = NO_END, after }: ConversationQuery,
): Promise<{ found: ConversationRow[]; next: ConversationPlace | undefined }> {
  const begin = [after?.created ?? Number.MAX_SAFE_INTEGER, after?.id ?? ""] as const;
  const slice = await tx.all<ConversationPlace>(
    `SELECT created, id FROM visitors WHERE ($1 = '' OR site = $1) AND (created < $2 OR (created = $2 AND id < $3))
     ORDER BY created DESC, id DESC LIMIT $4`,
    site,
    ...begin,
    SLICE,
  );
  const last = slice.at(-1);
  if (last === undefined) return { found: [], next: undefined };
  const found = await tx.all<ConversationRow>(
    `SELECT ${COLUMNS} FROM ${FROM}
     WHERE ($1 = '' OR v.site = $1) AND (v.created < $2 OR (v.created = $2 AND v.id < $3))
       AND (v.created > $4 OR (v.created = $4 AND v.id >= $5))
       AND ($10 = 0 OR EXISTS (SELECT 1 FROM messages t WHERE t.visitor = v.id AND t.at >= $10))
       AND ($11 = ${NO_END} OR EXISTS (SELECT 1 FROM messages t WHERE t.visitor = v.id AND t.at >= $10 AND t.at < $11))
       AND ($8 = '' OR EXISTS (SELECT 1 FROM messages s WHERE s.visitor = v.id AND s.state = $8))
       AND ($6 = '' OR v.id = $6 OR v.subject = $6 OR v.contact = $6 OR lower(d.email) LIKE $7 ESCAPE '\\'
         OR EXISTS (SELECT 1 FROM messages w WHERE w.visitor = v.id
           AND (w.id = $6 OR w.sid = $6 OR w.external LIKE $9 ESCAPE '\\' OR lower(w.text) LIKE $7 ESCAPE '\\')))
     ORDER BY v.created DESC, v.id DESC`,
    site,
    ...begin,
    last.created,
    last.id,
    words,
    `%${literal(words)}%`,
    state,
    `%:${words.replaceAll(/[\\%_]/g, "\\$&")}`,
    from,
    to,
  );
  return { found, next: slice.length < SLICE ? undefined : last };
}

/** What is stored of a message's way. */
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
  /** When it was delivered or failed. */
  settled: number | null;
  /** The visitor has seen everything up to this number, and when the mark was last moved. */
  read: number;
  readAt: number | null;
  /** Of a message that waits: tries, next try, end of tries, the service's last answer. */
  tries: number | null;
  due: number | null;
  expires: number | null;
  answer: string | null;
};

const JOURNEY = `SELECT m.visitor, v.site, m.pos, m.n, m.id, m.author, m.at, m.text, m.state, m.reason, m.sid, m.external,
    m.attempts, m.error, m.settled, v.read, v.read_at AS "readAt", o.attempts AS tries, o.due, o.expires, o.error AS answer
  FROM messages m JOIN visitors v ON v.id = m.visitor
  LEFT JOIN outbox o ON o.visitor = m.visitor AND o.pos = m.pos AND o.reaction IS NULL`;

/** A message by its id, its `messageSid`, or the service's id of a reply. */
export async function journeyOf(tx: Transaction, visitor: string, id: string): Promise<JourneyRow | undefined> {
  const sql = `${JOURNEY} WHERE m.visitor = $1 AND (m.id = $2 OR m.sid = $2 OR m.external LIKE $3 ESCAPE '\\') LIMIT 1`;
  const [row] = await tx.all<JourneyRow>(sql, visitor, id, `%:${id.replaceAll(/[\\%_]/g, "\\$&")}`);
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

/** The mails that carried a place of a thread. */
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

/** The newest mails of a site. */
export const newestMails = (
  tx: Transaction,
  site: string,
  limit: number,
): Promise<
  {
    visitor: string;
    kind: string;
    address: string;
    state: string;
    attempts: number;
    problem: string | null;
    at: number;
  }[]
> =>
  tx.all(
    `SELECT m.visitor, m.kind, m.address, m.state, m.attempts, m.problem, m.at FROM mails m
     JOIN visitors v ON v.id = m.visitor WHERE v.site = $1 ORDER BY m.at DESC LIMIT $2`,
    site,
    limit,
  );

/**
 * Takes a failed message off the list of what failed, and lets one that waits expire now: the courier gives it up with its
 * next look.
 * @returns whether there was such a message
 */
export async function discardMessage(tx: Transaction, visitor: string, id: string, now: number): Promise<boolean> {
  const sql = `UPDATE messages SET discarded = $3 WHERE visitor = $1 AND id = $2 AND discarded IS NULL
    AND (state = 'failed' OR EXISTS (SELECT 1 FROM outbox o WHERE o.visitor = $1 AND o.pos = messages.pos AND o.reaction IS NULL))`;
  if ((await tx.run(sql, visitor, id, now)) === 0) return false;
  await tx.run(
    `UPDATE outbox SET expires = $3 WHERE visitor = $1 AND reaction IS NULL
       AND pos = (SELECT pos FROM messages WHERE visitor = $1 AND id = $2)`,
    visitor,
    id,
    now,
  );
  return true;
}

/** How many messages failed and were not tried again. */
export async function countFailed(tx: Transaction): Promise<number> {
  const [row] = await tx.all<{ count: number }>(
    "SELECT count(*) AS count FROM messages WHERE state = 'failed' AND discarded IS NULL",
  );
  return row?.count ?? 0;
}
