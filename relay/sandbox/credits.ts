/** Sub-accounts, their balances and the history of grants (interface 4.6, R-245, R-481 to R-486). */

export type SubAccount = {
  id: string;
  email: string;
  balance: number;
  /** A balance below it sends an auto-recharge event. */
  threshold?: number;
  /** Credits that the event requests. */
  rechargeAmount?: number;
};

export type Grant = { at: number; email: string; amount: number; description?: string; balance: number };

export type SubAccountSeed = Omit<SubAccount, "id" | "balance"> & { id?: string; balance?: number };

export type Credits = {
  seed(subAccounts: readonly SubAccountSeed[]): void;
  /** Emails are compared in lower case. */
  find(email: string): SubAccount | undefined;
  /** Adds credits and writes history. Not idempotent: a repeated call grants again. */
  grant(account: SubAccount, amount: number, description: string | undefined): Grant;
  /** Takes credits, as sent messages do. @returns whether the balance has now fallen below its threshold */
  spend(account: SubAccount, amount: number): boolean;
  all(): SubAccount[];
  history(): readonly Grant[];
  clear(): void;
};

/** Rounds balances to a millionth, so that 0.1 + 0.2 is 0.3. */
const rounded = (amount: number) => Math.round(amount * 1e6) / 1e6;

/** @returns no sub-accounts: only `seed` adds some */
export function createCredits(newId: () => string, now: () => number): Credits {
  const accounts = new Map<string, SubAccount>();
  let grants: Grant[] = [];

  return {
    seed(subAccounts) {
      for (const seed of subAccounts) {
        const email = seed.email.trim().toLowerCase();
        accounts.set(email, { ...seed, id: seed.id ?? newId(), email, balance: seed.balance ?? 0 });
      }
    },
    find: (email) => accounts.get(email.trim().toLowerCase()),
    grant(account, amount, description) {
      account.balance = rounded(account.balance + amount);
      const grant: Grant = { at: now(), email: account.email, amount, balance: account.balance };
      if (description !== undefined) grant.description = description;
      grants.push(grant);
      return grant;
    },
    spend(account, amount) {
      const before = account.balance;
      account.balance = rounded(before - amount);
      const { threshold } = account;
      return threshold !== undefined && before >= threshold && account.balance < threshold;
    },
    all: () => [...accounts.values()],
    history: () => grants,
    clear() {
      accounts.clear();
      grants = [];
    },
  };
}
