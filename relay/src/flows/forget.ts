import type { Clock } from "../base/clock.ts";
import { limitConcurrency } from "../base/concurrency.ts";
import { RelayError } from "../base/errors.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database, Transaction } from "../db/database.ts";
import { addDeletion, countPart, endDeletion } from "../records/deletions.ts";
import { detailsOf } from "../records/details.ts";
import { forgetEvents } from "../records/events.ts";
import { leadsOf } from "../records/leads.ts";
import { eraseLane } from "../records/ledger/ledger.ts";
import { disownMedia } from "../records/media.ts";
import { addAudit } from "../records/operators.ts";
import {
  answersAbout,
  dropAnswers,
  FIRST_ANSWER,
  newAnswersAbout,
  STALE_MS,
  type VisitorTraces,
} from "../records/requests.ts";
import { isStale } from "../records/retention.ts";
import { dropSessionRows } from "../records/sessions.ts";
import { dropVisitorRows, findVisitor, forgetVisitor, formerIds, ROWS_SLICE } from "../records/visitors.ts";

type ForgetDeps = {
  db: Database;
  bus: Bus;
  clock: Clock;
  /** Called after the visitor's rows are deleted: removes their files and what is held in memory. */
  deleted?: (visitor: string) => void;
  /** Called with the error that interrupted a deletion after its first part. */
  interrupted?: (visitor: string, error: unknown) => void;
};

type Given = {
  /** Deletes the visitor only if the newest message is older than this (ms since 1970), and stops if the visitor writes meanwhile. */
  staleBefore?: number;
  /** Continues a deletion that has begun. Does nothing if this process already works on it, or if none has begun. */
  resume?: boolean;
};

/**
 * Time until the overwriting is repeated, in ms. It fails while another connection reads the database, for example for a
 * backup.
 */
const SCRUB_AGAIN_MS = 2_000;

/** How the stored answers of the server API may name a visitor; undefined for a visitor who never wrote and has no row. */
async function tracesOf(tx: Transaction, visitor: string): Promise<VisitorTraces | undefined> {
  const former = await formerIds(tx, visitor);
  const row = await findVisitor(tx, visitor);
  if (former.length === 0 && row === undefined) return undefined;
  const { email = null, phone = null } = (await detailsOf(tx, visitor)) ?? {};
  const leads = (await leadsOf(tx, visitor)).flatMap((lead) => [lead.contact, lead.email, lead.phone]);
  const names = [row?.contact ?? null, email, phone, ...leads].filter((name) => name !== null);
  return { ids: [visitor, ...former], names: [...new Set(names)] };
}

