import type { Transaction } from "../db/database.ts";

/** Somebody who wants the replies by e-mail while they are away, with what is known of them now. */
export type Wish = {
  visitor: string;
  site: string;
  email: string;
  page: string;
  locale: string;
  /** Place up to which replies went into a mail, and number up to which the visitor has seen everything. */
  told: number;
  read: number;
  /** The thread's newest number. */
  head: number;
};

/** Writes the wish down; what was seen or mailed before stays so. The visitor's row must be there. */
export async function addWish(
  tx: Transaction,
  { visitor, page, locale }: Pick<Wish, "visitor" | "page" | "locale">,
): Promise<void> {
  await tx.run(
    `INSERT INTO mail_wishes (visitor, page, locale) VALUES ($1, $2, $3)
     ON CONFLICT (visitor) DO UPDATE SET page = excluded.page, locale = excluded.locale`,
    visitor,
    page,
    locale,
  );
}

/** Whether this very wish is written down. */
export async function hasWish(
  tx: Transaction,
  { visitor, page, locale }: Pick<Wish, "visitor" | "page" | "locale">,
): Promise<boolean> {
  const sql = "SELECT 1 FROM mail_wishes WHERE visitor = $1 AND page = $2 AND locale = $3";
  return (await tx.all(sql, visitor, page, locale)).length > 0;
}

/** Wishes of threads in which something is new since they were looked at. */
export async function dueWishes(tx: Transaction, now: number, limit: number): Promise<Wish[]> {
  return tx.all(
    `SELECT w.visitor, v.site, d.email, w.page, w.locale, w.told, v.read, v.head
     FROM mail_wishes w JOIN visitors v ON v.id = w.visitor JOIN details d ON d.visitor = w.visitor
     WHERE w.due <= $1 AND v.head > w.looked AND d.email IS NOT NULL ORDER BY w.due LIMIT $2`,
    now,
    limit,
  );
}

/** Looks at a wish again not before `due`. */
export async function putOff(tx: Transaction, visitor: string, due: number): Promise<void> {
  await tx.run("UPDATE mail_wishes SET due = $2 WHERE visitor = $1", visitor, due);
}

/**
 * The thread was looked at up to this number, and replies up to place `told` are in a mail.
 * @returns false when another process has looked so far already: then the mail is that one's to write
 */
export async function settleWish(tx: Transaction, visitor: string, looked: number, told: number): Promise<boolean> {
  const sql = "UPDATE mail_wishes SET looked = $2, told = $3 WHERE visitor = $1 AND looked < $2";
  return (await tx.run(sql, visitor, looked, told)) === 1;
}

/** The anonymous visitor's wish becomes the user's, whose thread theirs was put behind. */
export async function moveWish(tx: Transaction, from: string, to: string, shift: number): Promise<void> {
  await tx.run(
    `INSERT INTO mail_wishes (visitor, page, locale, told, looked)
     SELECT CAST($2 AS TEXT), page, locale, told + $3, looked + $3 FROM mail_wishes WHERE visitor = $1
     ON CONFLICT (visitor) DO NOTHING`,
    from,
    to,
    shift,
  );
}
