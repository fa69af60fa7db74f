import type { Clock } from "../../base/clock.ts";
import type { Site } from "../../base/config.ts";
import { formerMailboxOf, mailboxOf } from "../../base/input-text.ts";
import type { Log } from "../../base/log.ts";
import { keyedHash } from "../../base/sign.ts";
import type { Presence } from "../../bus/presence.ts";
import type { Database, Transaction } from "../../db/database.ts";
import type { Mailer } from "../../hooks/mailer.ts";
import type { StoredEmail } from "../../records/details.ts";
import * as mails from "../../records/mails.ts";
import { dayOf, takeFromEach } from "../../records/quotas.ts";
import type { Sites } from "../../records/sites.ts";

/** Dependencies of the mail flow. */
export type MailDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  sites: Sites;
  presence: Presence;
  mailer: Mailer;
  /** Milliseconds that a visitor must be away, and a reply unread, before the reply is mailed. */
  after: number;
  /** The relay's public address. */
  relay: string;
  /** Key that signs the links in mails. */
  signing: string;
  random: () => number;
  /** Whether this node sends the mails. */
  works: () => boolean;
  /** There are other nodes: visitors may be connected to them. */
  shared: boolean;
};

/** The page from which a visitor wrote, and their language (BCP 47). */
export type VisitorContext = { page: string; locale: string };

/** Most messages in one mail. */
export const LINES_MAX = 200;

/**
 * Most mails a day to one mailbox, however its address is spelt, over all visitors and sites, so that a visitor cannot flood a
 * stranger's mailbox.
 */
const PER_ADDRESS = 3;
/** The same for an address of a signed identity, which cannot be a stranger's. */
const PER_SIGNED_ADDRESS = 20;
/** Most mails a day that the visitors of one site cause. */
const PER_SITE = 1_000;

/** The site, if it sends mail. */
export function mailingSite({ sites }: MailDeps, id: string): Site | undefined {
  const site = sites.find(id);
  return site?.mail === true ? site : undefined;
}

/** A keyed hash of the mailbox that an address names. */
export const hashOfMailbox = ({ signing }: Pick<MailDeps, "signing">, address: string): string =>
  keyedHash(signing, mailboxOf(address));

/**
 * Whether the owner of this address unsubscribed from the site's mails. Links of earlier versions name the whole address, or a
 * mailbox without Gmail's rules.
 */
export async function isUnsubscribed(deps: MailDeps, tx: Transaction, site: string, address: string): Promise<boolean> {
  const former = [formerMailboxOf(address), address].map((spelling) => keyedHash(deps.signing, spelling));
  for (const hash of [hashOfMailbox(deps, address), ...former])
    if (await mails.isUnsubscribed(tx, site, hash)) return true;
  return false;
}

/**
 * Counts one mail against the budgets of address and site.
 * @returns false when one of them is used up for today; then it counts against neither
 */
export async function takeFromBudget(
  deps: MailDeps,
  tx: Transaction,
  { site, email, signed }: StoredEmail & { site: string },
): Promise<boolean> {
  const day = dayOf(deps.clock.now());
  const cap = signed ? PER_SIGNED_ADDRESS : PER_ADDRESS;
  // Some mail servers ignore dots in the name as well.
  const mailbox = hashOfMailbox(deps, email.replace(/\.(?=.*@)/g, ""));
  return takeFromEach(tx, [
    { name: `mail to ${mailbox}`, day, cap },
    { name: `mail of ${site}`, day, cap: PER_SITE },
  ]);
}
