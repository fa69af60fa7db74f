import { hundredths } from "../../base/amount.ts";
import type { Transaction } from "../../db/database.ts";
import { spend } from "../../records/daily-credits.ts";
import { type GrantContent, isGrantable } from "../../records/ledger/grants.ts";
import { isDistrusted } from "../../records/ledger/restored.ts";
import { dayOf } from "../../records/quotas.ts";
import type { CreditsDeps, Obstacle } from "./state.ts";

/**
 * Decides whether a recharge is granted without a person. If so, takes its amount from the account's daily limit.
 * @param now milliseconds since 1970
 * @returns why it must wait; undefined when it may be granted
 */
export async function obstacle(
  { rules }: Pick<CreditsDeps, "rules">,
  tx: Transaction,
  { account, email, amount }: Pick<GrantContent, "email" | "amount"> & { account: string },
  now: number,
): Promise<Obstacle | undefined> {
  const rule = rules(account);
  if (email === undefined || amount === undefined) return "unresolved";
  if (await isDistrusted(tx)) return "restored";
  if (rule.mode === "manual") return "approval";
  if (!isGrantable(amount, rule)) return "tooMuch";
  if (rule.mode === "auto" && !rule.allow.includes(email)) return "notAllowed";
  const share = { account, day: dayOf(now), amount: hundredths(amount), cap: hundredths(rule.perDay) };
  return (await spend(tx, share)) ? undefined : "dayFull";
}
