import { networkOf, prefix48Of } from "../base/address.ts";
import type { Site } from "../base/config.ts";
import { createLimiter, type Limiter } from "../base/limiter.ts";
import { FILE_MIN } from "../records/media.ts";

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
type Sender = { site: Site; address: string };
/** A site's id, and the whole address of a visitor. */
type SenderName = { site: string; address: string };

/**
 * Per day, one address may use a quarter of its site's messages, of its forms, and of the bytes that the site may store (a file
 * that is not sent is kept for a day). So only four addresses together can use up one of these amounts.
 */
const ADDRESS_SHARE = 4;
/** All addresses of one IPv6 /48 together may use half, because one customer can have 65,536 of them. */
const PREFIX_48_SHARE = 2;
const MINUTES_PER_DAY = 1_440;
/**
 * The number of new visitors that a site accepts per hour is its number of daily messages divided by this, so that known visitors
 * can still write during a flood.
 */
const NEW_VISITORS_SHARE = 4;
/** New sessions of a whole site per minute. Visitors with a session are not limited. */
const NEW_SESSIONS_PER_MINUTE = 3_000;
/**
 * When less than half of a site's budget for new visitors is left, an address waits if it has taken more than this part of the
 * rest. So the addresses that took most wait first, and an address that took nothing is served until the budget is empty. Without
 * this rule, five addresses could shut out every new visitor.
 */
const FAIR_PART = 1 / 5;
/** Longest waiting time that a client is told, in milliseconds. */
const WAIT_MAX = 60_000;

type BudgetsDeps = {
  limits: AddressLimits;
  /** Whether there is a site with this id. */
  isSite: (id: string) => boolean;
  /** Bytes that all visitors of a site may store, and of the largest file of each kind. */
  uploads: { quota: { site: number }; caps: Record<string, number> };
  uptime: () => number;
  /** Lets a limit count across nodes. */
  share?: (name: string, limiter: Limiter) => Limiter;
};

type MakeLimiter = (name: string, burst: number, perMinute: number) => Limiter;
/** An address as limits count it: its network, and the /48 of an IPv6 address. Both with the site before them. */
type Keys = { network: string; prefix48: string | undefined };
function keysAt({ site, address }: SenderName): Keys {
  const prefix = prefix48Of(address);
  return { network: `${site} ${networkOf(address)}`, prefix48: prefix && `${site} ${prefix}` };
}
const keysOf = ({ site, address }: Sender): Keys => keysAt({ site: site.public.id, address });

/** Takes an address's part of a daily amount. @returns the milliseconds to wait; 0: it may use this much */
type Share = (keys: Keys, amount?: number) => number;
/** A limit for all addresses of a site, and how much of it each /48 has taken. */
type SiteLimit = { all: Limiter; byPrefix48: Limiter };
/** The limiters of one site's daily budgets: messages and forms of each address, and new visitors of all. */
type SiteLimiters = { share: Share; forms: Share; newVisitors: SiteLimit; perDay: string };

/** The daily amounts that a site's limiters follow. */
const perDayOf = ({ messagesPerDay, leadsPerDay }: Site): string => `${messagesPerDay} ${leadsPerDay}`;

/** Limits each address, and each /48 of IPv6, to its share of a daily amount. */
function shareOf(limiter: MakeLimiter, name: string, perDay: number): Share {
  const part = (name: string, fraction: number): Limiter => {
    const most = Math.ceil(perDay / fraction);
    return limiter(name, most, most / MINUTES_PER_DAY);
  };
  const byNetwork = part(name, ADDRESS_SHARE);
  const byPrefix48 = part(`${name} of a /48`, PREFIX_48_SHARE);
  return (keys, amount) =>
    firstWait(
      () => byNetwork.take(keys.network, amount),
      () => (keys.prefix48 === undefined ? 0 : byPrefix48.take(keys.prefix48, amount)),
    );
}

/** A limit for all addresses of a site. */
const siteLimit = (limiter: MakeLimiter, name: string, burst: number, perMinute: number): SiteLimit => ({
  all: limiter(name, burst, perMinute),
  byPrefix48: limiter(`${name} of a /48`, burst, perMinute),
});

function limitersOf(limiter: MakeLimiter, site: Site): SiteLimiters {
  const {
    public: { id },
    messagesPerDay = 0,
    leadsPerDay = 0,
  } = site;
  const newVisitors = Math.ceil(messagesPerDay / NEW_VISITORS_SHARE);
  return {
    share: shareOf(limiter, `share ${id}`, messagesPerDay),
    forms: shareOf(limiter, `forms ${id}`, leadsPerDay),
    newVisitors: siteLimit(limiter, `newcomers ${id}`, newVisitors, newVisitors / 60),
    perDay: perDayOf(site),
  };
}

