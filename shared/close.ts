/**
 * Every way a connection ends, with its code, its meaning and whether the client comes back.
 * 1xxx: RFC 6455 section 7.4.1 and its registry; 4xxx: private use.
 */
export type Ending = { code: number; meaning: string; again: "now" | "backoff" | "never" };

const ending = (code: number, again: Ending["again"], meaning: string): Ending => ({ code, meaning, again });

export const CLOSE = {
  /** The visitor closed the chat, or the page went away. */
  normal: ending(1000, "never", "closed"),
  /** A frame that breaks the protocol. Reconnecting is fine; sending that frame again is not. */
  protocol: ending(1008, "backoff", "bad frame"),
  tooBig: ending(1009, "backoff", "frame too big"),
  internal: ending(1011, "backoff", "internal error"),
  /** The relay restarts; a `bye` frame before it says when to come back. */
  restart: ending(1012, "backoff", "relay restarting"),
  /** Too many connections, or this one reads too slowly or is not heard of: the log keeps everything, so come back and read on. */
  overload: ending(1013, "backoff", "try again later"),
  /** No valid `hello` in time. */
  noHello: ending(4400, "backoff", "no hello"),
  /** The token or identity is not valid (any more): greet again without it, once. */
  badToken: ending(4401, "now", "token refused"),
  /** This site, or this origin on this site, is not served here. */
  notAllowed: ending(4403, "never", "site or origin not allowed"),
  /** The visitor deleted the chat, or logged out elsewhere. */
  gone: ending(4410, "never", "chat deleted"),
  /** The widget is older than the relay understands. */
  version: ending(4426, "never", "version not supported"),
} as const satisfies Record<string, Ending>;

/** What to do after a close with this code. Codes that are not ours (1006, a proxy's) mean: come back, with backoff. */
export function endingOf(code: number): Ending {
  return (
    Object.values<Ending>(CLOSE).find((one) => one.code === code) ?? {
      code,
      meaning: "connection lost",
      again: "backoff",
    }
  );
}
