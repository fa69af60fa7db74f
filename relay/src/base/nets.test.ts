import { expect, it } from "vitest";
import { isNet, isTooBroad, netMatcher } from "./nets.ts";

it("accepts addresses and networks, and nothing else", () => {
  for (const net of ["192.0.2.7", "192.0.2.0/24", "2001:db8::/32", "::1", "0.0.0.0/0"])
    expect([net, isNet(net)]).toEqual([net, true]);
  for (const net of [
    "",
    "192.0.2",
    "192.0.2.0/33",
    "192.0.2.0/",
    "192.0.2.0/8/8",
    "2001:db8::/129",
    "example.com",
    "1.2.3.4/-1",
  ])
    expect([net, isNet(net)]).toEqual([net, false]);
});

it("matches an address with its network, also over an IPv6 socket", () => {
  const matches = netMatcher(["192.0.2.0/24", "2001:db8::/32", "198.51.100.7"]);
  for (const inside of ["192.0.2.200", "::ffff:192.0.2.1", "2001:db8:1::9", "198.51.100.7"])
    expect(matches(inside)).toBe(true);
  for (const outside of ["192.0.3.1", "2001:db9::1", "198.51.100.8", "unknown", ""])
    expect(matches(outside)).toBe(false);
});

it.each([
  ["0.0.0.0/0", true],
  ["0.0.0.0/8", false],
  ["2000::/3", true],
  ["2001:db8::/32", false],
  // IPv6 networks that contain IPv4 addresses.
  ["::/16", true],
  ["::ffff:0:0/90", true],
  ["::ffff:0.0.0.0/96", true],
  ["::ffff:128.0.0.0/97", true],
  ["::ffff:10.0.0.0/104", false],
  ["::1", false],
])("says of %s whether it contains a large part of the internet: %s", (net, expected) => {
  expect(isTooBroad(net)).toBe(expected);
});
