import { describe, expect, it } from "vitest";
import { creditRules } from "../../base/rules.ts";
import type { GrantAnswer } from "../../service/api.ts";
import { descriptionOf, isGrantable, verdictOf } from "./grants.ts";

describe("the answer to a grant", () => {
  const kindOf = (answer: Partial<GrantAnswer>) =>
    verdictOf({ kind: "permanent", status: 0, message: "", ...answer }).kind;

  it.each([401, 403, 405, 429])("%i means that nothing was granted, and that a later attempt may succeed", (status) => {
    expect(kindOf({ status })).toBe("again");
  });

  it.each([400, 404, 413, 415, 422])("%i ends the attempts, until a person corrects the grant", (status) => {
    expect(kindOf({ status })).toBe("refused");
  });

  it.each([302, 408, 409, 410, 418, 500, 501, 502, 503, 504])("%i leaves the outcome unknown", (status) => {
    expect(kindOf({ status, kind: "transient" })).toBe("unknown");
  });

  it("is certain when the call was never sent, and unknown when it was never answered", () => {
    expect(kindOf({ kind: "transient", status: 0 })).toBe("again");
    expect(kindOf({ kind: "unknown", status: 0 })).toBe("unknown");
  });

  it("200 counts only when the body states what was granted", () => {
    expect(kindOf({ kind: "ok", status: 200, added: 5 })).toBe("done");
    expect(kindOf({ kind: "ok", status: 200 })).toBe("unknown");
    expect(kindOf({ kind: "permanent", status: 200 })).toBe("refused");
    expect(kindOf({ kind: "transient", status: 200 })).toBe("unknown");
  });
});

describe("a grant", () => {
  it("contains its whole key in the description, however long the note is (R-486)", () => {
    expect(descriptionOf("Auto-recharge", "k-1")).toBe("Auto-recharge [k-1]");
    const long = descriptionOf("x".repeat(500), "k-1");
    expect([long.length, long.endsWith("[k-1]")]).toEqual([200, true]);
    expect(descriptionOf("note", "k".repeat(198))).toBe("k".repeat(198));
  });

  it("shortens a key that is longer than a description, and different keys stay different (R-209)", () => {
    const [one, other] = ["1", "2"].map((end) => descriptionOf("note", `${"k".repeat(254)}${end}`));
    expect([one?.length, other?.length, one === other]).toEqual([200, 200, false]);
    expect(one?.startsWith("k".repeat(179))).toBe(true);
  });

  it("is positive, has at most two decimals and stays under the cap (R-245)", () => {
    const rules = creditRules.parse({ perGrant: 100 });
    const all = [100, 0.01, 19.99, 0, -1, 100.01, 1.005, Number.NaN, Number.POSITIVE_INFINITY];
    expect(all.filter((amount) => isGrantable(amount, rules))).toEqual([100, 0.01, 19.99]);
  });
});
