import { DEFAULT_SITE } from "@porchlight/shared/site";
import { expect, it } from "vitest";
import { createSites } from "./sites.ts";

const known = { account: "", channel: "", business: "", campaign: undefined, public: DEFAULT_SITE };
const allows = (pattern: string, origin: string): boolean => {
  const site = { ...known, origins: [pattern] };
  return createSites([site], () => []).allows(site, origin);
};

it("lets subdomains of any depth in where the pattern names them", () => {
  for (const host of ["a.example.com", "a.b.example.com", "xn--bcher-kva.example.com"])
    expect([host, allows("https://*.example.com", `https://${host}`)]).toEqual([host, true]);
  expect(allows("http://*.localhost:3000", "http://shop.localhost:3000")).toBe(true);
});

it.each([
  "https://example.com",
  "https://evilexample.com",
  "https://example.com.evil.example",
  "https://evil.example/.example.com",
  "https://evil.example?.example.com",
  "https://evil.example#.example.com",
  "https://evil.example\\.example.com",
  "https://evil.example:443@a.example.com",
  "https://user@a.example.com",
  "https://.example.com",
  "https://a..example.com",
  "https://a.example.com.",
  "https://A.example.com",
  "https://a.example.com/",
  "https://a.example.com:443",
  "https://a.example.com:8443",
  "http://a.example.com",
  "null",
  "",
])("does not take %j for a subdomain", (origin) => {
  expect(allows("https://*.example.com", origin)).toBe(false);
});
