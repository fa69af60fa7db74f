import type { Transaction } from "../db/database.ts";

/**
 * Takes an amount from the account's daily limit of automatic grants.
 * @param day UTC, as YYYY-MM-DD
 * @param amount in hundredths of a credit, like `cap`
 * @returns false, and takes nothing, when the limit would be exceeded
 */
export async function spend(
  tx: Transaction,
  { account, day, amount, cap }: { account: string; day: string; amount: number; cap: number },
): Promise<boolean> {
  await tx.run(
    "INSERT INTO credit_days (account, day, spent) VALUES ($1, $2, 0) ON CONFLICT (account, day) DO NOTHING",
    account,
    day,
  );
  const changed = await tx.run(
    "UPDATE credit_days SET spent = spent + $3 WHERE account = $1 AND day = $2 AND spent + $3 <= $4",
    account,
    day,
    amount,
    cap,
  );
  return changed === 1;
}
