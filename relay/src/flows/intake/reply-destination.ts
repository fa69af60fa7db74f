import type { Database, Transaction } from "../../db/database.ts";
import type { Sites } from "../../records/sites.ts";
import {
  findVisitor,
  findVisitorRows,
  NO_SITE,
  ownerOf,
  ownersOf,
  type Visitor,
  type VisitorRow,
} from "../../records/visitors.ts";

/** The site and the account that a reply belongs to. */
export type Destination = { site: string; account: string };
/** A visitor whose thread takes a reply, with the thread's site and account. */
export type ReplyThread = Destination & { owner: string };

/**
 * The site and account of a reply: the visitor's own site, if it is of the account in the callback's address. One webhook
 * address may serve all sites and accounts. The callback's `channel` is not used: it may be missing, and two sites may
 * have the same one. A visitor without a row belongs to the only possible site. If several are possible, the visitor
 * belongs to no site until their token names one.
 * @param named the account in the callback's address
 * @returns undefined when the visitor belongs to another account
 */
export function destinationOf(
  sites: Sites,
  row: Visitor | undefined,
  named: string | undefined,
): Destination | undefined {
  const possible = named === undefined ? sites.all : sites.all.filter(({ account }) => account === named);
  const [first, ...others] = possible;
  if (first === undefined) return undefined;
  const account = others.every((other) => other.account === first.account) ? first.account : "";
  if (row === undefined || row.site === NO_SITE)
    return { site: others.length === 0 ? first.public.id : NO_SITE, account };
  const own = sites.find(row.site);
  if (own === undefined) return { site: row.site, account };
  return possible.includes(own) ? { site: row.site, account: own.account } : undefined;
}

/** Finds the visitor whose thread takes a reply to this id. @returns undefined when this relay has none */
export async function findOwner(
  { db, sites }: { db: Database; sites: Sites },
  { visitor, named }: { visitor: string; named?: string },
): Promise<ReplyThread | undefined> {
  const owner = await ownerOf(db, visitor);
  const home = owner === undefined ? undefined : destinationOf(sites, await findVisitor(db, owner), named);
  return owner === undefined || home === undefined ? undefined : { owner, ...home };
}

/** For each id, the visitor whose thread takes a reply to it, and their rows. A visitor with a row owns their own thread. */
export async function ownersAndRows(tx: Transaction, visitors: readonly string[]) {
  const visitorRows = await findVisitorRows(tx, visitors);
  const withoutRow = visitors.filter((visitor) => !visitorRows.has(visitor));
  const found = await ownersOf(tx, withoutRow);
  const owners = new Map<string, string | undefined>(visitors.map((visitor) => [visitor, visitor]));
  for (const [i, visitor] of withoutRow.entries()) owners.set(visitor, found[i]);
  const others = found.filter((owner) => owner !== undefined && !visitorRows.has(owner)) as string[];
  await tx.lock(others);
  for (const [id, visitorRow] of await findVisitorRows(tx, others)) visitorRows.set(id, visitorRow);
  return { owners, visitorRows: visitorRows as Map<string, VisitorRow> };
}
