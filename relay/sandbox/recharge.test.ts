import { describe, expect, it } from "vitest";
import { initialConfig } from "./config.ts";
import type { SandboxConfig } from "./options.ts";
import { setUp, startClient } from "./sandbox.fixture.ts";

const bench = async (config: Partial<SandboxConfig> = {}) => {
  const agency = await startClient();
  const all = await setUp({ rechargeUrl: agency.url, rechargeFields: "full", ...config });
  all.sandbox.seed({ subAccounts: [{ email: "client@b.example", balance: 10, threshold: 5, rechargeAmount: 50 }] });
  return { ...all, agency };
};

describe("the auto-recharge event (BEHAVIOUR 4.10)", () => {
  it("is sent when a balance falls below its threshold, and not before", async () => {
    const { sandbox, agency } = await bench();
    expect(await sandbox.spend({ email: "client@b.example", amount: 5 })).toBeUndefined();
    const event = await sandbox.spend({ email: "client@b.example", amount: 1.5 });
    expect(event).toMatchObject({ email: "client@b.example", deliveries: [{ ok: true, status: 200 }] });
    await sandbox.spend({ email: "client@b.example", amount: 1 });
    expect(agency.bodies()).toMatchObject([
      { idempotency_key: event?.idempotencyKey, email: "client@b.example", balance: 3.5, threshold: 5, amount: 50 },
    ]);
  });

  it("R-621 sends the key alone unless rechargeFields is full, and flags the fields that it invents", async () => {
    expect(initialConfig().rechargeFields).toBe("minimal");
    const { sandbox, agency } = await bench();
    await sandbox.recharge({ email: "client@b.example", amount: 20 });
    expect(agency.bodies()[0]).toMatchObject({ amount: 20, sandbox_note: expect.stringContaining("invented") });
    sandbox.configure({ rechargeFields: "minimal" });
    await sandbox.recharge({ email: "client@b.example" });
    expect(agency.bodies()[1]).toEqual({ idempotency_key: expect.any(String) });
  });

  it("R-622 gives the key another name, or puts it into a header", async () => {
    const { sandbox, agency } = await bench({ rechargeKeyName: "idempotencyKey" });
    await sandbox.recharge({ email: "client@b.example", key: "k-1" });
    expect(agency.bodies()[0]).toMatchObject({ idempotencyKey: "k-1" });
    sandbox.configure({ rechargeKeyName: "Idempotency-Key" });
    await sandbox.recharge({ email: "client@b.example", key: "k-2" });
    expect(agency.received[1]?.headers["idempotency-key"]).toBe("k-2");
    expect(agency.received[1]?.text).not.toContain("k-2");
  });

  it("R-624 repeats one event with the same key, one after the other or at the same time", async () => {
    const { sandbox, agency } = await bench({ rechargeRepeat: 2 });
    const first = await sandbox.recharge({ email: "client@b.example" });
    expect(first.deliveries).toHaveLength(3);
    const second = await sandbox.recharge({ email: "client@b.example", repeat: 4, parallel: true });
    expect(second.deliveries).toHaveLength(5);
    expect(new Set(agency.bodies().map((body) => body.idempotency_key)).size).toBe(2);
    await sandbox.recharge({ email: "client@b.example", key: first.idempotencyKey, repeat: 0 });
    expect(sandbox.state().recharges).toHaveLength(2);
    expect(first.deliveries).toHaveLength(4);
  });

  it("R-620 goes to the reply URL when rechargeDestination says so", async () => {
    const { sandbox, agency, client } = await bench({ rechargeDestination: "replyUrl" });
    await sandbox.recharge({ email: "client@b.example" });
    expect([agency.received.length, client.received.length]).toEqual([0, 1]);
  });

  it("is not sent without a URL, and stays in the history", async () => {
    const { sandbox } = await bench({ rechargeUrl: "" });
    expect((await sandbox.recharge({ email: "client@b.example" })).deliveries).toEqual([]);
    expect(sandbox.state().recharges).toHaveLength(1);
  });

  it("links later grants to their event, so that a test can require exactly one", async () => {
    const { sandbox, call } = await bench();
    const older = await sandbox.recharge({ email: "client@b.example" });
    const newer = await sandbox.recharge({ email: "client@b.example" });
    const grant = (description: string) =>
      call("POST", "/subaccounts/credits", { body: { email: "Client@b.example", amount: 50, description } });
    await grant(`Auto-recharge ${older.idempotencyKey}`);
    await grant("by hand");
    expect([older.grants.length, newer.grants.length]).toEqual([1, 1]);
    expect(sandbox.state().recharges[0]?.grants).toMatchObject([{ amount: 50, balance: 60 }]);
  });
});
