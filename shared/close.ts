/**
 * The close code of each way in which a connection ends. 1xxx: RFC 6455 section 7.4.1 and its registry; 4xxx: private use. The
 * widget uses only the codes; `CLOSE` adds meaning and reconnect rule for the relay.
 */
export const CLOSE_CODE = {
  normal: 1000,
  protocol: 1008,
  tooBig: 1009,
  internal: 1011,
  restart: 1012,
  overload: 1013,
  noHello: 4400,
  badToken: 4401,
  notAllowed: 4403,
  gone: 4410,
  version: 4426,
} as const;

/** The code that a browser reports when a connection ended without a close frame (RFC 6455 section 7.4.1). It is never sent. */
export const LOST = 1006;

export type Ending = { code: number; meaning: string; reconnect: "now" | "backoff" | "never" };

/** Without side effects, so that the widget contains the table only if it uses it. */
// @__NO_SIDE_EFFECTS__
const ending = (code: number, reconnect: Ending["reconnect"], meaning: string): Ending => ({
  code,
  meaning,
  reconnect,
});

/** Each way in which the relay ends a connection. */
export const CLOSE = {
  /** The visitor closed the chat, or the page went away. */
  normal: ending(CLOSE_CODE.normal, "never", "closed"),
  /** A frame that violates the protocol. The client may reconnect, but must not send that frame again. */
  protocol: ending(CLOSE_CODE.protocol, "backoff", "bad frame"),
  tooBig: ending(CLOSE_CODE.tooBig, "backoff", "frame too big"),
  internal: ending(CLOSE_CODE.internal, "backoff", "internal error"),
  /** The relay restarts. The `bye` frame before it says when to reconnect. */
  restart: ending(CLOSE_CODE.restart, "backoff", "relay restarting"),
  /**
   * Too many connections, or this one reads too slowly or is silent. The log keeps everything, so the client reconnects and
   * continues.
   */
  overload: ending(CLOSE_CODE.overload, "backoff", "try again later"),
  /** No valid `hello` in time. */
  noHello: ending(CLOSE_CODE.noHello, "backoff", "no hello"),
  /** The token or identity is no longer valid. The client sends `hello` again without it, once. */
  badToken: ending(CLOSE_CODE.badToken, "now", "token refused"),
  /** The relay does not serve this site, or not for this origin. */
  notAllowed: ending(CLOSE_CODE.notAllowed, "never", "site or origin not allowed"),
  /** The visitor was deleted: by the visitor, in any tab or on any device, by the owner, or by the retention. */
  gone: ending(CLOSE_CODE.gone, "never", "chat deleted"),
  /** The widget is too old for this relay. */
  version: ending(CLOSE_CODE.version, "never", "version not supported"),
} as const satisfies Record<string, Ending>;

/** What a client does after a close with this code. After an unknown code (1006, or a proxy's), it reconnects with backoff. */
export function endingOf(code: number): Ending {
  return (
    Object.values<Ending>(CLOSE).find((one) => one.code === code) ?? {
      code,
      meaning: "connection lost",
      reconnect: "backoff",
    }
  );
}
