import { describe, expect, it } from "vitest";
import { amountOf, isAmount } from "./amount.ts";

describe("an amount of credits (R-245)", () => {
  it("is a number above 0 with at most two decimals, exactly", () => {
    const good = [0.01, 0.29, 1.1, 19.99, 20, 100_000.07, 999_999_999.99, 1_000_000_000];
    const none = [0, -1, 1e-9, 10.000000001, 1.005, 1_000_000_000.01, Number.NaN, Number.POSITIVE_INFINITY, "5", [7]];
    expect([...good, ...none].filter(isAmount)).toEqual(good);
    // Every amount from 0.01 to 100.00, as text and as a JSON number.
    const cents = Array.from({ length: 10_000 }, (_, i) => ((i + 1) / 100).toFixed(2));
    expect(cents.filter((text) => !isAmount(JSON.parse(text)) || amountOf(text) !== Number(text))).toEqual([]);
  });

  it("must be a plain decimal when it is text", () => {
    const texts = ["20", "12.50", "12.500", "1e3", "1,000", "-5", "+5", "0x10", "", " 5", "5.001", "0", "1e-9"];
    expect(texts.filter((text) => amountOf(text) !== undefined)).toEqual(["20", "12.50", "12.500"]);
  });
});
