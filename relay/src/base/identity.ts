import { readFileSync } from "node:fs";
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Clock } from "./clock.ts";
import type { Site } from "./config.ts";
import type { Log } from "./log.ts";
import { EMAIL_MAX, emailOf } from "./person.ts";

type IdentityKeys = NonNullable<Site["identity"]>;

/** A person the owner vouches for. */
export type Person = {
  /** The owner's id for them. Never leaves the relay: the service is told an id made from it. */
  subject: string;
  firstName?: string;
  lastName?: string;
  email?: string;
  phone?: string;
  claims: Record<string, unknown>;
};

/** Algorithms are ours to choose, never the token's (RELIABILITY A9): one for secrets, and those of public keys. */
const SECRET_ALGORITHMS = ["HS256"];
const KEY_ALGORITHMS = ["ES256", "EdDSA", "Ed25519", "RS256", "PS256"];
/**
 * A token is for logging in, not for keeping: it ends within the hour (RELIABILITY 3b). One without `exp`, which is
 * optional, ends an hour after its `iat`; with neither it would open the conversation to whoever finds it, for ever. The
 * clocks of two machines may differ a little.
 */
const LIFE_S = 3_600;
const SKEW_S = 60;
const NAME_MAX = 100;
const PLACEHOLDERS = new Set(["unknown", "unknown@unknown.com", "-", "—", "n/a"]);

/** The keys could not be fetched: nothing was said about the token. */
const UNREACHABLE = new Set(["ERR_JWKS_TIMEOUT", "ERR_JOSE_GENERIC"]);

/** Text that says something; placeholders are absent. */
function words(value: unknown, max: number): string | undefined {
  if (typeof value !== "string") return undefined;
  const text = value
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, max)
    .toWellFormed();
  return text === "" || PLACEHOLDERS.has(text.toLowerCase()) ? undefined : text;
}

/** The last word is the last name; who gives one name has no other. */
function namesOf(value: unknown): { firstName?: string; lastName?: string } {
  const name = words(value, 2 * NAME_MAX);
  if (name === undefined) return {};
  const space = name.lastIndexOf(" ");
  if (space === -1) return { firstName: name.slice(0, NAME_MAX) };
  return {
    firstName: name.slice(0, space).trim().slice(0, NAME_MAX),
    lastName: name.slice(space + 1, space + 1 + NAME_MAX),
  };
}

function personOf(payload: JWTPayload, subject: string): Person {
  const email = emailOf(words(payload.email, EMAIL_MAX) ?? "");
  const phone = words(payload.phone, 40);
  return {
    subject,
    ...namesOf(payload.name),
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone }),
    claims: payload,
  };
}

/** A file of keys is read again at most so often, however many tokens name keys that are not in it. */
const REREAD_MS = 10_000;

/** The keys of a file, which is read again when a token names one that was not there. @throws Error when it is unusable */
function keysIn(path: string, now: () => number): JWTVerifyGetKey {
  const read = () => createLocalJWKSet(JSON.parse(readFileSync(path, "utf8")));
  let keys = read();
  let readAt = Number.NEGATIVE_INFINITY;
  return async (header, token) => {
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || Math.abs(now() - readAt) < REREAD_MS) throw error;
      readAt = now();
      keys = read();
      return keys(header, token);
    }
  };
}

/** Both `https:` addresses and files are read when needed, and again when a key is new. */
function keysOf(keys: IdentityKeys, now: () => number): { get: JWTVerifyGetKey; algorithms: string[] } {
  if ("secret" in keys) {
    const secret = new TextEncoder().encode(keys.secret);
    return { get: async () => secret, algorithms: SECRET_ALGORITHMS };
  }
  const get = keys.jwks.startsWith("https://")
    ? createRemoteJWKSet(new URL(keys.jwks), { timeoutDuration: 5_000 })
    : keysIn(keys.jwks, now);
  return { get, algorithms: KEY_ALGORITHMS };
}

export type CheckIdentity = (token: string) => Promise<Person | "unavailable" | undefined>;

/**
 * Checks identities that a site's owner signed as JWTs (RFC 7519): the signature, an end within the hour, the site where
 * it names one.
 * @param now milliseconds since 1970
 * @returns a check that resolves to the person, or to nothing (why not is nobody's business but the log's), or to
 *   `unavailable` while the published keys cannot be had
 */
export function createIdentity(options: {
  site: string;
  keys: IdentityKeys;
  now: () => number;
  refused: (reason: string) => void;
}): CheckIdentity {
  const { site, now, refused } = options;
  const { get, algorithms } = keysOf(options.keys, now);

  function wrongWith({ sub, exp, iat, aud }: JWTPayload): string | undefined {
    const seconds = now() / 1_000;
    const end = exp ?? (typeof iat === "number" ? iat + LIFE_S : undefined);
    if (typeof sub !== "string" || sub.length < 1 || sub.length > 255) return "sub";
    if (end === undefined) return "neither exp nor iat says when it ends";
    if (exp === undefined && end <= seconds) return "iat is more than an hour ago, and there is no exp";
    if (end - seconds > LIFE_S + SKEW_S) return "exp is more than an hour away";
    if (iat !== undefined && (typeof iat !== "number" || iat - seconds > SKEW_S)) return "iat is in the future";
    return aud === undefined || [aud].flat().includes(site) ? undefined : "aud names another site";
  }

  return async (token) => {
    try {
      const { payload } = await jwtVerify(token, get, {
        algorithms,
        requiredClaims: ["sub"],
        currentDate: new Date(now()),
      });
      const wrong = wrongWith(payload);
      if (wrong === undefined) return personOf(payload, payload.sub ?? "");
      refused(wrong);
    } catch (error) {
      refused(error instanceof errors.JOSEError ? error.code : String(error));
      if (!(error instanceof errors.JOSEError) || UNREACHABLE.has(error.code)) return "unavailable";
    }
    return undefined;
  };
}

/** The checks of all sites that have keys for identities, by the site's key. @throws Error when a file of keys is unusable */
export function createIdentities(sites: readonly Site[], clock: Clock, log: Log): Map<string, CheckIdentity> {
  return new Map(
    sites.flatMap(({ public: { id }, identity: keys }) => {
      if (keys === undefined) return [];
      const refused = (reason: string): void => log("identity.refused", { site: id, reason });
      return [[id, createIdentity({ site: id, keys, now: clock.now, refused })]];
    }),
  );
}
