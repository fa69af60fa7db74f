import type { IncomingMessage } from "node:http";

/**
 * The whole address a request came from, by the same rule as `addressOf`.
 * @returns `unknown` where the socket is gone already
 */
export function remoteOf(request: IncomingMessage, trusted: number): string {
  const direct = request.socket.remoteAddress ?? "unknown";
  if (trusted === 0) return direct;
  const forwarded = [request.headers["x-forwarded-for"] ?? []].flat().join(",").split(",");
  return forwarded.at(-trusted)?.trim() || direct;
}

/**
 * The address a request came from. With `trusted` proxies in front, their entry of `X-Forwarded-For` counts from the
 * right: what stands left of it is the sender's own word. IPv6 addresses count by their /64, which one customer has.
 */
export const addressOf = (request: IncomingMessage, trusted: number): string => network(remoteOf(request, trusted));

function network(address: string): string {
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
