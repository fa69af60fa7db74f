import { expect, it } from "vitest";
import type { Settings } from "../../base/config.ts";
import { type CreditRules, NO_CREDITS } from "../../base/rules.ts";
import { creditAccounts } from "./accounts.ts";

const RULES: CreditRules = { ...NO_CREDITS, mode: "auto" };
const accounts = (...given: [id: string, credits?: CreditRules][]): Settings["accounts"] =>
  given.map(([id, credits]) => ({ id, credits })) as unknown as Settings["accounts"];
const ids = (found: { id: string }[]): string[] => found.map(({ id }) => id);

it("selects the account that the callback address names", () => {
  expect(ids(creditAccounts(accounts(["a"], ["b", RULES])).candidates("a"))).toEqual(["a"]);
  expect(creditAccounts(accounts(["a"])).candidates("unknown")).toEqual([]);
});

it("selects the accounts with credit rules when the callback address names none, or all accounts if none has rules", () => {
  expect(ids(creditAccounts(accounts(["a"], ["b", RULES])).candidates(undefined))).toEqual(["b"]);
  expect(ids(creditAccounts(accounts(["a"], ["b"])).candidates(undefined))).toEqual(["a", "b"]);
});

it("gives an account without rules the default rules, which grant nothing", () => {
  expect(creditAccounts(accounts(["a"])).rulesOf("a")).toBe(NO_CREDITS);
});
