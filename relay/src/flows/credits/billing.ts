import type { Clock } from "../../base/clock.ts";
import type { CreditRules } from "../../base/rules.ts";
import type { RechargeBody } from "../../hooks/payloads.ts";
import type { Hooks } from "../../hooks/post.ts";

/** A recharge that the billing webhook has to approve or decline. `amount`: credits. */
export type BillingQuestion = { key: string; email: string; amount: number };
/** The decision of the billing webhook. `amount`: the amount to grant instead, unchecked; absent when it does not change. */
export type BillingAnswer = { approve: boolean; amount?: unknown };
/** Asks an account's billing webhook. Resolves to undefined when there is no valid answer. */
export type Billing = (account: string, question: BillingQuestion) => Promise<BillingAnswer | undefined>;

type BillingDeps = {
  clock: Clock;
  hooks: Pick<Hooks, "post">;
  rulesOf: (account: string) => CreditRules;
};

/** Creates the function that asks an account's billing webhook, with a signed request, whether a recharge is paid for. */
export const createBilling =
  ({ clock, hooks, rulesOf }: BillingDeps): Billing =>
  async (account, question) => {
    const { billing } = rulesOf(account);
    if (billing === undefined) return undefined;
    const asked: RechargeBody = { type: "recharge.requested", account, ...question };
    const hook = { ...billing, id: question.key, body: JSON.stringify(asked) };
    const { status, text } = await hooks.post(hook, clock.now());
    return status >= 200 && status < 300 ? parseAnswer(text) : undefined;
  };

/** Parses `{approve: boolean, amount?: unknown}`. @returns undefined for any other text */
function parseAnswer(text: string): BillingAnswer | undefined {
  try {
    const { approve, amount } = JSON.parse(text) as { approve?: unknown; amount?: unknown };
    return typeof approve === "boolean" ? { approve, amount } : undefined;
  } catch {
    return undefined;
  }
}
