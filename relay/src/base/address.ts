import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * The IP address of a request's sender. Behind `trusted` proxies it is the entry of `X-Forwarded-For` at that position from the
 * right; the entries left of it can be forged.
 * @returns `unknown` when the socket has closed
 */
function senderAddress(request: IncomingMessage, trusted: number): string {
  const direct = request.socket.remoteAddress ?? "unknown";
  if (trusted === 0) return direct;
  const forwarded = [request.headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  return withoutPort(forwarded.at(-trusted)?.trim() ?? "") ?? direct;
}

/**
 * Copies a part of a text. V8 keeps the whole text in memory while a part of it is in use: without the copy, the address of each
 * open chat would keep a header of up to 16 KB (RELIABILITY A26).
 */
export const copyOf = (text: string): string => Buffer.from(text).toString();

/**
 * The address in an entry of `X-Forwarded-For`, without a port. Some proxies write `192.0.2.1:4711` or
 * `[2001:db8::1]:4711`; with the port, every connection would count as another client.
 * @returns `undefined` for an entry that is no address
 */
function withoutPort(entry: string): string | undefined {
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/.exec(entry) ?? [];
  const address = v6 ?? v4 ?? entry;
  return isIP(address) === 0 ? undefined : copyOf(address);
}

/** The well-known prefix under which a translator shows IPv4 clients to an IPv6 server (NAT64, RFC 6052). */
const NAT64 = /^64:ff9b:0:0:0:0:/;

/** The IPv4 address in the last two groups of an IPv6 address. */
const embedded = (groups: readonly string[]): string =>
  groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");

/**
 * The network that limits count: the IPv4 address itself, or the /64 of an IPv6 address, because one customer has a whole /64.
 * Behind a NAT64 all IPv4 addresses share one /64, so each of them counts alone.
 */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.endsWith("::/64")) return address;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!plain.includes(":")) return plain;
  const groups = expand(plain);
  return NAT64.test(groups.join(":")) ? embedded(groups) : `${groups.slice(0, 4).join(":")}::/64`;
}

/**
 * The /48 that an IPv6 address, or its /64, belongs to: one customer can have a whole /48 (RFC 6177, RIPE-690), which is 65,536
 * networks to limits that count /64s. The phones of a mobile operator also share one /48, so limits allow a /48 more than one address.
 * @returns undefined for IPv4
 */
export function prefix48Of(address: string): string | undefined {
  const network = networkOf(address);
  return network.includes(":") ? `${network.split(":").slice(0, 3).join(":")}::/48` : undefined;
}

/** An IPv6 address whose last 32 bits are not written like an IPv4 address (RFC 4291, 2.2). */
const withoutDots = (address: string): string =>
  address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });

/** The eight groups of an IPv6 address, without leading zeros. */
function expand(address: string): string[] {
  const [left = "", right] = withoutDots(address).toLowerCase().split("%")[0]?.split("::") ?? [];
  const groups = (part: string | undefined) =>
    part ? part.split(":").map((group) => group.replace(/^0+(?=.)/, "")) : [];
  const [start, end] = [groups(left), groups(right)];
  return right === undefined
    ? start
    : [...start, ...Array<string>(Math.max(0, 8 - start.length - end.length)).fill("0"), ...end];
}

/**
 * Two functions that read a request's sender: its address, and its network as limits count it.
 * @param trusted number of proxies in front of the relay whose `X-Forwarded-For` is believed; 0: none
 */
export const sendersBehind = (trusted: number) => ({
  addressOf: (request: IncomingMessage): string => senderAddress(request, trusted),
  networkOf: (request: IncomingMessage): string => networkOf(senderAddress(request, trusted)),
});
