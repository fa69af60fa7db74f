import type { Clock } from "../base/clock.ts";
import type { IdentifiedPerson } from "../base/identity.ts";
import type { ContactAnswer } from "../service/api.ts";

type By = { phone: string } | { email: string };
type FirstNamesDeps = { find: (account: string, by: By) => Promise<ContactAnswer>; clock: Clock };

/** The greeting waits at most this long for a name (C12). */
const PATIENCE_MS = 300;
const KEEP_MS = 86_400_000;
const KEPT_MAX = 10_000;
const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * First names for the greeting of returning customers. The service is asked only about signed identities, by signed e-mail
 * or phone: a name for a typed address would reveal to anybody who is a customer.
 */
export function createFirstNames({ find, clock }: FirstNamesDeps) {
  const kept = new Map<string, { name: Promise<string | undefined>; until: number }>();

  function known(account: string, by: By): Promise<string | undefined> {
    const key = `${account}\0${JSON.stringify(by)}`;
    const found = kept.get(key);
    if (found !== undefined && found.until > clock.uptime()) return found.name;
    if (kept.size >= KEPT_MAX) kept.clear();
    // A failed look-up is repeated for the next greeting.
    const forget = (): undefined => void kept.delete(key);
    const name = find(account, by).then(({ kind, contact }) => (kind === "ok" ? contact?.firstName : forget()), forget);
    kept.set(key, { name, until: clock.uptime() + KEEP_MS });
    return name;
  }

  /** The person's first name: the signed one, else the service's. Resolves to undefined after `PATIENCE_MS`. */
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
