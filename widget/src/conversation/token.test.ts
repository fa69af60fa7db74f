import { expect, it } from "vitest";
import { isSameVisitor } from "./token.ts";

const tokenOf = (...payload: unknown[]): string =>
  `${Buffer.from(JSON.stringify(payload)).toString("base64url")}.${Math.random()}`;

it("recognises tokens of one visitor, however often they were replaced", () => {
  const first = tokenOf("v_one", "shop", 1, 1_000, "login", 0);
  expect(isSameVisitor(first, tokenOf("v_one", "shop", 1, 2_000, "login", 1))).toBe(true);
  expect(isSameVisitor(first, tokenOf("v_two", "shop", 1, 1_000, "login", 0))).toBe(false);
  // A site's name may contain characters that base64url encodes with - or _.
  expect(isSameVisitor(tokenOf("v_one", "~~~???"), tokenOf("v_one", "other"))).toBe(true);
});

it("compares invalid tokens as texts, and an empty token belongs to nobody", () => {
  expect(isSameVisitor("token-1", "token-1")).toBe(true);
  expect(isSameVisitor("token-1", "token-2")).toBe(false);
  expect([isSameVisitor("", ""), isSameVisitor("", undefined), isSameVisitor("token-1", "")]).toEqual([
    false,
    false,
    false,
  ]);
});
