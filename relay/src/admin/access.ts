import type { IncomingMessage } from "node:http";
import type { Clock } from "../base/clock.ts";
import { createLimiter } from "../base/limiter.ts";
import { sameSecret } from "../base/sign.ts";
import type { Database } from "../db/database.ts";
import { findToken } from "../records/tokens.ts";
import type { Viewer } from "./viewer.ts";

/** Wrong tokens of one address: so many at once, and so many a minute after them. */
const GUESSES = 5;

/** Who may open the admin pages and the metrics. */
export type AdminAccess = {
  /** The sender of a request, as limits count it. */
  addressOf: (incoming: IncomingMessage) => string;
  /**
   * Whom a token belongs to; nothing for a wrong one. An address that guessed too often is refused unheard for a while, also
   * with the right token; other addresses notice nothing.
   */
  viewerOf: (address: string, token: string) => Promise<Viewer | undefined>;
};

type AccessDeps = {
  db: Database;
  clock: Clock;
  /** ADMIN_TOKEN */
  token: string;
  /** ADMIN_READ_TOKEN */
  readToken: string | undefined;
  addressOf: AdminAccess["addressOf"];
};

/** The viewer of a token: the admin, the reader of all sites, or the reader of one site by a token of its own. */
async function viewerWith({ db, token, readToken }: AccessDeps, given: string): Promise<Viewer | undefined> {
  if (sameSecret(given, token)) return { role: "admin", site: null };
  if (readToken !== undefined && sameSecret(given, readToken)) return { role: "reader", site: null };
  const found = await findToken(db, given);
  return found?.scopes.includes("admin:read") === true ? { role: "reader", site: found.site } : undefined;
}

export function createAccess(deps: AccessDeps): AdminAccess {
  const { clock, addressOf } = deps;
  const wrong = createLimiter({ burst: GUESSES, perMinute: GUESSES, uptime: clock.uptime });
  /** Addresses that wait, and until when (uptime in milliseconds). */
  const shut = new Map<string, number>();
  return {
    addressOf,
    async viewerOf(address, given) {
      const until = shut.get(address) ?? 0;
      if (until > clock.uptime()) return undefined;
      shut.delete(address);
      const viewer = await viewerWith(deps, given);
      if (viewer !== undefined) return viewer;
      const wait = wrong.take(address);
      if (wait > 0) keep(shut, address, clock.uptime() + Math.max(wait, SHUT_MS));
      return undefined;
    },
  };
}

/** An address that guessed too often waits so long. */
const SHUT_MS = 60_000;
/** Addresses that wait, at most: the oldest is let go. */
const SHUT_MAX = 10_000;

function keep(shut: Map<string, number>, address: string, until: number): void {
  shut.set(address, until);
  const [oldest] = shut.keys();
  if (shut.size > SHUT_MAX && oldest !== undefined) shut.delete(oldest);
}
