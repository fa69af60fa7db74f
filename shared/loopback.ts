/** `localhost` (RFC 6761), 127.0.0.0/8 (RFC 1122), `::1`, and 127.0.0.0/8 in IPv6 form. Brackets as in a URL. */
const LOOPBACK = /^(localhost|(::ffff:)?127(\.\d{1,3}){3}|\[(::1|::ffff:7f[\da-f]{2}:[\da-f]{1,4})\]|::1)$/i;

/**
 * Whether a host name or address means this machine. A name such as `127.example.com` does not.
 * @param host as in `URL.hostname` or `socket.remoteAddress`, without a port
 */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** The same for an address with a scheme. False when the text is not an address. */
export const isLoopbackUrl = (address: string): boolean =>
  URL.canParse(address) && isLoopback(new URL(address).hostname);
