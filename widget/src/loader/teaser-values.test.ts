import { expect, it, vi } from "vitest";
import { meetsCondition } from "./teaser-values.ts";

it.each([
  ["", {}, true],
  ["returning", { returning: true }, true],
  ["returning", { returning: false }, false],
  ["returning", '{"returning":true}', true],
  ["plan=free", { plan: "free" }, true],
  ["plan=free", { plan: "paid" }, false],
  ["cart >= 50", { cart: 50 }, true],
  ["cart<50", { cart: 50 }, false],
  ["cart<=50", { cart: "50" }, true],
  ["cart>50", {}, false],
  ["cart", { cart: "0" }, false],
  ["toString", {}, false],
  ["cart>>50", { cart: 60 }, false],
  ["cart>many", { cart: 60 }, false],
  ["returning", "{not json", false],
])("the condition %j holds for the page's values %j: %s", (teaserWhen, values, expected) => {
  expect(meetsCondition({ teaserWhen, values }, () => false)).toBe(expected);
});

it("determines whether the visitor is returning only if the condition needs it and the page does not pass it", () => {
  const isReturning = vi.fn(() => true);
  expect(meetsCondition({ teaserWhen: "cart", values: { cart: 1 } }, isReturning)).toBe(true);
  expect(meetsCondition({ teaserWhen: "returning", values: { returning: false } }, isReturning)).toBe(false);
  expect(isReturning).not.toHaveBeenCalled();
  expect(meetsCondition({ teaserWhen: "returning" }, isReturning)).toBe(true);
});
