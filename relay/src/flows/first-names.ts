import type { Clock } from "../base/clock.ts";
import type { IdentifiedPerson } from "../base/identity.ts";
import type { ContactAnswer } from "../service/api.ts";

type LookUp = { phone: string } | { email: string };
type FirstNamesDeps = { find: (account: string, by: LookUp) => Promise<ContactAnswer>; clock: Clock };

/** The greeting waits at most this long for a name, in ms (C12). */
const TIMEOUT_MS = 300;
/** A name is cached for this long, in ms. */
const CACHE_MS = 86_400_000;
/** The cache is emptied when it has this many names. */
const CACHED_MAX = 10_000;
const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * Finds first names for the greeting of returning customers. Asks the service only about signed identities, by signed email or
 * phone. If it also used typed addresses, anybody could find out who the customers are.
 */
export function createFirstNames({ find, clock }: FirstNamesDeps) {
  const cache = new Map<string, { name: Promise<string | undefined>; until: number }>();

  /** The name at the service, from the cache if possible. */
  function lookUp(account: string, by: LookUp): Promise<string | undefined> {
    const key = `${account}\0${JSON.stringify(by)}`;
    const cached = cache.get(key);
    if (cached !== undefined && cached.until > clock.uptime()) return cached.name;
    if (cache.size >= CACHED_MAX) cache.clear();
    // A failed look-up is not cached: the next greeting repeats it.
    const forget = (): undefined => void cache.delete(key);
    const name = find(account, by).then(({ kind, contact }) => (kind === "ok" ? contact?.firstName : forget()), forget);
    cache.set(key, { name, until: clock.uptime() + CACHE_MS });
    return name;
  }

  /** The person's first name: the signed one, else the service's. Resolves to undefined after `TIMEOUT_MS`. */
  return function nameOf(
    account: string,
    { firstName, email, phone = "" }: IdentifiedPerson,
  ): Promise<string | undefined> {
    if (firstName !== undefined) return Promise.resolve(firstName);
    const by = E164.test(phone) ? { phone } : email === undefined ? undefined : { email };
    if (by === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const cancel = clock.after(TIMEOUT_MS, () => resolve(undefined));
      void lookUp(account, by).then(resolve).finally(cancel);
    });
  };
}

/** Finds the first name of a person; see `createFirstNames`. */
export type FirstNameOf = ReturnType<typeof createFirstNames>;
