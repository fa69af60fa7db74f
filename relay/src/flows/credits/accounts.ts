import type { Settings } from "../../base/config.ts";
import { type CreditRules, NO_CREDITS } from "../../base/rules.ts";

/** An account that may grant credits. */
export type CreditAccount = { id: string; rules: CreditRules };

/** The accounts that may grant credits. */
export type CreditAccounts = {
  /** An account's rules; for an account without rules, those that grant nothing. */
  rulesOf: (account: string) => CreditRules;
  /**
   * The accounts that a callback may be for.
   * @param named the account in the callback's address. Without it: every account with rules, or all accounts if none has
   */
  candidates: (named: string | undefined) => CreditAccount[];
};

/** Reads from the settings which accounts may grant credits, and by which rules (interface 4.6). */
export function creditAccounts(accounts: Settings["accounts"]): CreditAccounts {
  const rules = new Map(accounts.map(({ id, credits }) => [id, credits ?? NO_CREDITS]));
  const rulesOf = (account: string): CreditRules => rules.get(account) ?? NO_CREDITS;
  const withRules = accounts.filter(({ credits }) => credits !== undefined);
  const unnamed = withRules.length > 0 ? withRules : accounts;
  return {
    rulesOf,
    candidates: (named) =>
      (named === undefined ? unnamed : accounts.filter(({ id }) => id === named)).map(({ id }) => ({
        id,
        rules: rulesOf(id),
      })),
  };
}
