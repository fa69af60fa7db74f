import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Clock } from "../base/clock.ts";
import { createLimiter } from "../base/limiter.ts";
import { sameSecret } from "../base/sign.ts";
import type { Database } from "../db/database.ts";
import { findToken, hashOfToken } from "../records/tokens.ts";
import type { Viewer } from "./viewer.ts";

/** Wrong tokens of one address: so many at once, and so many a minute after them. */
const GUESSES = 5;

/** A token that opens the pages: `admin`, `reader`, or the id of a site's token. A session ends with the token that opened it. */
export type Credential = { name: string; viewer: Viewer };

/** Who may open the admin pages and the metrics. */
export type AdminAccess = {
  /** The sender of a request, as limits count it. */
  addressOf: (incoming: IncomingMessage) => string;
  /**
   * Whom a token belongs to; nothing for a wrong one. An address that guessed too often is refused unheard for a while, also
   * with the right token; other addresses notice nothing.
   */
  credentialOf: (address: string, token: string) => Promise<Credential | undefined>;
  /** The hash of a token that is valid now, by its name. */
  hashOf: (name: string) => Promise<string | undefined>;
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

/** The credential of a token: of the admin, of the reader of all sites, or of the reader of one site. */
async function credentialWith({ db, token, readToken }: AccessDeps, given: string): Promise<Credential | undefined> {
  if (sameSecret(given, token)) return { name: ADMIN, viewer: { role: "admin", site: null } };
  if (readToken !== undefined && sameSecret(given, readToken))
    return { name: READER, viewer: { role: "reader", site: null } };
  const found = await findToken(db, given);
  if (found?.scopes.includes("admin:read") !== true) return undefined;
  return { name: found.id, viewer: { role: "reader", site: found.site } };
}

const ADMIN = "admin";
const READER = "reader";

const hashOf = (token: string): string => createHash("sha256").update(token).digest("base64url");

export function createAccess(deps: AccessDeps): AdminAccess {
  const { clock, addressOf } = deps;
  const wrong = createLimiter({ burst: GUESSES, perMinute: GUESSES, uptime: clock.uptime });
  /** Addresses that wait, and until when (uptime in milliseconds). */
  const shut = new Map<string, number>();
  /** Tokens that are looked up now, by address. */
  const underWay = new Map<string, number>();
  return {
    addressOf,
    async hashOf(name) {
      if (name === ADMIN) return hashOf(deps.token);
      if (name === READER) return deps.readToken === undefined ? undefined : hashOf(deps.readToken);
      return hashOfToken(deps.db, name);
    },
    async credentialOf(address, given) {
      const until = shut.get(address) ?? 0;
      const others = underWay.get(address) ?? 0;
      // Guesses that are sent at the same time would all be looked at before the first one counts.
      if (until > clock.uptime() || others >= GUESSES) return undefined;
      shut.delete(address);
      underWay.set(address, others + 1);
      const credential = await credentialWith(deps, given).finally(() => leave(underWay, address));
      if (credential !== undefined) return credential;
      const wait = wrong.take(address);
      if (wait > 0) keep(shut, address, clock.uptime() + Math.max(wait, SHUT_MS));
      return undefined;
    },
  };
}

function leave(underWay: Map<string, number>, address: string): void {
  const left = (underWay.get(address) ?? 1) - 1;
  if (left === 0) underWay.delete(address);
  else underWay.set(address, left);
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
