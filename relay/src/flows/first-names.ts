import type { Clock } from "../base/clock.ts";
import type { IdentifiedPerson } from "../base/identity.ts";
import type { ContactAnswer } from "../service/api.ts";

type By = { phone: string } | { email: string };
type Parts = { find: (account: string, by: By) => Promise<ContactAnswer>; clock: Clock };

/** The greeting waits so long for a name, and does without one then (C12). */
const PATIENCE_MS = 300;
const KEEP_MS = 86_400_000;
const KEPT_MAX = 10_000;
const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * First names to greet returning customers by. Asked only for people whose identity the owner signed, and by what was
 * signed: a name for a typed address would tell anybody who is a customer.
 */
export function createFirstNames({ find, clock }: Parts) {
  const kept = new Map<string, { name: Promise<string | undefined>; until: number }>();

  function known(account: string, by: By): Promise<string | undefined> {
    const key = `${account}\0${JSON.stringify(by)}`;
    const found = kept.get(key);
    if (found !== undefined && found.until > clock.uptime()) return found.name;
    if (kept.size >= KEPT_MAX) kept.clear();
    // An answer that did not come is asked for again the next time.
    const forget = (): undefined => void kept.delete(key);
    const name = find(account, by).then(({ kind, contact }) => (kind === "ok" ? contact?.firstName : forget()), forget);
    kept.set(key, { name, until: clock.uptime() + KEEP_MS });
    return name;
  }

  /** The person's first name: what was signed, else what the service knows, else nothing after a moment. */
  return function nameOf(
    account: string,
    { firstName, email, phone = "" }: IdentifiedPerson,
  ): Promise<string | undefined> {
    if (firstName !== undefined) return Promise.resolve(firstName);
    const by = E164.test(phone) ? { phone } : email === undefined ? undefined : { email };
    if (by === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const cancel = clock.after(PATIENCE_MS, () => resolve(undefined));
      void known(account, by).then(resolve).finally(cancel);
    });
  };
}

export type FirstNameOf = ReturnType<typeof createFirstNames>;
