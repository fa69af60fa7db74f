import type { Clock } from "../base/clock.ts";
import { limitConcurrency } from "../base/concurrency.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import { detailsOf } from "../records/details.ts";
import { forgetEvents } from "../records/events.ts";
import { leadsOf } from "../records/leads.ts";
import { eraseLane } from "../records/ledger/ledger.ts";
import { disownMedia } from "../records/media.ts";
import {
  answersAbout,
  dropAnswers,
  FIRST_ANSWER,
  newAnswersAbout,
  STALE_MS,
  type Traces,
} from "../records/requests.ts";
import { dropSessionRows } from "../records/sessions.ts";
import { dropVisitorRows, findVisitor, forgetVisitor, formerIds, ROWS_SLICE } from "../records/visitors.ts";

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

/** How stored answers may name a visitor; undefined for a visitor who never wrote and has no row. */
async function tracesOf(tx: Transaction, visitor: string): Promise<Traces | undefined> {
  const former = await formerIds(tx, visitor);
  const row = await findVisitor(tx, visitor);
  if (former.length === 0 && row === undefined) return undefined;
  const { email = null, phone = null } = (await detailsOf(tx, visitor)) ?? {};
  const leads = (await leadsOf(tx, visitor)).flatMap((lead) => [lead.contact, lead.email, lead.phone]);
  const names = [row?.contact ?? null, email, phone, ...leads].filter((name) => name !== null);
  return { ids: [visitor, ...former], names: [...new Set(names)] };
}

/** Whether the second one names nothing that the first one lacks. */
const covers = (searched: Traces | undefined, { ids, names }: Traces): boolean =>
  searched !== undefined &&
  ids.every((id) => searched.ids.includes(id)) &&
  names.every((name) => searched.names.includes(name));

/**
 * Deletes the rows of a visitor.
 * @param searched what the stored answers were searched for; the search began at `begun`, milliseconds since 1970
 * @returns whether there was a row; `changed` if the answers must be searched again first
 */
async function erase(
  tx: Transaction,
  visitor: string,
  { searched, begun, now }: { searched: Traces | undefined; begun: number; now: number },
): Promise<boolean | "changed"> {
  const traces = await tracesOf(tx, visitor);
  if (traces !== undefined && !covers(searched, traces)) return "changed";
  await disownMedia(tx, visitor);
  // A visitor who never wrote has no row and gets none. Nothing is searched for them: that takes time (A27).
  if (traces === undefined) return false;
  for (const id of traces.ids) {
    await eraseLane(tx, "send", id);
    await forgetEvents(tx, id);
  }
  await dropAnswers(tx, await newAnswersAbout(tx, traces, begun - STALE_MS));
  // No token of a deleted visitor is accepted.
  await dropSessionRows(tx, visitor);
  await forgetVisitor(tx, visitor, now);
  return true;
}

/**
 * Deletes the rows of a long thread before the visitor, one slice in a transaction: one statement for 14,000 long messages took half
 * a second, in which nobody's message was stored (A27). The visitor deletes the rest.
 */
async function deleteRows(db: Database, visitor: string, isDue: (tx: Transaction) => Promise<boolean>): Promise<void> {
  if (((await findVisitor(db, visitor))?.head ?? 0) <= ROWS_SLICE) return;
  for (const id of [visitor, ...(await formerIds(db, visitor))])
    for (let last = false; !last; )
      last = await db.transaction(async (tx) => !(await isDue(tx)) || dropVisitorRows(tx, id), [visitor]);
}

/** "Delete conversation": deletes the visitor, the thread and what waits to be sent, and tells every tab. */
export function createForget({ db, bus, clock, deleted }: ForgetDeps) {
  const limited = limitConcurrency(1);

  /**
   * Deletes the stored answers about a visitor, before the visitor: one slice in a turn of the event loop, and for one visitor
   * after another. There may be 100,000 answers; a search of all of them in one transaction delayed all visitors for seconds
   * (A27).
   */
  const deleteAnswers = (traces: Traces): Promise<void> =>
    limited(async () => {
      for (let after: typeof FIRST_ANSWER | undefined = FIRST_ANSWER; after !== undefined; ) {
        const { found, next }: Awaited<ReturnType<typeof answersAbout>> = await answersAbout(db, traces, after);
        if (found.length > 0) await db.transaction((tx) => dropAnswers(tx, found));
        after = next;
        await new Promise((resolve) => setImmediate(resolve));
      }
    });

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
    let written: boolean | "changed" | undefined = "changed";
    while (written === "changed") {
      const begun = clock.now();
      if (!(await isDue(db))) return false;
      const searched = await tracesOf(db, visitor);
      if (searched !== undefined) await deleteAnswers(searched);
      await deleteRows(db, visitor, isDue);
      written = await db.transaction(async (tx) =>
        (await isDue(tx)) ? erase(tx, visitor, { searched, begun, now: clock.now() }) : undefined,
      );
    }
    if (written === undefined) return false;
    deleted?.(visitor);
    if (written) await scrub();
    bus.publish({ visitor, head: 0, gone: true });
    return true;
  };
}

export type Forget = ReturnType<typeof createForget>;
