import type { Transaction } from "../db/database.ts";

/** The day of a time in UTC, like `2026-11-22`. @param now milliseconds since 1970 */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10);

/** A quota of a day. `cap`: how many it has. */
type Quota = { name: string; day: string; cap: number };

/** Takes one from the day's quota. @returns false when the quota is used up */
export async function takeOne(tx: Transaction, { name, day, cap }: Quota): Promise<boolean> {
  if (cap < 1) return false;
  const sql = `INSERT INTO quotas (name, day, used) VALUES ($1, $2, 1)
    ON CONFLICT (name, day) DO UPDATE SET used = quotas.used + 1 WHERE quotas.used < $3`;
  return (await tx.run(sql, name, day, cap)) === 1;
}

/** Takes one from each quota, or none from any. @returns false when one of them is used up */
export async function takeFromEach(tx: Transaction, quotas: readonly Quota[]): Promise<boolean> {
  for (const [taken, quota] of quotas.entries()) {
    if (await takeOne(tx, quota)) continue;
    await tx.runEach(
      "UPDATE quotas SET used = used - 1 WHERE name = $1 AND day = $2",
      quotas.slice(0, taken).map(({ name, day }) => [name, day]),
    );
    return false;
  }
  return true;
}

/** How much of the day's quota is used. */
export async function usedOn(tx: Transaction, name: string, day: string): Promise<number> {
  const [row] = await tx.all<{ used: number }>("SELECT used FROM quotas WHERE name = $1 AND day = $2", name, day);
  return row?.used ?? 0;
}

/** Deletes the quotas of days before `before`. */
export async function dropQuotas(tx: Transaction, before: string): Promise<void> {
  await tx.run("DELETE FROM quotas WHERE day < $1", before);
}

const DAY_MS = 86_400_000;
/** A message may use the budget of today or of one of the next six days. */
const BUDGET_DAYS = 7;

/** When the day after `now` begins, in UTC. Both in milliseconds since 1970. */
export const tomorrow = (now: number): number => Date.parse(dayOf(now + DAY_MS));

/** Name of the quota that counts a site's messages of a day. */
export const budgetName = (site: string): string => `messages of ${site}`;

/** A site's daily budget of messages and reactions; `Infinity`: no limit. `now`: milliseconds since 1970. */
type Budget = { site: string; perDay: number; now: number };

/** Takes one from a site's budget of today: for reactions, which cannot wait until tomorrow. @returns false when it is used up */
export const takeToday = (tx: Transaction, { site, perDay, now }: Budget): Promise<boolean> =>
  takeOne(tx, { name: budgetName(site), day: dayOf(now), cap: perDay });

/**
 * Takes one message from a site's daily budget: of today, or of the next day that has room.
 * @returns `due`: when the message may be delivered; `first`: it is the first message today that must wait for another day.
 *   Undefined when the budgets of all `BUDGET_DAYS` days are used up
 */
export async function reserveMessage(
  tx: Transaction,
  { site, perDay, now }: Budget,
): Promise<{ due: number; first: boolean } | undefined> {
  for (let later = 0; later < BUDGET_DAYS; later++) {
    const day = dayOf(now + later * DAY_MS);
    if (!(await takeOne(tx, { name: budgetName(site), day, cap: perDay }))) continue;
    if (later === 0) return { due: now, first: false };
    const first = await takeOne(tx, { name: `told of the ${budgetName(site)}`, day: dayOf(now), cap: 1 });
    return { due: Date.parse(day), first };
  }
  return undefined;
}

/** A day whose budget has room for `room` more messages. `start` and `end`: milliseconds since 1970. */
type DayWithRoom = { day: string; start: number; end: number; room: number };

/** The first day, from today on, whose budget has room; undefined when the budgets of all `BUDGET_DAYS` days are used up. */
export async function firstRoom(tx: Transaction, { site, perDay, now }: Budget): Promise<DayWithRoom | undefined> {
  const sql = "SELECT day, used FROM quotas WHERE name = $1 AND day >= $2";
  const rows = await tx.all<{ day: string; used: number }>(sql, budgetName(site), dayOf(now));
  const used = new Map(rows.map((row) => [row.day, row.used]));
  for (let later = 0; later < BUDGET_DAYS; later++) {
    const day = dayOf(now + later * DAY_MS);
    const room = perDay - (used.get(day) ?? 0);
    const start = Date.parse(day);
    if (room > 0) return { day, start, end: start + DAY_MS, room };
  }
  return undefined;
}

/** Counts messages of a site for another day's budget than before. @param from the day of each message @param to the new day */
export async function moveUse(tx: Transaction, site: string, from: readonly string[], to: string): Promise<void> {
  const name = budgetName(site);
  await tx.runEach(
    "UPDATE quotas SET used = CASE WHEN used > $3 THEN used - $3 ELSE 0 END WHERE name = $1 AND day = $2",
    Array.from(
      Map.groupBy(from, (day) => day),
      ([day, all]) => [name, day, all.length],
    ),
  );
  const sql = `INSERT INTO quotas (name, day, used) VALUES ($1, $2, $3)
    ON CONFLICT (name, day) DO UPDATE SET used = quotas.used + excluded.used`;
  await tx.run(sql, name, to, from.length);
}
