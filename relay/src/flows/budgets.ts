import { networkOf } from "../base/address.ts";
import type { Site } from "../base/config.ts";
import { createLimiter, type Limiter } from "../base/limiter.ts";

/** Limits per address on one site; 0: no limit. */
export type AddressLimits = {
  /** Messages and reactions per minute. */
  messages: number;
  /** New visitors who write, per hour. */
  visitors: number;
  /** Forms per hour. */
  leads: number;
  /** New sessions per minute. */
  sessions: number;
  /** Bytes of uploads per hour. */
  uploads: number;
};

/** A site, and the whole address of a visitor. */
type From = { site: Site; address: string };
type At = { site: string; address: string };

/**
 * One address may use a quarter of its site's messages and forms of a day, and upload a quarter of what the site may store
 * in a day: a file that is not sent is kept for a day. So it takes four addresses to use up any of them.
 */
const SHARE = 4;
const MINUTES_PER_DAY = 1_440;
/**
 * New visitors of a site per hour, as a fraction of its daily messages, so that known visitors can still write during a flood.
 */
const NEWCOMERS = 4;
/** New sessions of a whole site per minute. Visitors with a session are not limited. */
const NEW_SESSIONS_PER_MINUTE = 3_000;
/**
 * When less than half of a site's budget for newcomers is left, an address waits if it has taken more than this part of the rest.
 * So those who took most wait first, and an address that has taken nothing is served as long as anything is left. Without this
 * rule, five addresses could shut out every new visitor.
 */
const FAIR_PART = 1 / 5;
/** Longest waiting time that a client is told, in milliseconds. */
const WAIT_MAX = 60_000;

type BudgetsDeps = {
  limits: AddressLimits;
  /** Bytes that all visitors of a site may store. */
  uploadSite: number;
  uptime: () => number;
  /** Lets a limit count across nodes. */
  share?: (name: string, limiter: Limiter) => Limiter;
};

type MakeLimiter = (name: string, burst: number, perMinute: number) => Limiter;
/** The limiters of one site's daily budgets: messages and forms of each address, and new visitors of all. */
type SiteLimiters = { share: Limiter; forms: Limiter; newcomers: Limiter; perDay: string };

/** The daily amounts that a site's limiters follow. */
const perDayOf = ({ messagesPerDay, leadsPerDay }: Site): string => `${messagesPerDay} ${leadsPerDay}`;

/** Limits each address to its share of a daily amount. */
function shareOf(limiter: MakeLimiter, name: string, perDay: number): Limiter {
  const perAddress = Math.ceil(perDay / SHARE);
  return limiter(name, perAddress, perAddress / MINUTES_PER_DAY);
}

function limitersOf(limiter: MakeLimiter, site: Site): SiteLimiters {
  const {
    public: { id },
    messagesPerDay = 0,
    leadsPerDay = 0,
  } = site;
  const newcomers = Math.ceil(messagesPerDay / NEWCOMERS);
  return {
    share: shareOf(limiter, `share ${id}`, messagesPerDay),
    forms: shareOf(limiter, `forms ${id}`, leadsPerDay),
    newcomers: limiter(`newcomers ${id}`, newcomers, newcomers / 60),
    perDay: perDayOf(site),
  };
}

/** Asks limiters in order, until one refuses. @returns the milliseconds to wait, at most `WAIT_MAX`; 0: none refused */
function first(...waits: (() => number)[]): number {
  for (const wait of waits) {
    const ms = wait();
    if (ms > 0) return Math.min(ms, WAIT_MAX);
  }
  return 0;
}

/**
 * Takes from a site's budget, unless the address has taken more than its fair part. The caller has taken from the address's own
 * budget just before.
 * @returns 0, or the milliseconds to wait
 */
function takeFairly(own: Limiter, address: string, site: Limiter, key: string): number {
  const { left, taken } = site.levels(key);
  const before = own.levels(address).taken - 1;
  return left < taken && before > left * FAIR_PART ? WAIT_MAX : site.take(key);
}

/**
 * Budgets per address and per site for actions that cost the owner money or the relay space (RELIABILITY A27, A40). They are
 * kept in memory; several nodes count together (`share`). A site's daily budget limits money, so it is in the database
 * (`records/quotas`). Each function returns the milliseconds to wait; 0 means that the action is allowed now.
 */
export function createBudgets({ limits, uploadSite, uptime, share = (_, limiter) => limiter }: BudgetsDeps) {
  const limiter: MakeLimiter = (name, burst, perMinute) =>
    share(`budget ${name}`, createLimiter({ burst, perMinute, uptime }));
  const messages = limiter("messages", Math.max(10, limits.messages / 2), limits.messages);
  const visitors = limiter("visitors", Math.max(1, limits.visitors / 3), limits.visitors / 60);
  const leads = limiter("leads", Math.max(1, limits.leads / 3), limits.leads / 60);
  const sessions = limiter("sessions", limits.sessions, limits.sessions);
  const uploads = limiter("uploads", limits.uploads, limits.uploads / 60);
  const uploadShare = shareOf(limiter, "upload share", uploadSite);
  const fresh = limiter("fresh", NEW_SESSIONS_PER_MINUTE, NEW_SESSIONS_PER_MINUTE);
  /** Limiters by site, because sites have different daily budgets. */
  const sites = new Map<string, SiteLimiters>();
  const siteOf = (site: Site): SiteLimiters => {
    const found = sites.get(site.public.id);
    // `porchlight reload` may have changed the amounts.
    if (found?.perDay === perDayOf(site)) return found;
    const made = limitersOf(limiter, site);
    sites.set(site.public.id, made);
    return made;
  };
  const keyAt = ({ site, address }: At): string => `${site} ${networkOf(address)}`;
  const keyOf = ({ site, address }: From): string => keyAt({ site: site.public.id, address });
  return {
    message: (from: From): number =>
      first(
        () => messages.take(keyOf(from)),
        () => (limits.messages === 0 ? 0 : siteOf(from.site).share.take(keyOf(from))),
      ),
    /** A new visitor, who has no row yet. */
    visitor: (from: From): number =>
      first(
        () => visitors.take(keyOf(from)),
        () => (limits.visitors === 0 ? 0 : takeFairly(visitors, keyOf(from), siteOf(from.site).newcomers, "")),
      ),
    lead: (from: From): number =>
      first(
        () => leads.take(keyOf(from)),
        () => (limits.leads === 0 ? 0 : siteOf(from.site).forms.take(keyOf(from))),
      ),
    upload: (at: At, bytes: number): number =>
      first(
        () => uploads.take(keyAt(at), bytes),
        () => (limits.uploads === 0 ? 0 : uploadShare.take(keyAt(at), bytes)),
      ),
    /** A new session. @param known the client has a token */
    session: (at: At, known: boolean): number =>
      first(
        () => sessions.take(keyAt(at)),
        () => (known || limits.sessions === 0 ? 0 : takeFairly(sessions, keyAt(at), fresh, at.site)),
      ),
  };
}

export type Budgets = ReturnType<typeof createBudgets>;