/** Whether a search for `searched` found everything that a search for these ids and names finds. */
const covers = (searched: VisitorTraces | undefined, { ids, names }: VisitorTraces): boolean =>
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
  { searched, begun, now }: { searched: VisitorTraces | undefined; begun: number; now: number },
): Promise<boolean | "changed"> {
  const traces = await tracesOf(tx, visitor);
  if (traces !== undefined && !covers(searched, traces)) return "changed";
  await disownMedia(tx, visitor);
  await endDeletion(tx, visitor);
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

/** Runs the last part. A deletion that was interrupted adds its entry to the audit log here, because its request could not. */
async function eraseLast(
  tx: Transaction,
  visitor: string,
  { resume, ...given }: Parameters<typeof erase>[2] & { resume: boolean },
): ReturnType<typeof erase> {
  const written = await erase(tx, visitor, given);
  const entry = { at: given.now, actor: "relay", action: "finish interrupted deletion", subject: visitor };
  if (resume && written === true) await addAudit(tx, entry);
  return written;
}

/** Runs a part of a deletion in a transaction. Resolves to `ended` when the visitor must not, or no longer, be deleted. */
type RunPart = <T>(work: (tx: Transaction) => Promise<T>, keys?: readonly string[]) => Promise<T | "ended">;

/**
 * Deletes the rows of a long thread before the visitor's own row, one slice in a transaction: one statement for 14,000 long
 * messages took half a second, in which nobody's message was stored (A27). Deleting the visitor's own row deletes the rest.
 */
async function deleteRows(db: Database, visitor: string, part: RunPart): Promise<void> {
  if (((await findVisitor(db, visitor))?.head ?? 0) <= ROWS_SLICE) return;
  for (const id of [visitor, ...(await formerIds(db, visitor))])
    for (let last: boolean | "ended" = false; !last; ) last = await part((tx) => dropVisitorRows(tx, id), [visitor]);
}

/**
 * The parts of one deletion. The first part stores that the deletion has begun, so that it continues after a kill. Each later part
 * checks that the deletion has not ended: after its end, a person with a signed identity may have returned under the same id.
 */
function partsOf({ db, clock }: ForgetDeps, visitor: string, { staleBefore, resume = false }: Given) {
  let begun = resume;
  const isDue = async (tx: Transaction, before: number | null): Promise<boolean> =>
    before === null || isStale(tx, visitor, before);

  async function goesOn(tx: Transaction): Promise<boolean> {
    const deletion = await countPart(tx, visitor);
    if (deletion === undefined) return false;
    if (await isDue(tx, deletion.stale_before)) return true;
    await endDeletion(tx, visitor);
    return false;
  }
  async function begins(tx: Transaction): Promise<boolean> {
    if (!(await isDue(tx, staleBefore ?? null))) return false;
    await addDeletion(tx, { visitor, begun: clock.now(), staleBefore });
    return true;
  }
  const part: RunPart = async (work, keys) => {
    const done = await db.transaction(
      async (tx) => ((await (begun ? goesOn(tx) : begins(tx))) ? work(tx) : ("ended" as const)),
      keys,
    );
    begun = true;
    return done;
  };
  return { part, hasBegun: () => begun };
}

/**
 * Returns a function that deletes the stored answers about a visitor, before the visitor's rows are deleted: one slice per tick
 * of the event loop, and for one visitor after another. There may be 100,000 answers; a search of all of them in one
 * transaction delayed all visitors for seconds (A27).
 */
function answersDeletion(db: Database): (traces: VisitorTraces) => Promise<void> {
  const limited = limitConcurrency(1);
  return (traces) =>
    limited(async () => {
      for (let after: typeof FIRST_ANSWER | undefined = FIRST_ANSWER; after !== undefined; ) {
        const { found, next }: Awaited<ReturnType<typeof answersAbout>> = await answersAbout(db, traces, after);
        if (found.length > 0) await db.transaction((tx) => dropAnswers(tx, found));
        after = next;
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
}

/**
 * Creates the function that deletes a visitor with the thread and everything that waits to be sent, and tells every tab.
 * "Delete conversation" in the chat calls it, and so do the owner's backend, the operator and the retention job.
 */
export function createForget(deps: ForgetDeps) {
  const { db, bus, clock, deleted } = deps;
  const deleteAnswers = answersDeletion(db);
  /** The visitors whom this process deletes now. */
  const running = new Set<string>();

  /** Overwrites the deleted texts in the database's files too. Repeats until it succeeds. */
  async function scrub(): Promise<void> {
    if (await db.scrub().catch(() => false)) return;
    clock.after(SCRUB_AGAIN_MS, () => void scrub());
  }

  /** Deletes everything about a visitor. @returns whether there was a row; `ended` when nothing may be deleted */
  async function deleteAll(visitor: string, part: RunPart, resume: boolean): Promise<boolean | "ended"> {
    for (;;) {
      const begun = clock.now();
      const searched = await tracesOf(db, visitor);
      if (searched !== undefined) {
        if ((await part(async () => true, [visitor])) === "ended") return "ended";
        await deleteAnswers(searched);
        await deleteRows(db, visitor, part);
      }
      const written = await part((tx) => eraseLast(tx, visitor, { searched, begun, now: clock.now(), resume }));
      if (written !== "changed") return written;
    }
  }

  /** @throws RelayError `deletion_begun` when the deletion failed after its first part; the relay continues it later */
  async function run(visitor: string, given: Given): Promise<boolean> {
    const { part, hasBegun } = partsOf(deps, visitor, given);
    const written = await deleteAll(visitor, part, given.resume === true).catch((error: unknown) => {
      if (!hasBegun()) throw error;
      deps.interrupted?.(visitor, error);
      throw new RelayError("deletion_begun");
    });
    if (written === "ended") return false;
    deleted?.(visitor);
    if (written) await scrub();
    bus.publish({ visitor, head: 0, gone: true });
    return true;
  }

  /** Deletes a visitor. @returns whether this call deleted the visitor */
  return async function forget(visitor: string, given: Given = {}): Promise<boolean> {
    if (given.resume && running.has(visitor)) return false;
    running.add(visitor);
    return run(visitor, given).finally(() => running.delete(visitor));
  };
}

/** Deletes a visitor; see `createForget`. */
export type Forget = ReturnType<typeof createForget>;
