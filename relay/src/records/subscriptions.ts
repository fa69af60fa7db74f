import type { Transaction } from "../db/database.ts";
import type { StoredEmail } from "./details.ts";

/** A visitor who wants replies by email while away, and the present state of their thread. */
export type Subscription = StoredEmail & {
  visitor: string;
  site: string;
  page: string;
  locale: string;
  /** Place of the last reply that went into a mail. */
  mailedUpTo: number;
  /** Number up to which the visitor has read everything. */
  read: number;
  /** The thread's newest number. */
  head: number;
  /** When the nodes were asked whether the visitor is connected; 0: not asked. */
  asked: number;
  /** Their newest answer, as `answerQuestions` stores it; 0: none. */
  seen: number;
};

type Request = Pick<Subscription, "visitor" | "page" | "locale">;

/** Stores a subscription, or updates its page and language. The visitor's row must exist. */
export async function addSubscription(tx: Transaction, { visitor, page, locale }: Request): Promise<void> {
  await tx.run(
    `INSERT INTO mail_wishes (visitor, page, locale) VALUES ($1, $2, $3)
     ON CONFLICT (visitor) DO UPDATE SET page = excluded.page, locale = excluded.locale`,
    visitor,
    page,
    locale,
  );
}

/** Whether exactly this subscription is stored. */
export async function hasSubscription(tx: Transaction, { visitor, page, locale }: Request): Promise<boolean> {
  const sql = "SELECT 1 FROM mail_wishes WHERE visitor = $1 AND page = $2 AND locale = $3";
  return (await tx.all(sql, visitor, page, locale)).length > 0;
}

/** Subscriptions whose thread has news since the last check, and whose next check is due. */
export async function dueSubscriptions(tx: Transaction, now: number, limit: number): Promise<Subscription[]> {
  return tx.all(
    `SELECT w.visitor, v.site, d.email, d.email_signed AS signed, w.page, w.locale, w.told AS "mailedUpTo", v.read, v.head, w.asked, w.seen
     FROM mail_wishes w JOIN visitors v ON v.id = w.visitor JOIN details d ON d.visitor = w.visitor
     WHERE w.due <= $1 AND v.head > w.looked AND d.email IS NOT NULL ORDER BY w.due LIMIT $2`,
    now,
    limit,
  );
}

/** Delays the next check until `due`, milliseconds since 1970. The nodes are asked again before the next mail. */
export async function postponeCheck(tx: Transaction, visitor: string, due: number): Promise<void> {
  await tx.run("UPDATE mail_wishes SET due = $2, asked = 0 WHERE visitor = $1", visitor, due);
}

/** Asks all nodes whether the visitor is connected, and delays the next check until `due`. Both in ms since 1970. */
export async function askNodes(tx: Transaction, visitor: string, asked: number, due: number): Promise<void> {
  await tx.run("UPDATE mail_wishes SET asked = $2, due = $3 WHERE visitor = $1", visitor, asked, due);
}

/** A question whether a visitor is connected, asked at `asked`. */
export type PresenceQuestion = { visitor: string; asked: number };

/** The questions since a time, in ms since 1970. */
export const questionsSince = (tx: Transaction, since: number): Promise<PresenceQuestion[]> =>
  tx.all("SELECT visitor, asked FROM mail_wishes WHERE asked >= $1", since);

/** Stores a node's answers: `seen` is `asked` for a connected visitor, else the time when the visitor left. The latest counts. */
export const answerQuestions = (
  tx: Transaction,
  answers: readonly { visitor: string; seen: number }[],
): Promise<void> =>
  tx.runEach(
    "UPDATE mail_wishes SET seen = $2 WHERE visitor = $1 AND seen < $2",
    answers.map(({ visitor, seen }) => [visitor, seen]),
  );

/**
 * Records that the thread was checked up to the number `checked`, and that replies up to place `mailedUpTo` are in a mail.
 * @returns false when another process has checked as far: that process writes the mail
 */
export async function recordCheck(
  tx: Transaction,
  visitor: string,
  checked: number,
  mailedUpTo: number,
): Promise<boolean> {
  const sql = "UPDATE mail_wishes SET looked = $2, told = $3 WHERE visitor = $1 AND looked < $2";
  return (await tx.run(sql, visitor, checked, mailedUpTo)) === 1;
}

/** Moves an anonymous visitor's subscription to the user whose thread received the anonymous one, `shift` numbers later. */
export async function moveSubscription(tx: Transaction, from: string, to: string, shift: number): Promise<void> {
  await tx.run(
    `INSERT INTO mail_wishes (visitor, page, locale, told, looked)
     SELECT CAST($2 AS TEXT), page, locale, told + $3, looked + $3 FROM mail_wishes WHERE visitor = $1
     ON CONFLICT (visitor) DO NOTHING`,
    from,
    to,
    shift,
  );
}
