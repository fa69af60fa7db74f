import type { Transaction } from "../db/database.ts";

/** The day of a time, by UTC: `2026-11-22`. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

/** Takes one from what may be done on a day, or takes nothing. @returns whether there was one left */
export async function takeOne(
  tx: Transaction,
  { name, day, cap }: { name: string; day: string; cap: number },
): Promise<boolean> {
  if (cap < 1) return false;
  const sql = `INSERT INTO quotas (name, day, used) VALUES ($1, $2, 1)
    ON CONFLICT (name, day) DO UPDATE SET used = quotas.used + 1 WHERE quotas.used < $3`;
  return (await tx.run(sql, name, day, cap)) === 1;
}

/** How much of a day's quota is used. */
export async function usedOn(tx: Transaction, name: string, day: string): Promise<number> {
  const [row] = await tx.all<{ used: number }>("SELECT used FROM quotas WHERE name = $1 AND day = $2", name, day);
  return row?.used ?? 0;
}

/** Days that are over. */
export async function dropQuotas(tx: Transaction, before: string): Promise<void> {
  await tx.run("DELETE FROM quotas WHERE day < $1", before);
}

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
