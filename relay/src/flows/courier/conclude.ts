import type { FailReason, Message, SentState } from "@porchlight/shared/protocol";
import type { Transaction } from "../../db/database.ts";
import { type LaneHead, laneHeads, removeOutboxEntries } from "../../records/outbox.ts";
import { dropReaction, markAll, messageOf, noteFailures, numbersOf } from "../../records/threads.ts";
import { addTry } from "../../records/tries.ts";
import {
  assertHoldsAccounts,
  type Concluded,
  type Conclusion,
  type CourierDeps,
  type CourierState,
  type EntryToConclude,
  type LastTry,
} from "./state.ts";

/**
 * Removes a message from the outbox, marks it in its thread, and tells the visitor's tabs.
 * @param last the last attempt
 * @returns `next`: the lane's next message; reading it here saves a permit for an empty lane. `gone`: nothing changed, because
 *   the outbox no longer had the message
 * @throws any error of the database; nothing changed in that case
 */
export async function conclude(
  { deps, writeConclusion }: CourierState,
  entry: EntryToConclude | LaneHead,
  state: SentState,
  reason: FailReason | null = null,
  last: LastTry = {},
): Promise<Pick<Concluded, "next" | "gone">> {
  const conclusion = { entry, state, reason, ...last };
  const { n, change, next, gone } = await deps.db.append(writeConclusion, conclusion, [entry.visitor], true);
  if (n !== undefined)
    deps.bus.publish({ visitor: entry.visitor, head: n, ...(change === undefined ? {} : { changes: [change] }) });
  return { next, gone };
}

/**
 * Removes messages from the outbox and marks them in their threads. A refused reaction is removed from its message; a
 * delivered one changes nothing. A message that the outbox no longer has is left as it is. This happens when a node is paused
 * during its call: another node concludes the message, and then the first node gets the lease back, and a late answer.
 */
export async function concludeAll(
  deps: CourierDeps,
  tx: Transaction,
  given: readonly Conclusion[],
): Promise<Concluded[]> {
  const entries = given.map(({ entry }) => entry);
  const visitors = entries.map(({ visitor }) => visitor);
  await assertHoldsAccounts(deps, tx, entries);
  const waited = await removeOutboxEntries(tx, entries);
  const conclusions = given.filter((_, i) => waited[i]);
  const taken = await markMessages(tx, conclusions, deps.clock.now());
  const following = await laneHeads(tx, visitors);
  const failed = conclusions.filter(({ state, entry }) => state === "failed" && entry.reaction === null);
  await noteFailures(
    tx,
    failed.map(({ entry }) => entry),
  );
  const concluded: Concluded[] = [];
  for (const [i, conclusion] of given.entries()) {
    if (!waited[i]) {
      concluded.push({ n: undefined, change: undefined, next: following[i], gone: true });
      continue;
    }
    const { entry, state, reason, refused } = conclusion;
    if (state === "failed") await deps.onFailed(tx, entry, reason ?? "rejected");
    const n = entry.reaction === null ? taken.shift() : await removeReaction(tx, conclusion);
    // Without a number, the visitor was erased.
    if (refused !== undefined && n !== undefined && entry.reaction === null)
      await addTry(tx, entry.visitor, entry.pos, refused);
    concluded.push({ n, change: changeOf(conclusion, n), next: following[i], gone: false });
  }
  return concluded;
}

/** Marks the messages among the conclusions. @returns their new numbers, in order */
async function markMessages(tx: Transaction, conclusions: readonly Conclusion[], settled: number) {
  const visitors = conclusions.map(({ entry }) => entry.visitor);
  const numbers = await numbersOf(tx, visitors);
  const marks = conclusions.flatMap(({ entry: { visitor, pos, reaction }, state, reason, accepted }) =>
    reaction === null ? [{ visitor, pos, state, reason, settled, ...(accepted !== undefined && { accepted }) }] : [],
  );
  const taken = await markAll(tx, numbers, marks);
  await numbers.write(tx);
  return taken;
}

/** Removes a reaction that the service refused. @returns the thread's new number */
const removeReaction = async (tx: Transaction, { entry, state }: Conclusion): Promise<number | undefined> =>
  state === "failed" && entry.reaction !== null
    ? dropReaction(tx, entry.visitor, entry.pos, entry.reaction)
    : undefined;

/** The message as the thread holds it now, when its contents are known. */
const changeOf = ({ entry, state, reason }: Conclusion, n: number | undefined): Message | undefined =>
  n === undefined || entry.reaction !== null || !("text" in entry) ? undefined : messageOf(entry, { n, state, reason });
