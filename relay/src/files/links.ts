import { createHmac } from "node:crypto";
import { sameSecret } from "../base/sign.ts";
import { typeOf } from "./types.ts";

/** Links end between one and two weeks after they were made: long past the service's retries (R-234 asks for 7 days). */
const WEEK_MS = 7 * 86_400_000;

export type Links = {
  /** Path and query under which a file can be fetched by whoever has it, until it ends. */
  to: (key: string, type: string) => string;
  /** Whether `exp` and `sig` are those of a link to the file that has not ended. */
  open: (key: string, exp: string, sig: string) => boolean;
};

/**
 * Links that need no cookie and no header, because the service fetches files as well (RELIABILITY 3e.6): an unguessable
 * key, a time, and a MAC over both. The time is the end of a week, so that a link stays the same for days and browsers
 * keep what they fetched.
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
