import { BlockList, isIP } from "node:net";

/** Parses `192.0.2.0/24`, `2001:db8::/32`, or a single address. */
function netIn(given: string): { address: string; bits: number; family: "ipv4" | "ipv6" } | undefined {
  const [address = "", prefix, ...rest] = given.split("/");
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? most : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (version === 0 || rest.length > 0 || !(bits >= 0 && bits <= most)) return undefined;
  return { address, bits, family: version === 4 ? "ipv4" : "ipv6" };
}

/** Whether the text is an IP address, or a block in CIDR notation (RFC 4632, RFC 4291 section 2.3). */
export const isNet = (given: string): boolean => netIn(given) !== undefined;

/** Converts an IPv4-mapped IPv6 address to IPv4, and removes a zone. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "").split("%")[0] ?? "";

/**
 * Creates a test whether an address is in one of the networks.
 * @param nets as `isNet` accepts them; others are ignored
 */
export function netsOf(nets: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const given of nets) {
    const net = netIn(given);
    if (net !== undefined) list.addSubnet(net.address, net.bits, net.family);
  }
  return (address) => {
    const found = plain(address);
    const version = isIP(found);
    return version !== 0 && list.check(found, version === 4 ? "ipv4" : "ipv6");
  };
}

/** A block with a shorter prefix is probably a mistake: it holds a large part of the internet. */
const VAST = { ipv4: 8, ipv6: 16 } as const;

/** Whether a block holds a large part of the internet, like `0.0.0.0/0`. */
export function isVast(given: string): boolean {
  const net = netIn(given);
  return net !== undefined && net.bits < VAST[net.family];
}
