import type { Site } from "../../base/config.ts";
import type { Transaction } from "../../db/database.ts";
import { heldEntries, moveDue, sitesHolding } from "../../records/outbox.ts";
import { dayOf, firstRoom, moveUse, tomorrow } from "../../records/quotas.ts";
import type { SendState } from "./state.ts";

/** Most messages that one transaction moves: on PostgreSQL, it runs alone. */
const MOVED_AT_ONCE = 500;

/**
 * Moves messages that wait for a later day's budget to the first days whose budget has room now, oldest first. No message
 * moves to a later day: after a budget was lowered, messages keep the day that they already had.
 * @param sites with their present budgets
 */
export async function release(state: SendState, sites: readonly Site[]): Promise<void> {
  const { db, clock } = state.deps;
  const holding = await sitesHolding(db, tomorrow(clock.now()));
  for (const site of sites.filter(({ public: { id } }) => holding.has(id))) {
    let moved = 0;
    do moved = await db.transaction((tx) => moveSome(tx, site, clock.now()));
    while (moved > 0);
  }
  await tellReleased(state, sites);
}

/** Moves messages of a site to the first day whose budget has room. @returns how many; 0 when no message may leave earlier */
async function moveSome(tx: Transaction, site: Site, now: number): Promise<number> {
  const { messagesPerDay: perDay = Number.POSITIVE_INFINITY } = site;
  const { id } = site.public;
  const found = await firstRoom(tx, { site: id, perDay, now });
  if (found === undefined) return 0;
  const { day, start, end, room } = found;
  const entries = await heldEntries(tx, { site: id, from: end, limit: Math.min(room, MOVED_AT_ONCE) });
  if (entries.length === 0) return 0;
  await moveDue(tx, entries, Math.max(now, start));
  const from = entries.map(({ due }) => dayOf(due));
  await moveUse(tx, id, from, day);
  return entries.length;
}

/** Tells the visitors of every site whose messages no longer wait. */
async function tellReleased({ deps, held }: SendState, sites: readonly Site[]): Promise<void> {
  const { db, clock, onReleased } = deps;
  const holding = await sitesHolding(db, tomorrow(clock.now()));
  for (const site of sites) {
    const { id } = site.public;
    if (!holding.has(id) && held.delete(id)) onReleased(site);
  }
}
