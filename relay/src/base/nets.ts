import { BlockList, isIP } from "node:net";

/** Address and prefix length of `192.0.2.0/24`, `2001:db8::/32`, or of a single address. */
function netIn(given: string): { address: string; bits: number; family: "ipv4" | "ipv6" } | undefined {
  const [address = "", prefix, ...rest] = given.split("/");
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? most : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (version === 0 || rest.length > 0 || !(bits >= 0 && bits <= most)) return undefined;
  return { address, bits, family: version === 4 ? "ipv4" : "ipv6" };
}

/** Whether a text names addresses: one of them, or a block in CIDR notation (RFC 4632, RFC 4291 section 2.3). */
export const isNet = (given: string): boolean => netIn(given) !== undefined;

/** An IPv4 address that came over an IPv6 socket is that IPv4 address. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "").split("%")[0] ?? "";

/**
 * Says of an address whether one of these nets holds it.
 * @param nets each one as `isNet` takes it; others hold nothing
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

/** Shorter prefixes than these hold a large part of the internet: a slip of the pen, or nearly everybody. */
const VAST = { ipv4: 8, ipv6: 16 } as const;

/** Whether a block of addresses holds nearly everybody, like `0.0.0.0/0`. */
export function isVast(given: string): boolean {
  const net = netIn(given);
  return net !== undefined && net.bits < VAST[net.family];
}
