import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { setNewest } from "../base/bounded-map.ts";
import type { Clock } from "../base/clock.ts";
import { createLimiter } from "../base/limiter.ts";
import { createRecent } from "../base/recent.ts";
import { sameSecret } from "../base/sign.ts";
import type { Database } from "../db/database.ts";
import { findToken, hashOfToken } from "../records/tokens.ts";
import type { Viewer } from "./viewer.ts";

/** Wrong tokens allowed from one address: this many at once, then this many per minute. */
const GUESSES = 5;

/** Sign-ins of a reader from one address: this many at once, then this many per minute. */
const SIGN_INS = 20;

/** A valid token. `name`: `admin`, `reader`, or the id of a site's token. A session ends when its token becomes invalid. */
export type Credential = { name: string; viewer: Viewer };

/** Who may open the admin pages and the metrics. */
export type AdminAccess = {
  /** The address under which limits count the sender of a request. */
  networkOf: (incoming: IncomingMessage) => string;
  /**
   * The credential of a token; undefined for a wrong token. An address that sent too many wrong tokens is refused for a minute,
   * even with the right token. Other addresses are not affected. An empty token is not counted.
   * @param host the name of the relay in the request, its Host header
   */
  credentialOf: (address: string, token: string, host: string | undefined) => Promise<Credential | undefined>;
  /**
   * Whether this credential may open another session from this address. Each leaves a row for a week and a permanent one in
   * the audit log, which a reader must not fill (RELIABILITY A27).
   */
  maySignIn: (address: string, credential: Credential) => boolean;
  /** The hash of the token with this name; undefined when the token is not valid now. */
  hashOf: (name: string) => Promise<string | undefined>;
};

type AccessDeps = {
  db: Database;
  clock: Clock;
  /** ADMIN_TOKEN */
  token: string;
  /** ADMIN_READ_TOKEN */
  readToken: string | undefined;
  networkOf: AdminAccess["networkOf"];
  /** The relay's public origin; undefined while it is unknown. */
  publicOrigin: string | undefined;
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

const sha256Of = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** Most names by which admins have signed in. */
const NAMES_MAX = 100;

/** Whether a Host header names an IP address or this machine, whose meaning no other site's DNS can change. */
function isFixed(host: string): boolean {
  const address = `http://${host}`;
  const hostname = URL.canParse(address) ? new URL(address).hostname : "";
  return isIP(hostname.replace(/^\[|\]$/g, "")) !== 0 || /^(.+\.)?localhost$/.test(hostname);
}

/**
 * Returns whose wrong tokens count together. A web page can give its own name the address of the relay (DNS rebinding), and then
 * send requests to it from an operator's browser. So wrong tokens under a name by which no admin has signed in count separately:
 * they do not lock the operator out.
 */
function createSenders({ publicOrigin }: Pick<AccessDeps, "publicOrigin">) {
  const names = createRecent(NAMES_MAX);
  const isPublic = (host: string): boolean => [`https://${host}`, `http://${host}`].some((own) => own === publicOrigin);
  return {
    of: (address: string, host = ""): string =>
      isFixed(host) || isPublic(host) || names.has(host) ? address : `${address} by another name`,
    /** An admin has signed in. */
    trust(host: string | undefined): void {
      if (host !== undefined) names.add(host);
    },
  };
}

/** Checks tokens against ADMIN_TOKEN, ADMIN_READ_TOKEN and the tokens of sites, and counts wrong ones by address. */
export function createAccess(deps: AccessDeps): AdminAccess {
  const { clock, networkOf } = deps;
  const wrongTokens = createLimiter({ burst: GUESSES, perMinute: GUESSES, uptime: clock.uptime });
  const signIns = createLimiter({ burst: SIGN_INS, perMinute: SIGN_INS, uptime: clock.uptime });
  /** Locked addresses, each with the uptime (ms) at which its lock ends. */
  const locked = new Map<string, number>();
  /** Number of tokens that are being checked now, by address. */
  const checking = new Map<string, number>();
  const senders = createSenders(deps);
  return {
    networkOf,
    maySignIn: (address, { name, viewer }) => viewer.role === "admin" || signIns.take(`${name} ${address}`) === 0,
    async hashOf(name) {
      if (name === ADMIN) return sha256Of(deps.token);
      if (name === READER) return deps.readToken === undefined ? undefined : sha256Of(deps.readToken);
      return hashOfToken(deps.db, name);
    },
    async credentialOf(address, given, host) {
      // Any web page can make an operator's browser send requests without a token, and must not lock that address.
      if (given === "") return undefined;
      const sender = senders.of(address, host);
      const until = locked.get(sender) ?? 0;
      const others = checking.get(sender) ?? 0;
      // Without this limit, guesses sent at the same time would all be checked before the first one counts.
      if (until > clock.uptime() || others >= GUESSES) return undefined;
      locked.delete(sender);
      checking.set(sender, others + 1);
      const credential = await credentialWith(deps, given).finally(() => endCheck(checking, sender));
      if (credential?.viewer.role === "admin") senders.trust(host);
      if (credential !== undefined) return credential;
      const wait = wrongTokens.take(sender);
      if (wait > 0) setNewest(locked, sender, clock.uptime() + Math.max(wait, LOCK_MS), LOCKED_MAX);
      return undefined;
    },
  };
}

function endCheck(checking: Map<string, number>, address: string): void {
  const left = (checking.get(address) ?? 1) - 1;
  if (left === 0) checking.delete(address);
  else checking.set(address, left);
}

/** How long an address that sent too many wrong tokens is locked, in milliseconds. */
const LOCK_MS = 60_000;
/** Most locked addresses. Above it, the oldest is unlocked. */
const LOCKED_MAX = 10_000;
