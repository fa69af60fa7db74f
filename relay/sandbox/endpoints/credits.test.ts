import { describe, expect, it } from "vitest";
import type { SandboxConfig } from "../options.ts";
import { setUp } from "../sandbox.fixture.ts";

const bench = async (config: Partial<SandboxConfig> = {}) => {
  const all = await setUp(config);
  all.sandbox.seed({ subAccounts: [{ email: "Client@b.example", balance: 10 }] });
  const grant = (body: unknown, key?: string) =>
    all.call("POST", "/subaccounts/credits", key === undefined ? { body } : { body, key });
  return { ...all, grant, balance: () => all.sandbox.state().subAccounts[0]?.balance };
};

const general = (code: string) => ({ error: { code, message: expect.any(String) } });

describe("POST /subaccounts/credits (BEHAVIOUR 4.8)", () => {
  it("R-485 R-486 grants to the email in any letter case and keeps the description", async () => {
    const { grant, sandbox } = await bench();
    const { status, body } = await grant({ email: " client@B.example ", amount: 25, description: "Recharge key-1" });
    expect({ status, body }).toEqual({
      status: 200,
      body: { success: true, sub_account_id: expect.any(String), credits_added: 25, new_balance: 35 },
    });
    expect(sandbox.state().grants).toMatchObject([
      { email: "client@b.example", amount: 25, description: "Recharge key-1" },
    ]);
  });

  it("R-482 grants again when called again", async () => {
    const { grant, balance } = await bench();
    const ask = { email: "client@b.example", amount: 5, description: "same" };
    const balances = [await grant(ask), await grant(ask)].map(
      ({ body }) => (body as { new_balance: number }).new_balance,
    );
    expect(balances).toEqual([15, 20]);
    expect(balance()).toBe(20);
  });

  it("R-245 adds fractions without drift, unless integerCredits is on", async () => {
    const { grant, sandbox } = await bench();
    await grant({ email: "client@b.example", amount: 0.1 });
    expect((await grant({ email: "client@b.example", amount: 0.2 })).body).toMatchObject({ new_balance: 10.3 });
    sandbox.configure({ integerCredits: true });
    expect((await grant({ email: "client@b.example", amount: 0.5 })).status).toBe(400);
  });

  it("R-481 answers an unknown email with 404, or as the option says", async () => {
    const { grant, sandbox } = await bench();
    const ask = { email: "nobody@b.example", amount: 5 };
    expect(await grant(ask)).toMatchObject({ status: 404, body: general("NOT_FOUND") });
    sandbox.configure({ unknownSubaccount: 400 });
    expect((await grant(ask)).status).toBe(400);
    sandbox.configure({ unknownSubaccount: "200false" });
    expect(await grant(ask)).toMatchObject({ status: 200, body: { success: false } });
  });

  it("refuses an email that is missing, blank, malformed or not a string", async () => {
    const { grant, balance } = await bench();
    for (const email of [undefined, "", "  ", "nobody", 7, null]) {
      const { status, body } = await grant({ email, amount: 5 });
      expect({ email, status, code: (body as { error: { code: string } }).error.code }).toEqual({
        email,
        status: 400,
        code: email === "nobody" ? "INVALID_EMAIL" : "VALIDATION",
      });
    }
    expect(balance()).toBe(10);
  });

  it("R-245 refuses an amount that is missing, text, zero, negative or not finite", async () => {
    const { grant, call, balance } = await bench();
    for (const amount of [undefined, "5", 0, -1, null, true]) {
      expect((await grant({ email: "client@b.example", amount })).body).toEqual(general("VALIDATION"));
    }
    const infinite = await call("POST", "/subaccounts/credits", {
      text: '{"email":"client@b.example","amount":1e999}',
    });
    expect(infinite.status).toBe(400);
    expect(balance()).toBe(10);
  });

  it("R-483 refuses a key of a non-agency account with the status that nonAgency names", async () => {
    const { grant, sandbox } = await bench({ agencyKey: "agency-key" });
    const ask = { email: "client@b.example", amount: 5 };
    expect(await grant(ask)).toMatchObject({ status: 400, body: general("NOT_AGENCY") });
    expect((await grant(ask, "agency-key")).status).toBe(200);
    sandbox.configure({ nonAgency: 403, agencyKey: "" });
    expect(await grant(ask)).toMatchObject({ status: 403, body: general("NOT_AGENCY") });
  });

  it("R-246 refuses an amount that exceeds the agency's pool", async () => {
    const { grant, sandbox } = await bench({ agencyPool: 8 });
    expect((await grant({ email: "client@b.example", amount: 5 })).status).toBe(200);
    const refused = await grant({ email: "client@b.example", amount: 5 });
    expect(refused).toMatchObject({ status: 400, body: general("INSUFFICIENT_CREDITS") });
    expect(sandbox.config.agencyPool).toBe(3);
  });

  it("R-482 grants even when the answer never arrives: timeout but processed", async () => {
    const { grant, sandbox, balance } = await bench();
    sandbox.failNext("credits", 1, { kind: "resetConnection", when: "after" });
    await expect(grant({ email: "client@b.example", amount: 5 })).rejects.toThrow();
    expect(balance()).toBe(15);
  });
});
