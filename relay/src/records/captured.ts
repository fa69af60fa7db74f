import type { Transaction } from "../db/database.ts";

/** A lead: somebody who left a name, an e-mail or a phone. */
export type Lead = {
  visitor: string;
  /** The client's, unique per visitor. */
  id: string;
  site: string;
  account: string;
  firstName: string | null;
  lastName: string | null;
  email: string | null;
  /** E.164. */
  phone: string | null;
  consent: string | null;
  /** 1: a contact is made for it; 0: the contact of the visitor's chat is waited for. */
  own: number;
  state: "open" | "done" | "refused";
  problem: string | null;
  contact: string | null;
  attempts: number;
  /** Milliseconds since 1970. */
  due: number;
  at: number;
};

const COLUMNS = `visitor, id, site, account, first_name AS "firstName", last_name AS "lastName", email, phone, consent, own,
  state, problem, contact, attempts, due, at`;

type NewLead = Omit<Lead, "state" | "problem" | "contact" | "attempts">;

/** Writes a lead down; the same id again replaces one that was refused, and leaves any other as it is. */
export async function addLead(tx: Transaction, lead: NewLead): Promise<void> {
  await tx.run(
    `INSERT INTO leads (visitor, id, site, account, first_name, last_name, email, phone, consent, own, state, due, at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'open', $11, $12)
     ON CONFLICT (visitor, id) DO UPDATE SET first_name = excluded.first_name, last_name = excluded.last_name,
       email = excluded.email, phone = excluded.phone, consent = excluded.consent, state = 'open', problem = NULL,
       attempts = 0, due = excluded.due, at = excluded.at WHERE leads.state = 'refused'`,
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
  );
}

export async function findLead(tx: Transaction, visitor: string, id: string): Promise<Lead | undefined> {
  const [lead] = await tx.all<Lead>(`SELECT ${COLUMNS} FROM leads WHERE visitor = $1 AND id = $2`, visitor, id);
  return lead;
}

export async function countLeads(tx: Transaction, visitor: string): Promise<number> {
  const [row] = await tx.all<{ count: number }>("SELECT count(*) AS count FROM leads WHERE visitor = $1", visitor);
  return row?.count ?? 0;
}

/** Leads that may go on: those due, and those whose visitor's contact is known by now. */
export async function dueLeads(tx: Transaction, now: number, limit: number): Promise<Lead[]> {
  return tx.all(
    `SELECT ${COLUMNS} FROM leads WHERE state = 'open' AND (due <= $1 OR (own = 0 AND contact IS NULL
       AND EXISTS (SELECT 1 FROM visitors v WHERE v.id = leads.visitor AND v.contact IS NOT NULL)))
     ORDER BY due LIMIT $2`,
    now,
    limit,
  );
}

/** Takes a lead for a while, so that one process works on it. @returns false when another one took it */
export async function holdLead(tx: Transaction, lead: Lead, until: number): Promise<boolean> {
  const { visitor, id, due } = lead;
  const sql = "UPDATE leads SET due = $4 WHERE visitor = $1 AND id = $2 AND due = $3 AND state = 'open'";
  return (await tx.run(sql, visitor, id, due, until)) === 1;
}

/** Where a lead stands now. */
export async function setLead(
  tx: Transaction,
  { visitor, id }: Pick<Lead, "visitor" | "id">,
  next: Pick<Lead, "state" | "problem" | "contact" | "attempts" | "due">,
): Promise<void> {
  await tx.run(
    "UPDATE leads SET state = $3, problem = $4, contact = $5, attempts = $6, due = $7 WHERE visitor = $1 AND id = $2",
    visitor,
    id,
    next.state,
    next.problem,
    next.contact,
    next.attempts,
    next.due,
  );
}

/** A site's leads, newest first, after the one that ended the page before. */
export async function leadsPage(
  tx: Transaction,
  { site, after, limit }: { site: string; after?: { at: number; visitor: string; id: string }; limit: number },
): Promise<Lead[]> {
  return tx.all(
    `SELECT ${COLUMNS} FROM leads WHERE site = $1
       AND (at < $2 OR (at = $2 AND (visitor < $3 OR (visitor = $3 AND id < $4))))
     ORDER BY at DESC, visitor DESC, id DESC LIMIT $5`,
    site,
    after?.at ?? Number.MAX_SAFE_INTEGER,
    after?.visitor ?? "",
    after?.id ?? "",
    limit,
  );
}

/** What one visitor filled in, oldest first. */
export async function leadsOf(tx: Transaction, visitor: string): Promise<Lead[]> {
  return tx.all(`SELECT ${COLUMNS} FROM leads WHERE visitor = $1 ORDER BY at, id`, visitor);
}

/** The anonymous visitor's leads become the user's. */
export async function moveLeads(tx: Transaction, from: string, to: string): Promise<void> {
  await tx.run("UPDATE leads SET visitor = $2 WHERE visitor = $1", from, to);
}
