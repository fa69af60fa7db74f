import { describe, expect, it } from "vitest";
import { campaignFor, claimsFor, isCampaign, matchesPattern } from "./routes.ts";
import { type RouteRule, routeRule } from "./rules.ts";

const rules: RouteRule[] = [
  { campaign: "sales", name: "sales" },
  { campaign: "pro-fr", claim: { plan: "pro" }, language: "fr" },
  { campaign: "pro", claim: { plan: "pro" } },
  { campaign: "pricing", page: "/pricing*" },
  { campaign: "spring", page: "*utm_campaign=spring*" },
  { campaign: "brazil", language: "pt-BR" },
];
const chosen = (situation: Parameters<typeof campaignFor>[2]) => campaignFor(rules, "own", situation);

describe("a conversation's campaign", () => {
  it("comes from the first rule whose conditions all hold", () => {
    expect(chosen({ name: "sales", page: "/pricing", claims: { plan: "pro" } })).toBe("sales");
    expect(chosen({ claims: { plan: "pro" }, locale: "fr-CA" })).toBe("pro-fr");
    expect(chosen({ claims: { plan: "pro" }, locale: "fry" })).toBe("pro");
    expect(chosen({ page: "/pricing/teams?x=1" })).toBe("pricing");
    expect(chosen({ page: "/home?utm_campaign=spring&x" })).toBe("spring");
    expect(chosen({ locale: "PT-br" })).toBe("brazil");
  });

  it("is the site's default, or none, when no rule holds", () => {
    expect(chosen({ name: "Sales", page: "/", locale: "pt", claims: { plan: ["pro"] } })).toBe("own");
    expect(chosen({})).toBe("own");
    expect(campaignFor([], undefined, { name: "sales" })).toBeUndefined();
  });

  it("never comes from a page or a claim, only from the rules", () => {
    expect(chosen({ name: "pricing" })).toBe("own");
    expect(isCampaign(rules, "own", "pricing")).toBe(true);
    expect(isCampaign(rules, "own", "removed")).toBe(false);
  });

  it("keeps only those claims of an identity that the rules use", () => {
    expect(claimsFor(rules, { plan: "pro", email: "ada@example.com", sub: "7" })).toEqual({ plan: "pro" });
  });
});

describe("a page pattern", () => {
  it.each([
    ["/a", "/a", true],
    ["/a", "/ab", false],
    ["/a*", "/ab", true],
    ["*", "", true],
    ["/a*c", "/abc", true],
    ["/a*c", "/abcd", false],
    ["/a*b*c", "/a1b2c", true],
    ["/aa*aa", "/aaa", false],
    ["/*/*/x", "/1/2/x", true],
    ["/*/*/x", "/1/x", false],
  ])("%s matches %s: %s", (pattern, text, expected) => {
    expect(matchesPattern(pattern, text)).toBe(expected);
  });

  it("matches any address in linear time", () => {
    // A backtracking matcher would take centuries: this test would not end.
    expect(matchesPattern(`${"*a".repeat(250)}b`, "a".repeat(100_000))).toBe(false);
  });
});

it("accepts a rule with no conditions and refuses unknown ones", () => {
  expect(routeRule.safeParse({ campaign: "x" }).success).toBe(true);
  expect(routeRule.safeParse({ campaign: "x", country: "de" }).success).toBe(false);
});
