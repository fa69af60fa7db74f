import type { Transaction } from "../db/database.ts";

/**
 * Contact details of a visitor. The phone number of a form is in E.164; that of a signed identity is as the owner's backend
 * wrote it.
 */
export type Details = { firstName?: string; lastName?: string; email?: string; phone?: string };

type Row = { first_name: string | null; last_name: string | null; email: string | null; version: number };

/**
 * Stores the given fields and keeps the others. The visitor's row must exist.
 * @param signed whether they came from a signed identity; a visitor who types the signed address again keeps it signed
 */
export async function setDetails(
  tx: Transaction,
  visitor: string,
  given: Details,
  { signed }: { signed: boolean },
): Promise<void> {
  const { firstName = null, lastName = null, email = null, phone = null } = given;
  if ((firstName ?? lastName ?? email ?? phone) === null) return;
  await tx.run(
    `INSERT INTO details (visitor, first_name, last_name, email, phone, version, email_signed)
       VALUES ($1, $2, $3, $4, $5, 1, $6)
     ON CONFLICT (visitor) DO UPDATE SET
       first_name = coalesce(excluded.first_name, details.first_name),
       last_name = coalesce(excluded.last_name, details.last_name),
       email = coalesce(excluded.email, details.email),
       phone = coalesce(excluded.phone, details.phone),
       email_signed = CASE WHEN excluded.email IS NULL THEN details.email_signed
         WHEN excluded.email = details.email AND details.email_signed = 1 THEN 1 ELSE excluded.email_signed END,
       version = details.version + CASE WHEN
         coalesce(excluded.first_name, details.first_name) IS NOT DISTINCT FROM details.first_name
         AND coalesce(excluded.last_name, details.last_name) IS NOT DISTINCT FROM details.last_name
         AND coalesce(excluded.email, details.email) IS NOT DISTINCT FROM details.email THEN 0 ELSE 1 END`,
    visitor,
    firstName,
    lastName,
    email,
    phone,
    signed ? 1 : 0,
  );
}

/** Email and phone of a visitor; undefined when nothing is stored. */
export async function detailsOf(
  tx: Transaction,
  visitor: string,
): Promise<{ email: string | null; phone: string | null } | undefined> {
  const [row] = await tx.all<{ email: string | null; phone: string | null }>(
    "SELECT email, phone FROM details WHERE visitor = $1",
    visitor,
  );
  return row;
}

/** The details that the service does not know yet, with their version for `markDetailsSent`; undefined when it knows all. */
export async function unsentDetails(
  tx: Transaction,
  visitor: string,
): Promise<{ details: Omit<Details, "phone">; version: number } | undefined> {
  const [row] = await tx.all<Row>(
    "SELECT first_name, last_name, email, version FROM details WHERE visitor = $1 AND told < version",
    visitor,
  );
  if (row === undefined) return undefined;
  const { first_name, last_name, email, version } = row;
  const details = {
    ...(first_name === null ? {} : { firstName: first_name }),
    ...(last_name === null ? {} : { lastName: last_name }),
    ...(email === null ? {} : { email }),
  };
  return { details, version };
}

/** Records that the service knows this version of the details. */
export async function markDetailsSent(tx: Transaction, visitor: string, version: number): Promise<void> {
  await tx.run("UPDATE details SET told = $2 WHERE visitor = $1 AND told < $2", visitor, version);
}

/** An email address of a visitor. `signed`: 1 if it came from a signed identity; 0 if the visitor typed it. */
export type StoredEmail = { email: string; signed: number };

/** The visitor's email address, and whether a signed identity named it; undefined when there is none. */
export async function storedEmail(tx: Transaction, visitor: string): Promise<StoredEmail | undefined> {
  const [row] = await tx.all<StoredEmail>(
    "SELECT email, email_signed AS signed FROM details WHERE visitor = $1 AND email IS NOT NULL",
    visitor,
  );
  return row;
}
