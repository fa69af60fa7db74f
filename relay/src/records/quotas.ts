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
