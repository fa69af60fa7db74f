import type { ErrorFrame } from "@porchlight/shared/protocol";
import type { Transaction } from "../db/database.ts";

/** The fields of a form that its visitor can correct. */
export type LeadField = "phone" | "email";

/** A lead: the contact details that a person left in a form, or that the owner's backend sent. */
export type Lead = {
  visitor: string;
  /** Made by the client; unique per visitor. */
  id: string;
  site: string;
  account: string;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  /** E.164. */
  phone: string | null;
  consent: string | null;
  /** 1: the lead gets a contact of its own; 0: it waits for the contact of the visitor's chat. */
  own: number;
  state: "open" | "done" | "refused";
  problem: string | null;
  /** The field that the service refused, where that is known. */
  field: LeadField | null;
  /** JSON array of the lead's own lists; null: the lists of its site. */
  lists: string | null;
  contact: string | null;
  attempts: number;
  /** Milliseconds since 1970. */
  due: number;
  at: number;
};

const COLUMNS = `visitor, id, site, account, first_name AS "firstName", last_name AS "lastName", email, phone, consent, own,
  state, problem, field, lists, contact, attempts, due, at`;

type NewLead = Omit<Lead, "state" | "problem" | "field" | "contact" | "attempts">;
type LeadName = Pick<Lead, "visitor" | "id">;

/**
 * Suffix of a lead's id. Such a lead creates a contact for the phone number of a visitor who chats; the form's id is
 * before it.
 */
export const PHONE_SUFFIX = "-phone";

/** Stores a lead. A lead with the same id starts again. */
export async function addLead(tx: Transaction, lead: NewLead): Promise<void> {
  await tx.run(
    `INSERT INTO leads (visitor, id, site, account, first_name, last_name, email, phone, consent, own, state, due, at, lists)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'open', $11, $12, $13)
     ON CONFLICT (visitor, id) DO UPDATE SET first_name = excluded.first_name, last_name = excluded.last_name,
       email = excluded.email, phone = excluded.phone, consent = excluded.consent, state = 'open', problem = NULL,
       field = NULL, contact = NULL, attempts = 0, due = excluded.due, at = excluded.at`,
    lead.visitor,
    lead.id,
    lead.site,
    lead.account,
    lead.firstName,
    lead.lastName,
    lead.email,
    lead.phone,
    lead.consent,
    lead.own,
    lead.due,
    lead.at,
    lead.lists,
  );
}

/** Deletes a lead, if it exists. */
export async function dropLead(tx: Transaction, visitor: string, id: string): Promise<void> {
  await tx.run("DELETE FROM leads WHERE visitor = $1 AND id = $2", visitor, id);
}

/** The visitor's lead with this id; undefined when there is none. */
export async function findLead(tx: Transaction, visitor: string, id: string): Promise<Lead | undefined> {
  const [lead] = await tx.all<Lead>(`SELECT ${COLUMNS} FROM leads WHERE visitor = $1 AND id = $2`, visitor, id);
  return lead;
}

/** Number of a visitor's leads, in every state. */
export async function countLeads(tx: Transaction, visitor: string): Promise<number> {
  const [row] = await tx.all<{ count: number }>("SELECT count(*) AS count FROM leads WHERE visitor = $1", visitor);
  return row?.count ?? 0;
}

/** Leads to work on: those that are due, and those whose visitor's contact has become known. */
export async function dueLeads(tx: Transaction, now: number, limit: number): Promise<Lead[]> {
  return tx.all(
    `SELECT ${COLUMNS} FROM leads WHERE state = 'open' AND (due <= $1 OR (own = 0 AND contact IS NULL
       AND EXISTS (SELECT 1 FROM visitors v WHERE v.id = leads.visitor AND v.contact IS NOT NULL)))
     ORDER BY due LIMIT $2`,
    now,
    limit,
  );
}

/** Claims a lead until `until`, so that one process works on it. @returns false when another process has claimed it */
export async function claimLead(tx: Transaction, lead: Lead, until: number): Promise<boolean> {
  const { visitor, id, due } = lead;
  const sql = "UPDATE leads SET due = $4 WHERE visitor = $1 AND id = $2 AND due = $3 AND state = 'open'";
  return (await tx.run(sql, visitor, id, due, until)) === 1;
}

/** Leads that a process claimed before it ended become due again. @param until the latest end of such a claim */
export async function releaseLeads(tx: Transaction, now: number, until: number): Promise<void> {
  await tx.run("UPDATE leads SET due = $1 WHERE state = 'open' AND due > $1 AND due <= $2", now, until);
}

/** The problem of a lead whose call was not made, because its account makes no calls now. */
export const HELD_BACK = "the account is held back";

/** Leads that wait because their account's key was refused become due. @returns their number */
export async function retryRefusedKey(tx: Transaction, account: string, now: number): Promise<number> {
  return tx.run(
    `UPDATE leads SET due = $2 WHERE account = $1 AND state = 'open' AND due > $2
     AND (problem LIKE '401:%' OR problem LIKE '3__:%' OR problem LIKE $3)`,
    account,
    now,
    `%${HELD_BACK}%`,
  );
}

