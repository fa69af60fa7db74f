import type { Clock } from "../base/clock.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import { detailsOf } from "../records/details.ts";
import { forgetEvents } from "../records/events.ts";
import { leadsOf } from "../records/leads.ts";
import { blankLane } from "../records/ledger/ledger.ts";
import { disownMedia } from "../records/media.ts";
import { forgetRequests } from "../records/requests.ts";
import { dropSessionRows } from "../records/sessions.ts";
import { findVisitor, forgetVisitor, formerIds } from "../records/visitors.ts";

type ForgetDeps = {
  db: Database;
  bus: Bus;
  clock: Clock;
  /** Called after the visitor's rows are deleted: removes their files and what is held in memory. */
  deleted?: (visitor: string) => void;
};

/**
 * Overwriting fails while another connection reads the database, for example for a backup. It is repeated after this time, in
 * ms.
 */
const SCRUB_AGAIN_MS = 2_000;

/** Texts that identify a person besides the visitor's id. Answers that are stored for repeats may contain them. */
async function namesOf(tx: Transaction, visitor: string): Promise<string[]> {
  const { contact = null } = (await findVisitor(tx, visitor)) ?? {};
  const { email = null, phone = null } = (await detailsOf(tx, visitor)) ?? {};
  const leads = (await leadsOf(tx, visitor)).flatMap((lead) => [lead.contact, lead.email, lead.phone]);
  return [...new Set([contact, email, phone, ...leads])].filter((name) => name !== null);
}

/** "Delete conversation": deletes the visitor, the thread and what waits to be sent, and tells every tab. */
export function createForget({ db, bus, clock, deleted }: ForgetDeps) {
  /** Overwrites the deleted texts in the database's files too. Repeats until it succeeds. */
  async function scrub(): Promise<void> {
    if (await db.scrub().catch(() => false)) return;
    clock.after(SCRUB_AGAIN_MS, () => void scrub());
  }

  /**
   * Deletes a visitor.
   * @param isDue checked in the same transaction; if it returns false, nothing is deleted
   * @returns whether the visitor was deleted
   */
  return async function forget(
    visitor: string,
    isDue: (tx: Transaction) => Promise<boolean> = async () => true,
  ): Promise<boolean> {
    const written = await db.transaction(async (tx) => {
      if (!(await isDue(tx))) return undefined;
      await disownMedia(tx, visitor);
      const former = await formerIds(tx, visitor);
      // A visitor who never wrote has no row and gets none. Nothing is searched for them: that takes time (A27).
      if (former.length === 0 && (await findVisitor(tx, visitor)) === undefined) return false;
      const names = await namesOf(tx, visitor);
      const ids = [visitor, ...former];
      for (const id of ids) {
        await blankLane(tx, "send", id);
        await forgetEvents(tx, id);
      }
      await forgetRequests(tx, ids, names);
      // No token of a deleted visitor is accepted.
      await dropSessionRows(tx, visitor);
      await forgetVisitor(tx, visitor, clock.now());
      return true;
    });
    if (written === undefined) return false;
    deleted?.(visitor);
    if (written) await scrub();
    bus.publish({ visitor, head: 0, gone: true });
    return true;
  };
}

export type Forget = ReturnType<typeof createForget>;