/** Asks limiters in order, until one refuses. @returns the milliseconds to wait, at most `WAIT_MAX`; 0: none refused */
function firstWait(...waits: (() => number)[]): number {
  for (const wait of waits) {
    const ms = wait();
    if (ms > 0) return Math.min(ms, WAIT_MAX);
  }
  return 0;
}

/**
 * Takes from a site's budget, unless the address or its /48 has taken more than its fair part. The caller has just taken from
 * the address's own budget.
 * @returns 0, or the milliseconds to wait
 */
function takeFairly(byNetwork: Limiter, keys: Keys, limit: SiteLimit, key: string): number {
  const { left, taken } = limit.all.levels(key);
  const before = byNetwork.levels(keys.network).taken - 1;
  const together = keys.prefix48 === undefined ? 0 : limit.byPrefix48.levels(keys.prefix48).taken;
  if (left < taken && Math.max(before, together) > left * FAIR_PART) return WAIT_MAX;
  const wait = limit.all.take(key);
  if (wait === 0 && keys.prefix48 !== undefined) limit.byPrefix48.take(keys.prefix48);
  return wait;
}

/**
 * Counts the bytes of uploads. An upload that announces no size counts as the largest that is accepted.
 * @param perAddress bytes per hour
 */
function uploadBudget(limiter: MakeLimiter, perAddress: number, { quota, caps }: BudgetsDeps["uploads"]) {
  const uploads = limiter("uploads", perAddress, perAddress / 60);
  const share = shareOf(limiter, "upload share", quota.site);
  const largest = Math.max(...Object.values(caps));
  return (sender: SenderName, announced: number | undefined): number => {
    const keys = keysAt(sender);
    const bytes = Math.max(FILE_MIN, announced ?? largest);
    return firstWait(
      () => uploads.take(keys.network, bytes),
      () => (perAddress === 0 ? 0 : share(keys, bytes)),
    );
  };
}

/**
 * Budgets per address and per site for actions that cost the owner money or the relay space (RELIABILITY A27, A40). They are
 * kept in memory; several nodes count together (`share`). A site's daily budget limits money, so it is in the database
 * (`records/quotas`). Each function returns the milliseconds to wait; 0 means that the action is allowed now.
 */
export function createBudgets({ limits, isSite, uploads, uptime, share = (_, limiter) => limiter }: BudgetsDeps) {
  const limiter: MakeLimiter = (name, burst, perMinute) =>
    share(`budget ${name}`, createLimiter({ burst, perMinute, uptime }));
  const messages = limiter("messages", Math.max(10, limits.messages / 2), limits.messages);
  const visitors = limiter("visitors", Math.max(1, limits.visitors / 3), limits.visitors / 60);
  const leads = limiter("leads", Math.max(1, limits.leads / 3), limits.leads / 60);
  const sessions = limiter("sessions", limits.sessions, limits.sessions);
  const newSessions = siteLimit(limiter, "fresh", NEW_SESSIONS_PER_MINUTE, NEW_SESSIONS_PER_MINUTE);
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
  return {
    /** A message or a reaction. */
    message(sender: Sender): number {
      const keys = keysOf(sender);
      return firstWait(
        () => messages.take(keys.network),
        () => (limits.messages === 0 ? 0 : siteOf(sender.site).share(keys)),
      );
    },
    /** A new visitor, who has no row yet. */
    visitor(sender: Sender): number {
      const keys = keysOf(sender);
      return firstWait(
        () => visitors.take(keys.network),
        () => (limits.visitors === 0 ? 0 : takeFairly(visitors, keys, siteOf(sender.site).newVisitors, "")),
      );
    },
    /** A form. */
    lead(sender: Sender): number {
      const keys = keysOf(sender);
      return firstWait(
        () => leads.take(keys.network),
        () => (limits.leads === 0 ? 0 : siteOf(sender.site).forms(keys)),
      );
    },
    /** An upload. */
    upload: uploadBudget(limiter, limits.uploads, uploads),
    /**
     * A new session. The client names the site: nothing is counted for one that does not exist, because each name would be another
     * key in memory, and in the hints between nodes. @param known the client has a token
     */
    session(sender: SenderName, known: boolean): number {
      if (!isSite(sender.site)) return 0;
      const keys = keysAt(sender);
      return firstWait(
        () => sessions.take(keys.network),
        () => (known || limits.sessions === 0 ? 0 : takeFairly(sessions, keys, newSessions, sender.site)),
      );
    },
  };
}

/** The budgets of one relay; see `createBudgets`. */
export type Budgets = ReturnType<typeof createBudgets>;
