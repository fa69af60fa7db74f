import type { IncomingMessage } from "node:http";
import { expect, it } from "vitest";
import { networkOf, prefix48Of, sendersBehind } from "./address.ts";
import { bytesInUse } from "./memory.fixture.ts";

const request = (remoteAddress: string, forwarded?: string | string[]): IncomingMessage =>
  ({ socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } }) as unknown as IncomingMessage;
const senderNetwork = (from: IncomingMessage, trusted: number): string => sendersBehind(trusted).networkOf(from);

it("ignores headers while no proxy is trusted", () => {
  expect(senderNetwork(request("203.0.113.9", "198.51.100.1"), 0)).toBe("203.0.113.9");
});

it("uses the entry of the trusted proxy, counted from the right, and ignores entries that the sender added", () => {
  expect(senderNetwork(request("10.0.0.1", "6.6.6.6, 198.51.100.1"), 1)).toBe("198.51.100.1");
  expect(senderNetwork(request("10.0.0.1", ["6.6.6.6", "198.51.100.1, 10.0.0.2"]), 2)).toBe("198.51.100.1");
  expect(senderNetwork(request("10.0.0.1"), 1)).toBe("10.0.0.1");
});

it("counts an IPv6 customer by the /64, in every spelling, and mapped IPv4 as IPv4", () => {
  expect(senderNetwork(request("2001:db8:0:7::1"), 0)).toBe(senderNetwork(request("2001:0DB8:0000:0007:ffff::9"), 0));
  expect(senderNetwork(request("2001:db8:0:7::1"), 0)).not.toBe(senderNetwork(request("2001:db8:0:8::1"), 0));
  expect(senderNetwork(request("::ffff:203.0.113.9"), 0)).toBe("203.0.113.9");
});

it("counts the IPv4 clients of a NAT64 translator by their IPv4 addresses (RFC 6052)", () => {
  for (const address of ["64:ff9b::cb00:7109", "0064:FF9B:0:0:0:0:CB00:7109", "64:ff9b::203.0.113.9"])
    expect([address, networkOf(address), prefix48Of(address)]).toEqual([address, "203.0.113.9", undefined]);
  expect(networkOf("64:ff9b:1::cb00:7109")).toBe("64:ff9b:1:0::/64");
});

it("knows the /48 of an IPv6 address and of its /64, and none of IPv4", () => {
  for (const address of ["2001:db8:0:7::1", "2001:0DB8::9", networkOf("2001:db8:0:8::1")])
    expect([address, prefix48Of(address)]).toEqual([address, "2001:db8:0::/48"]);
  for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "unknown"]) expect(prefix48Of(address)).toBeUndefined();
});

it("drops the port of an entry, and ignores an entry that is not an address", () => {
  for (const entry of ["198.51.100.1", "198.51.100.1:4711", "198.51.100.1:4712"])
    expect([entry, senderNetwork(request("10.0.0.1", entry), 1)]).toEqual([entry, "198.51.100.1"]);
  for (const entry of ["2001:db8:0:7::1", "[2001:db8:0:7::1]", "[2001:db8:0:7::1]:4711", "[2001:db8:0:7::2]:4712"])
    expect([entry, senderNetwork(request("10.0.0.1", entry), 1)]).toEqual([entry, "2001:db8:0:7::/64"]);
  for (const entry of ["unknown", "_hidden", "", "198.51.100.1:x", "[198.51.100]"])
    expect([entry, senderNetwork(request("10.0.0.1", entry), 1)]).toEqual([entry, "10.0.0.1"]);
});

it("does not keep the header that an address came from in memory (A26)", () => {
  const { addressOf } = sendersBehind(1);
  const before = bytesInUse();
  const addresses = Array.from({ length: 2_000 }, (_, n) =>
    addressOf(
      request("10.0.0.1", `${"6.6.6.6, ".repeat(1_600)}198.51.${100 + Math.floor(n / 100)}.${100 + (n % 100)}`),
    ),
  );
  expect(bytesInUse() - before).toBeLessThan(5 * 1024 * 1024);
  expect([addresses.length, addresses[0]]).toEqual([2_000, "198.51.100.100"]);
});
