import { readFileSync } from "node:fs";
import { cut } from "@porchlight/shared/text";
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import type { Clock } from "./clock.ts";
import type { Site } from "./config.ts";
import { cleanLine } from "./contact-details.ts";
import { EMAIL_MAX, emailOf } from "./input-text.ts";
import type { Log } from "./log.ts";

type IdentityKeys = NonNullable<Site["identity"]>;

/** A person whose identity the owner's backend signed. */
export type IdentifiedPerson = {
  /** The owner's id of the person. It stays in the relay: the service gets an id derived from it. */
  subject: string;
  firstName?: string;
  lastName?: string;
  email?: string;
  phone?: string;
  claims: Record<string, unknown>;
};

/** Accepted algorithms: one for secrets, others for public keys. The kind of key decides, never the token (RELIABILITY A9). */
const SECRET_ALGORITHMS = ["HS256"];
const KEY_ALGORITHMS = ["ES256", "EdDSA", "Ed25519", "RS256", "PS256"];
/**
 * Longest life of a token, in seconds (RELIABILITY 3b). Without `exp`, which is optional, a token expires this long after `iat`. A
 * token with neither is refused, because it would never expire.
 */
const LIFE_S = 3_600;
/** Tolerated difference between the clocks, in seconds. */
const SKEW_S = 60;
const NAME_MAX = 100;

/** Codes of errors after which the token was not checked, because the keys could not be fetched. */
const UNREACHABLE = new Set(["ERR_JWKS_TIMEOUT", "ERR_JOSE_GENERIC"]);

/** A claim as text on one line, with single spaces; `undefined` for blanks, placeholders and other types. */
const presentLine = (claim: unknown, max: number): string | undefined =>
  typeof claim === "string" ? (cleanLine(claim.replace(/\s+/gu, " "), max) ?? undefined) : undefined;

/** Splits a name: the last word is the last name. A single word is the first name. */
function namesOf(value: unknown): { firstName?: string; lastName?: string } {
  const name = presentLine(value, 2 * NAME_MAX);
  if (name === undefined) return {};
  const space = name.lastIndexOf(" ");
  if (space === -1) return { firstName: cut(name, NAME_MAX) };
  return {
    firstName: cut(name.slice(0, space), NAME_MAX).trim(),
    lastName: cut(name.slice(space + 1), NAME_MAX),
  };
}

function personOf(payload: JWTPayload, subject: string): IdentifiedPerson {
  const email = emailOf(presentLine(payload.email, EMAIL_MAX) ?? "");
  const phone = presentLine(payload.phone, 40);
  return {
    subject,
    ...namesOf(payload.name),
    ...(email === undefined ? {} : { email }),
    ...(phone === undefined ? {} : { phone }),
    claims: payload,
  };
}

/** Milliseconds between two reads of a key file, however many tokens name unknown keys. */
const REREAD_MS = 10_000;

/** The keys of a file. The file is read again when a token names an unknown key. @throws Error when the file is unusable */
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

/** Keys from an `https:` address or a file: read when needed, and again for an unknown key. */
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

/**
 * Checks a signed identity. Resolves to the person; to `undefined` for an invalid token (the log has the reason); or to
 * `unavailable` while the published keys cannot be fetched.
 */
export type CheckIdentity = (token: string) => Promise<IdentifiedPerson | "unavailable" | undefined>;

/**
 * Creates the check of identities that a site's owner signs as JWTs (RFC 7519): the signature, an expiry within the hour, and the
 * site if the token names one.
 * @param options.now milliseconds since 1970
 * @param options.refused called with the reason for each token that is not accepted
 * @throws Error when a key file is unusable
 */
export function createIdentity(options: {
  site: string;
  keys: IdentityKeys;
  now: () => number;
  refused: (reason: string) => void;
}): CheckIdentity {
  const { site, now, refused } = options;
  const { get, algorithms } = keysOf(options.keys, now);

  /** Why the claims of a token with a valid signature are refused; `undefined` when they are accepted. */
  function reasonToRefuse({ sub, exp, iat, aud }: JWTPayload): string | undefined {
    const seconds = now() / 1_000;
    const end = exp ?? (typeof iat === "number" ? iat + LIFE_S : undefined);
    // All lone surrogates are the same bytes in UTF-8, so two such subjects would get the same visitor id.
    if (typeof sub !== "string" || sub.length < 1 || sub.length > 255 || !sub.isWellFormed()) return "sub";
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
      const reason = reasonToRefuse(payload);
      if (reason === undefined) return personOf(payload, payload.sub ?? "");
      refused(reason);
    } catch (error) {
      refused(error instanceof errors.JOSEError ? error.code : String(error));
      if (!(error instanceof errors.JOSEError) || UNREACHABLE.has(error.code)) return "unavailable";
    }
    return undefined;
  };
}

/** The identity checks of all sites that have keys, by site id. @throws Error when a key file is unusable */
export function createIdentities(sites: readonly Site[], clock: Clock, log: Log): Map<string, CheckIdentity> {
  return new Map(
    sites.flatMap(({ public: { id }, identity: keys }) => {
      if (keys === undefined) return [];
      const refused = (reason: string): void => log("identity.refused", { site: id, reason });
      return [[id, createIdentity({ site: id, keys, now: clock.now, refused })]];
    }),
  );
}
