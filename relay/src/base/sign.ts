import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { randomId } from "@porchlight/shared/id";

/** 32 lower-case letters and digits, five bits each: ids pass `[A-Za-z0-9_]` filters everywhere (R-225). */
const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";
/** A visitor's id, 42 characters: kind, 26 characters, 65 bits of MAC. `v`: anonymous, `u`: identified by the owner. */
const VISITOR_ID = /^([vu]_[0-9a-z]{26})_([0-9a-z]{13})$/;

/** An HMAC over purpose and text. With one `update` and a digest as text it takes 4 µs; three updates and a buffer took 7. */
const hmacOf = (key: string, purpose: string, text: string) => createHmac("sha256", key).update(`${purpose}\0${text}`);
const mac = (key: string, purpose: string, text: string): Buffer => hmacOf(key, purpose, text).digest();

const base32 = (bytes: Buffer, length: number): string => {
  let out = "";
  for (const byte of bytes.subarray(0, length)) out += BASE32[byte & 31];
  return out;
};

/**
 * Compares two texts in a time that depends on their length, not on how much of them is equal. When the lengths differ, `expected`
 * is compared with itself, which takes the same time.
 */
export function sameSecret(given: string, expected: string): boolean {
  const bytes = Buffer.from(expected);
  const other = Buffer.from(given);
  const sameLength = other.length === bytes.length;
  return timingSafeEqual(sameLength ? other : bytes, bytes) && sameLength;
}

/**
 * Whether `given` is one of the expected secrets. It compares with all of them, so that the time does not reveal which one
 * matched.
 */
export function anySecret(given: string, expected: readonly string[]): boolean {
  let found = false;
  for (const secret of expected) found = sameSecret(given, secret) || found;
  return found;
}

/** A new secret: 32 random bytes as 43 base64url characters. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** Characters of a new id that carry its minute: 25 bits, which repeat after 64 years. The other 21 carry 105 random bits. */
const MINUTE_LENGTH = 5;
const MINUTE_MS = 60_000;

/**
 * A new visitor id, which the service gets as `fromId` and returns as `toId`. It contains a MAC, so that ids of other
 * deployments and guessed ids are recognised without a database query (RELIABILITY 3a). It begins with the minute in which
 * it was made: the rows of new visitors, who write most, lie together in every index, however many older visitors there are.
 * @param now milliseconds since 1970
 */
export function newVisitorId(key: string, now: number): string {
  return taggedId(key, `v_${minuteOf(now)}${randomId(26 - MINUTE_LENGTH)}`);
}

/** The minute of a time. Later minutes sort after earlier ones. */
function minuteOf(now: number): string {
  let text = "";
  for (let rest = Math.floor(now / MINUTE_MS); text.length < MINUTE_LENGTH; rest = Math.floor(rest / BASE32.length))
    text = `${BASE32[rest % BASE32.length]}${text}`;
  return text;
}

/** The visitor id of an identified person: the same on every device (R-225). */
export function identifiedVisitorId(key: string, site: string, subject: string): string {
  return taggedId(key, `u_${base32(mac(key, "identity", `${site}\0${subject}`), 26)}`);
}

/**
 * The visitor id for a request of the owner's backend that names no visitor. The same request key gives the same id.
 */
export function backendVisitorId(key: string, site: string, request: string): string {
  return taggedId(key, `v_${base32(mac(key, "lead", `${site}\0${request}`), 26)}`);
}

const taggedId = (key: string, id: string): string => `${id}_${base32(mac(key, "visitor", id), 13)}`;

/** Whether the id belongs to an identified person. */
export const isIdentified = (id: string): boolean => id.startsWith("u_");

/** Cache of ids with a valid MAC, by key. */
const provenIds = new Map<string, Set<string>>();
const PROVEN_MAX = 20_000;

/** Whether this deployment issued the id. */
export function isVisitorId(key: string, id: string): boolean {
  const ids = provenIds.get(key) ?? new Set();
  if (ids.has(id)) return true;
  const [, body, tag] = VISITOR_ID.exec(id) ?? [];
  if (body === undefined || tag === undefined || !sameSecret(base32(mac(key, "visitor", body), 13), tag)) return false;
  if (ids.size >= PROVEN_MAX) ids.clear();
  provenIds.set(key, ids.add(id));
  return true;
}

/** A keyed, case-insensitive hash of a text: it can be compared, but not reversed. */
export const keyedHash = (key: string, text: string): string =>
  mac(key, "blind", text.toLowerCase()).toString("base64url");

/** The MAC of a text for one purpose: 43 characters, base64url. Verify it with `sameSecret`. */
export const tagOf = (key: string, purpose: string, text: string): string =>
  hmacOf(key, `tag ${purpose}`, text).digest("base64url");

/** Whether `tagOf` gives this tag. */
export const isTag = (given: string, key: string, purpose: string, text: string): boolean =>
  sameSecret(given, tagOf(key, purpose, text));

/** Signs a text for one purpose as `payload.mac`, both base64url. The text can be read by anybody. Used in links. */
export function seal(key: string, purpose: string, text: string): string {
  const payload = Buffer.from(text).toString("base64url");
  return `${payload}.${mac(key, `seal ${purpose}`, payload).toString("base64url")}`;
}

/** The text that `seal` signed for this purpose; `undefined` for anything else. */
export function unseal(key: string, purpose: string, sealed: string): string | undefined {
  const [payload, signature, ...rest] = sealed.split(".");
  if (payload === undefined || signature === undefined || rest.length > 0) return undefined;
  const expected = mac(key, `seal ${purpose}`, payload).toString("base64url");
  return sameSecret(expected, signature) ? Buffer.from(payload, "base64url").toString() : undefined;
}

/**
 * The content of a browser's session token. `expires` is in milliseconds; `id` names the login; `rotation` counts how often the
 * login's token was replaced.
 */
export type Session = {
  visitor: string;
  site: string;
  generation: number;
  expires: number;
  id: string;
  rotation: number;
};

/** Signs a session as `payload.mac`, both base64url. The widget reads its first field, the visitor. */
export function signSession(key: string, session: Session): string {
  const { visitor, site, generation, expires, id, rotation } = session;
  const payload = Buffer.from(JSON.stringify([visitor, site, generation, expires, id, rotation])).toString("base64url");
  return `${payload}.${mac(key, "session", payload).toString("base64url")}`;
}

/** The session of a token; `undefined` when the token is foreign, damaged or expired. @param now milliseconds since 1970 */
export function verifySession(key: string, token: string, now: number): Session | undefined {
  const [payload, signature, ...rest] = token.split(".");
  if (payload === undefined || signature === undefined || rest.length > 0) return undefined;
  if (!sameSecret(mac(key, "session", payload).toString("base64url"), signature)) return undefined;
  // Tokens of earlier versions have no rotation and count as the first of their login.
  const [visitor, site, generation, expires, id, rotation = 0] = JSON.parse(
    Buffer.from(payload, "base64url").toString(),
  ) as [string, string, number, number, string, number?];
  return expires > now ? { visitor, site, generation, expires, id, rotation } : undefined;
}
