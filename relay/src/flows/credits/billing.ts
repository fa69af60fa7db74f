import type { Clock } from "../../base/clock.ts";
import type { CreditRules } from "../../base/rules.ts";
import type { RechargeBody } from "../../hooks/payloads.ts";
import type { Hooks } from "../../hooks/post.ts";

/** A recharge that the billing address decides. `amount`: credits. */
export type BillingQuestion = { key: string; email: string; amount: number };
/** The decision of the billing address. `amount`: as it was sent, unchecked; absent when it changes nothing. */
export type BillingAnswer = { approve: boolean; amount?: unknown };
/** Asks an account's billing address; resolves to nothing without a decision. */
export type Billing = (account: string, question: BillingQuestion) => Promise<BillingAnswer | undefined>;

type BillingDeps = {
  clock: Clock;
  hooks: Pick<Hooks, "post">;
  rulesOf: (account: string) => CreditRules;
};

/** Asks the agency's billing address, with a signed request, whether a recharge is paid for. */
export const createBilling =
  ({ clock, hooks, rulesOf }: BillingDeps): Billing =>
  async (account, question) => {
    const { billing } = rulesOf(account);
    if (billing === undefined) return undefined;
    const asked: RechargeBody = { type: "recharge.requested", account, ...question };
    const hook = { ...billing, id: question.key, body: JSON.stringify(asked) };
    const { status, text } = await hooks.post(hook, clock.now());
    return status >= 200 && status < 300 ? answerIn(text) : undefined;
  };

/** Reads `{approve: boolean, amount?: number}`; nothing for any other text. */
function answerIn(text: string): BillingAnswer | undefined {
  try {
    const { approve, amount } = JSON.parse(text) as { approve?: unknown; amount?: unknown };
    return typeof approve === "boolean" ? { approve, amount } : undefined;
  } catch {
    return undefined;
  }
}
