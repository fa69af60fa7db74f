import type { IncomingMessage } from "node:http";
import type { Clock } from "../base/clock.ts";
import { createLimiter } from "../base/limiter.ts";
import { sameSecret } from "../base/sign.ts";

/** Wrong tokens of one address: so many at once, and so many a minute after them. */
const GUESSES = 5;

/** Who may open the admin pages and the metrics. */
export type AdminAccess = {
  /** The sender of a request, as limits count it. */
  addressOf: (incoming: IncomingMessage) => string;
  /**
   * Whether a token is the right one. An address that guessed too often is refused unheard for a while, also with the right
   * token; other addresses notice nothing.
   */
  opens: (address: string, token: string) => boolean;
};

/** @param token ADMIN_TOKEN */
export function createAccess({
  token,
  clock,
  addressOf,
}: {
  token: string;
  clock: Clock;
  addressOf: AdminAccess["addressOf"];
}): AdminAccess {
  const wrong = createLimiter({ burst: GUESSES, perMinute: GUESSES, uptime: clock.uptime });
  /** Addresses that wait, and until when (uptime in milliseconds). */
  const shut = new Map<string, number>();
  return {
    addressOf,
    opens(address, given) {
      const until = shut.get(address) ?? 0;
      if (until > clock.uptime()) return false;
      shut.delete(address);
      if (sameSecret(given, token)) return true;
      const wait = wrong.take(address);
      if (wait > 0) keep(shut, address, clock.uptime() + Math.max(wait, SHUT_MS));
      return false;
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
