import type { Transaction } from "../db/database.ts";
import { dayOf, takeOne } from "./quotas.ts";

const DAY_MS = 86_400_000;
/** Messages wait for the budget of so many days; more than that is no conversation any more. */
const DAYS = 7;

/** What a site's messages of a day are counted under. */
export const budgetOf = (site: string): string => `messages of ${site}`;

/**
 * Takes one message from a site's budget: of today, or of the next day that has room.
 * @returns when it may go, and whether it is the first of its day that must wait; nothing when the week is full
 */
export async function reserve(
  tx: Transaction,
  { site, perDay, now }: { site: string; perDay: number; now: number },
): Promise<{ due: number; first: boolean } | undefined> {
  for (let later = 0; later < DAYS; later++) {
    const day = dayOf(now + later * DAY_MS);
    if (!(await takeOne(tx, { name: budgetOf(site), day, cap: perDay }))) continue;
    if (later === 0) return { due: now, first: false };
    const first = await takeOne(tx, { name: `told of the ${budgetOf(site)}`, day: dayOf(now), cap: 1 });
    return { due: Date.parse(day), first };
  }
  return undefined;
}
