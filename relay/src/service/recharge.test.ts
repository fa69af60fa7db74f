import { describe, expect, it } from "vitest";
import { parseRecharge } from "./recharge.ts";

const parse = (body: unknown, header?: string, paths?: Parameters<typeof parseRecharge>[2]) =>
  parseRecharge(typeof body === "string" ? body : JSON.stringify(body), header, paths);

describe("an auto-recharge event", () => {
  it("needs only its key (R-621)", () => {
    expect(parse({ idempotency_key: "k-1" })).toEqual({
      key: "k-1",
      email: undefined,
      subAccount: undefined,
      amount: undefined,
    });
  });

  it.each([
    [{ idempotencyKey: "k-1", data: { sub_account: { email: " A@B.example " } }, recharge_amount: "12.5" }],
    [{ data: { idempotency_key: "k-1", subAccountEmail: "a@b.example", credits: 12.5 } }],
    [{ idempotency_key: "k-1", email: "A@b.example", amount: 12.5 }],
  ])("finds key, email and amount under other common names: %j", (body) => {
    expect(parse(body)).toMatchObject({ key: "k-1", email: "a@b.example", amount: 12.5 });
  });

  it("takes the key from the header, quoted or not (R-622)", () => {
    expect(parse({ email: "a@b.example" }, '"k-1"')?.key).toBe("k-1");
    expect(parse("", "k-1")?.key).toBe("k-1");
  });

  it("ignores ids and addresses of more than 255 characters", () => {
    const long = "x".repeat(256);
    expect(parse({ idempotency_key: long })).toBeUndefined();
    expect(parse({ idempotency_key: "k-1", email: `${long}@b.example`, sub_account_id: long })).toMatchObject({
      email: undefined,
      subAccount: undefined,
    });
  });

  it("keeps the digits of numbers that JavaScript would round: two keys or sub-accounts must not become one", () => {
    expect(parse('{"idempotency_key":12345678901234567891,"sub_account_id":9007199254740993}')).toMatchObject({
      key: "12345678901234567891",
      subAccount: "9007199254740993",
    });
  });

  it("tries the configured paths first", () => {
    const body = { idempotency_key: "k-1", email: "owner@agency.example", client: { mail: "a@b.example" } };
    expect(parse(body, undefined, { email: ["client.mail"] })?.email).toBe("a@b.example");
  });

  it("accepts form encoding", () => {
    expect(parse("idempotency_key=k-1&amount=5")).toMatchObject({ key: "k-1", amount: 5 });
  });

  it.each([["[]"], ["not json {"], ["{}"], ['{"idempotency_key":""}'], [`{"idempotency_key":"${"k".repeat(256)}"}`]])(
    "is refused without a valid key: %s",
    (raw) => expect(parse(raw)).toBeUndefined(),
  );

  it.each(["0x10", "1e9", "1,000", "-5", "many", -50, 0, 1e21, 5.001, [7], { value: 7 }, true])(
    "reports %j as an unreadable amount, also when another field names a valid one",
    (amount) => {
      const event = parse({ idempotency_key: "k-1", amount, credits: 5 });
      expect([event?.amount, event?.unreadable]).toEqual([undefined, JSON.stringify(amount)]);
    },
  );

  it.each([undefined, null, "", "  "])("treats %j as an absent amount", (amount) => {
    const event = parse({ idempotency_key: "k-1", amount });
    expect([event?.amount, event?.unreadable]).toEqual([undefined, undefined]);
    expect(parse({ idempotency_key: "k-1", amount, credits: 5 })?.amount).toBe(5);
  });
});
