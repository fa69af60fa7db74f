import type { Transaction } from "../db/database.ts";

/** Contacts that this relay added to lists. Changes that people make in the service's own pages are not known here. */

/** Whether the relay has added this contact to this list before. */
export async function isMember(tx: Transaction, account: string, contact: string, list: string): Promise<boolean> {
  const sql = "SELECT 1 FROM memberships WHERE account = $1 AND contact = $2 AND list = $3";
  return (await tx.all(sql, account, contact, list)).length > 0;
}

/** Records that the relay has added a contact to a list. */
export async function addMember(
  tx: Transaction,
  { account, contact, list, at }: { account: string; contact: string; list: string; at: number },
): Promise<void> {
  await tx.run(
    `INSERT INTO memberships (account, contact, list, at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account, contact, list) DO NOTHING`,
    account,
    contact,
    list,
    at,
  );
}
