import type { Transaction } from "../db/database.ts";

/** A page of the owner's site. `title` is null when the browser sent none. */
export type PageSeen = { url: string; title: string | null };

/** Data by which the owner's backend matches a visitor to a customer. */
export type Profile = {
  /** `sub` of the signed identity; null for an anonymous visitor. */
  sub: string | null;
  /** The service's contact id, once known. */
  contactId: string | null;
  /** The page on which the visitor last wrote. */
  page: PageSeen | null;
};

/** The columns of a profile in `visitors`. */
export type ProfileRow = {
  subject: string | null;
  contact: string | null;
  page: string | null;
  page_title: string | null;
};

/** The profile in a visitor's row. */
export const profileOf = ({ subject, contact, page, page_title: title }: ProfileRow): Profile => ({
  sub: subject,
  contactId: contact,
  page: page === null ? null : { url: page, title },
});

/** The profile of a visitor; every field is null for a visitor without a row. */
export async function findProfile(tx: Transaction, visitor: string): Promise<Profile> {
  const sql = "SELECT subject, contact, page, page_title FROM visitors WHERE id = $1";
  const [row] = await tx.all<ProfileRow>(sql, visitor);
  return profileOf(row ?? { subject: null, contact: null, page: null, page_title: null });
}

/** Stores the owner's own id of a visitor, unless one is stored. */
export async function setSubject(tx: Transaction, visitor: string, subject: string): Promise<void> {
  await tx.run("UPDATE visitors SET subject = $2 WHERE id = $1 AND subject IS NULL", visitor, subject);
}

/** Stores the page on which a visitor wrote. Writes nothing when it is the same page as before. */
export async function setPage(tx: Transaction, visitor: string, { url, title }: PageSeen): Promise<void> {
  await tx.run(
    `UPDATE visitors SET page = $2, page_title = $3
     WHERE id = $1 AND (page IS DISTINCT FROM $2 OR page_title IS DISTINCT FROM $3)`,
    visitor,
    url,
    title,
  );
}