/** Stores the new state of a lead. */
export async function setLead(
  tx: Transaction,
  { visitor, id }: LeadName,
  next: Pick<Lead, "state" | "problem" | "field" | "contact" | "attempts" | "due">,
): Promise<void> {
  await tx.run(
    `UPDATE leads SET state = $3, problem = $4, contact = $5, attempts = $6, due = $7, field = $8
     WHERE visitor = $1 AND id = $2`,
    visitor,
    id,
    next.state,
    next.problem,
    next.contact,
    next.attempts,
    next.due,
    next.field,
  );
}

/** Makes an unfinished or refused lead due now. @returns undefined when the site has no such lead */
export async function renewLead(
  tx: Transaction,
  { visitor, id, site }: LeadName & Pick<Lead, "site">,
  now: number,
): Promise<Lead | undefined> {
  const [lead] = await tx.all<Lead>(
    `UPDATE leads SET state = 'open', field = NULL, attempts = 0, due = $4
     WHERE visitor = $1 AND id = $2 AND site = $3 AND state <> 'done' RETURNING ${COLUMNS}`,
    visitor,
    id,
    site,
    now,
  );
  return lead;
}

/** The id of the form that a lead comes from. */
export async function formOf(tx: Transaction, { visitor, id }: LeadName): Promise<string> {
  const form = id.endsWith(PHONE_SUFFIX) ? id.slice(0, -PHONE_SUFFIX.length) : id;
  return form !== id && (await findLead(tx, visitor, form)) !== undefined ? form : id;
}

/** The error frame for a form: the service refused this field. */
export const formErrorOf = (form: string, field: LeadField): ErrorFrame => ({
  t: "error",
  code: `invalid_${field}`,
  id: form,
  field,
});

/**
 * The error frame for the visitor's newest form, if the service refused a field that the visitor can correct.
 * @param since older forms are ignored, milliseconds since 1970
 */
export async function formErrorFor(tx: Transaction, visitor: string, since: number): Promise<ErrorFrame | undefined> {
  const [newest] = await tx.all<Lead>(
    `SELECT ${COLUMNS} FROM leads WHERE visitor = $1 AND at >= $2 ORDER BY at DESC, id DESC LIMIT 1`,
    visitor,
    since,
  );
  if (newest?.state !== "refused" || newest.field === null) return undefined;
  return formErrorOf(await formOf(tx, newest), newest.field);
}

/** A form that the service refused at `at`, milliseconds since 1970, for a field that the visitor can correct. */
export type FormRefusal = { visitor: string; at: number; error: ErrorFrame };

/** The forms that were refused since a time, in ms since 1970. @param isHere selects the visitors */
export async function refusalsSince(
  tx: Transaction,
  since: number,
  isHere: (visitor: string) => boolean,
): Promise<FormRefusal[]> {
  const sql = `SELECT ${COLUMNS} FROM leads WHERE state = 'refused' AND due >= $1`;
  const refusals: FormRefusal[] = [];
  for (const lead of await tx.all<Lead>(sql, since))
    if (lead.field !== null && isHere(lead.visitor)) {
      const error = formErrorOf(await formOf(tx, lead), lead.field);
      refusals.push({ visitor: lead.visitor, at: lead.due, error });
    }
  return refusals;
}

type Page = {
  site: string;
  state?: Lead["state"];
  after?: { at: number; visitor: string; id: string };
  skip?: number;
  limit: number;
};

/**
 * A page of a site's leads, newest first, optionally of one state. `after`: the last lead of the previous page. `skip`: leads
 * before the page.
 */
export async function leadsPage(tx: Transaction, { site, state, after, skip = 0, limit }: Page): Promise<Lead[]> {
  return tx.all(
    `SELECT ${COLUMNS} FROM leads WHERE site = $1 AND state = coalesce($6, state)
       AND (at, visitor, id) < ($2, $3, $4)
     ORDER BY at DESC, visitor DESC, id DESC LIMIT $5 OFFSET $7`,
    site,
    after?.at ?? Number.MAX_SAFE_INTEGER,
    after?.visitor ?? "",
    after?.id ?? "",
    limit,
    state ?? null,
    skip,
  );
}

/** Counts leads that need attention: those refused since `since`, and those that wait because the service refuses a step. */
export async function leadTroubles(
  tx: Transaction,
  site: string,
  since: number,
): Promise<{ refused: number; waiting: number; problem: string | null }> {
  const [row] = await tx.all<{ refused: number | null; waiting: number | null; problem: string | null }>(
    `SELECT sum(CASE WHEN state = 'refused' AND at >= $2 THEN 1 ELSE 0 END) AS refused,
       sum(CASE WHEN state = 'open' AND problem LIKE '4%' THEN 1 ELSE 0 END) AS waiting,
       max(CASE WHEN state = 'open' AND problem LIKE '4%' OR state = 'refused' AND at >= $2 THEN problem END) AS problem
     FROM leads WHERE site = $1`,
    site,
    since,
  );
  return { refused: row?.refused ?? 0, waiting: row?.waiting ?? 0, problem: row?.problem ?? null };
}

/** A visitor's leads, oldest first. */
export async function leadsOf(tx: Transaction, visitor: string): Promise<Lead[]> {
  return tx.all(`SELECT ${COLUMNS} FROM leads WHERE visitor = $1 ORDER BY at, id`, visitor);
}

/** Moves an anonymous visitor's leads to the user. */
export async function moveLeads(tx: Transaction, from: string, to: string): Promise<void> {
  await tx.run("UPDATE leads SET visitor = $2 WHERE visitor = $1", from, to);
}
