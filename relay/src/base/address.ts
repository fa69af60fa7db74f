import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/**
 * The whole address a request came from, by the same rule as `addressOf`.
 * @returns `unknown` where the socket is gone already
 */
export function remoteOf(request: IncomingMessage, trusted: number): string {
  const direct = request.socket.remoteAddress ?? "unknown";
  if (trusted === 0) return direct;
  const forwarded = [request.headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  return withoutPort(forwarded.at(-trusted)?.trim() ?? "") ?? direct;
}

/**
 * The address in an entry of `X-Forwarded-For`: some proxies write `192.0.2.1:4711` or `[2001:db8::1]:4711`, and one
 * client must not be a new one with every connection.
 * @returns nothing for an entry that is no address
 */
function withoutPort(entry: string): string | undefined {
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/.exec(entry) ?? [];
  const address = v6 ?? v4 ?? entry;
  return isIP(address) === 0 ? undefined : address;
}

/**
 * The address a request came from. With `trusted` proxies in front, their entry of `X-Forwarded-For` counts from the
 * right: what stands left of it is the sender's own word. IPv6 addresses count by their /64, which one customer has.
 */
export const addressOf = (request: IncomingMessage, trusted: number): string => networkOf(remoteOf(request, trusted));

/** What an address counts as: an IPv6 address as its /64. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return plain.includes(":") ? `${expand(plain).slice(0, 4).join(":")}::/64` : plain;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function expand(address: string): string[] {
  const [left = "", right] = address.toLowerCase().split("%")[0]?.split("::") ?? [];
  const groups = (part: string | undefined) =>
    part ? part.split(":").map((group) => group.replace(/^0+(?=.)/, "")) : [];
  const [start, end] = [groups(left), groups(right)];
  return right === undefined
    ? start
    : [...start, ...Array<string>(Math.max(0, 8 - start.length - end.length)).fill("0"), ...end];
}
