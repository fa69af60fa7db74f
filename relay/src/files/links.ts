import { createHmac } from "node:crypto";
import { sameSecret } from "../base/sign.ts";
import { typeOf } from "./types.ts";

/** A link is valid for one to two weeks, longer than the service retries (R-234 requires 7 days). */
const WEEK_MS = 7 * 86_400_000;

/** The signed links to files. */
export type Links = {
  /** Path and query of a file. Anybody who has the link can fetch the file until the link expires. */
  to: (key: string, type: string) => string;
  /** Whether `exp` and `sig` belong to a link to this file that has not expired. */
  open: (key: string, exp: string, sig: string) => boolean;
};

/**
 * Makes and checks links that need no cookie and no header, because the service fetches files too (RELIABILITY 3e.6): an
 * unguessable key, an expiry time, and a MAC over both. The expiry is the end of a week, so a link stays the same for days
 * and browsers can cache the file.
 * @param signing key of the MAC
 * @param now milliseconds since 1970
 */
export function createLinks(signing: string, now: () => number): Links {
  const mac = (key: string, exp: string): string =>
    createHmac("sha256", signing).update(`media\0${key}\0${exp}`).digest("base64url");
  return {
    to(key, type) {
      const exp = String((Math.floor(now() / WEEK_MS) + 2) * WEEK_MS);
      return `/media/${key}.${typeOf(type).endings[0]}?exp=${exp}&sig=${mac(key, exp)}`;
    },
    open: (key, exp, sig) => sameSecret(sig, mac(key, exp)) && Number(exp) > now(),
  };
}
