import { DEFAULT_SITE } from "@porchlight/shared/site";
import { expect, it } from "vitest";
import { createSites } from "./sites.ts";

const OWN = "https://chat.example.com";
const origins = ["https://shop.example", "https://*.shop.example", "http://*.local.example:8080"];
const site = { public: DEFAULT_SITE, account: "", origins, channel: "", business: "", campaign: undefined } as const;
const sites = createSites([site], () => [OWN]);
const allowed = (given: string): boolean => sites.allows(site, given);

it("allows configured origins, subdomains of a wildcard at any depth, and the relay's own pages (A7)", () => {
  const named = ["https://shop.example", "https://www.shop.example", "https://a.b.shop.example", OWN];
  expect([...named, "http://x.local.example:8080"].filter((origin) => !allowed(origin))).toEqual([]);
});

it("refuses origins that only look similar (A7)", () => {
  const foreign = [
    "null",
    "",
    "http://shop.example",
    "http://www.shop.example",
    "https://shop.example:8443",
    "https://www.shop.example:8443",
    "https://evilshop.example",
    "https://www.evilshop.example",
    "https://shop.example.evil.example",
    "https://www.shop.example.evil.example",
    "https://.shop.example",
    "https://shop.example.",
    "https://www.shop.example.",
    "https://WWW.SHOP.EXAMPLE",
    "https://user@www.shop.example",
    "https://www.shop.example/path",
    "https://evil.example/.shop.example",
    "https://evil.example#.shop.example",
    "https://evil.example\\.shop.example",
    "ws://www.shop.example",
    "http://x.local.example",
    "http://local.example:8080",
    "https://chat.example.com.evil.example",
    "https://xchat.example.com",
  ];
  expect(foreign.filter(allowed)).toEqual([]);
});

it("refuses an origin that is longer than a host's name can be, because each connection keeps its origin (A28)", () => {
  const long = (size: number): string => `https://${"a.".repeat(size)}.shop.example`.replace("..", ".");
  expect([100, 120, 121, 7_000].map((labels) => allowed(long(labels)))).toEqual([true, true, false, false]);
});
