import type { Transaction } from "../db/database.ts";

/** A mail to a visitor. The row stays after the mail is sent, and is then a record of it. */
export type Mail = {
  id: string;
  visitor: string;
  site: string;
  kind: "replies" | "transcript";
  address: string;
  /** The mail contains the messages at positions after `since`, up to `upto`. */
  since: number;
  upto: number;
  page: string;
  locale: string;
  /** `unknown`: the relay ended while it sent the mail. */
  state: "waiting" | "sending" | "sent" | "failed" | "unknown";
  attempts: number;
  /** Milliseconds since 1970, as `at`. */
  due: number;
  problem: string | null;
  at: number;
};

const SELECT = `SELECT m.id, m.visitor, v.site, m.kind, m.address, m.since, m.upto, m.page, m.locale, m.state, m.attempts,
  m.due, m.problem, m.at FROM mails m JOIN visitors v ON v.id = m.visitor`;

type NewMail = Omit<Mail, "site" | "state" | "attempts" | "due" | "problem">;

/** Stores a mail that is due at once. Does nothing when a mail with this id exists. */
export async function addMail(tx: Transaction, mail: NewMail): Promise<void> {
  await tx.run(
    `INSERT INTO mails (id, visitor, kind, address, since, upto, page, locale, state, due, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'waiting', $9, $9) ON CONFLICT (id) DO NOTHING`,
    mail.id,
    mail.visitor,
    mail.kind,
    mail.address,
    mail.since,
    mail.upto,
    mail.page,
    mail.locale,
    mail.at,
  );
}

/** The address of a mail; undefined when no mail has this id. */
export async function addressOf(tx: Transaction, id: string): Promise<string | undefined> {
  const [mail] = await tx.all<Pick<Mail, "address">>("SELECT address FROM mails WHERE id = $1", id);
  return mail?.address;
}

/** Due mails, oldest first. */
export async function dueMails(tx: Transaction, now: number, limit: number): Promise<Mail[]> {
  return tx.all(`${SELECT} WHERE m.state = 'waiting' AND m.due <= $1 ORDER BY m.due, m.at LIMIT $2`, now, limit);
}

/** Claims a mail for one attempt. @returns false when another process has claimed it */
export async function claimMail(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.run("UPDATE mails SET state = 'sending' WHERE id = $1 AND state = 'waiting'", id)) === 1;
}

/** Stores the result of an attempt. */
export async function setMail(
  tx: Transaction,
  { id, state, attempts, due, problem }: Pick<Mail, "id" | "state" | "attempts" | "due" | "problem">,
): Promise<void> {
  const sql = "UPDATE mails SET state = $2, attempts = $3, due = $4, problem = $5 WHERE id = $1";
  await tx.run(sql, id, state, attempts, due, problem);
}

/** Makes mails `unknown` that an earlier process was sending when it ended. They are not sent again. @returns their number */
export async function settleInterrupted(tx: Transaction): Promise<number> {
  return tx.run("UPDATE mails SET state = 'unknown', problem = 'the relay ended meanwhile' WHERE state = 'sending'");
}

/** Time of the visitor's last mail with replies, milliseconds since 1970; 0: none. */
export async function lastMailTo(tx: Transaction, visitor: string): Promise<number> {
  const sql = "SELECT max(at) AS at FROM mails WHERE visitor = $1 AND kind = 'replies'";
  const [row] = await tx.all<{ at: number | null }>(sql, visitor);
  return row?.at ?? 0;
}

/** A site's mails that were not sent, newest first. */
export async function unsentMails(tx: Transaction, site: string, limit: number): Promise<Mail[]> {
  const sql = `${SELECT} WHERE v.site = $1 AND m.state IN ('failed', 'unknown') ORDER BY m.at DESC LIMIT $2`;
  return tx.all(sql, site, limit);
}

/** Unsubscribes an address from all mail of the site. @param address its keyed hash */
export async function unsubscribe(tx: Transaction, site: string, address: string, at: number): Promise<void> {
  const sql = "INSERT INTO mail_stops (site, address, at) VALUES ($1, $2, $3) ON CONFLICT (site, address) DO NOTHING";
  await tx.run(sql, site, address, at);
}

/** Whether an address gets no mails of the site. @param address the stored form: a keyed hash */
export async function isUnsubscribed(tx: Transaction, site: string, address: string): Promise<boolean> {
  return (await tx.all("SELECT 1 FROM mail_stops WHERE site = $1 AND address = $2", site, address)).length > 0;
}
