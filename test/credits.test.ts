import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openSqlite } from "../relay/src/db/sqlite.ts";
import { runFast } from "./clocks.ts";
import { type Harness, NO_UNKNOWN_OUTCOMES, startHarness } from "./harness.ts";
import { startReceiver } from "./receiver.ts";
import { caller, tokenFor } from "./tokens.ts";

let harness: Harness;
afterEach(() => harness.stop());

const EMAIL = "client@agency.example";
const auto = { credits: { mode: "auto", allow: [EMAIL], perGrant: 100, perDay: 200 } };

async function open(account: object = auto, sandbox: object = {}): Promise<string> {
  harness = await startHarness({ run: runFast(20), account, sandbox: { ...NO_UNKNOWN_OUTCOMES, ...sandbox } });
  const url = harness.callbackUrl.replace("/reply/", "/recharge/");
  harness.sandbox.configure({ rechargeUrl: url });
  harness.sandbox.seed({ subAccounts: [{ email: EMAIL, balance: 1, threshold: 5, rechargeAmount: 20 }] });
  return url;
}
const post = (url: string, body: object, headers = {}): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
const grants = () => harness.sandbox.state().grants;

describe("the auto-recharge callback", () => {
  it("grants once for an event that arrives five times at once, with the key in the history (4.13-24; R-624, R-486)", async () => {
    await open(auto, { rechargeFields: "full" });
    const event = await harness.sandbox.recharge({ email: EMAIL, repeat: 4, parallel: true });
    expect(event.deliveries.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    await harness.sandbox.until(() => grants().length > 0);
    await harness.sandbox.recharge({ email: EMAIL, key: event.idempotencyKey });
    // A later event is granted later, so a second grant would exist by then.
    const after = await harness.sandbox.recharge({ email: EMAIL, amount: 7 });
    await harness.sandbox.until(() => grants().some(({ amount }) => amount === 7));
    expect(grants()).toMatchObject([
      { email: EMAIL, amount: 20, description: expect.stringContaining(event.idempotencyKey) },
      { email: EMAIL, amount: 7, description: expect.stringContaining(after.idempotencyKey) },
    ]);
  });

  it.each(["idempotency_key", "idempotencyKey", "Idempotency-Key"] as const)(
    "is accepted at the reply address too, with its key as %s",
    async (rechargeKeyName) => {
      await open(auto, { rechargeFields: "full", rechargeDestination: "replyUrl", rechargeKeyName });
      const event = await harness.sandbox.recharge({ email: EMAIL });
      expect(event.deliveries.map(({ status }) => status)).toEqual([200]);
      await harness.sandbox.until(() => grants().length === 1);
    },
  );

  it.each(["data", "event", "payload"])(
    "is accepted inside a wrapper object, at either address: %s",
    async (envelope) => {
      const url = await open();
      for (const [key, to] of [
        ["k-own", url],
        ["k-reply", harness.callbackUrl],
      ] as const)
        expect((await post(to, { [envelope]: { idempotency_key: key, email: EMAIL, amount: 5 } })).status).toBe(200);
      await harness.sandbox.until(() => grants().length === 2);
    },
  );

  it("grants nothing automatically when data is missing or no rule allows it (4.13-24; R-621, R-623)", async () => {
    const url = await open(auto, { rechargeFields: "minimal" });
    const { idempotencyKey } = await harness.sandbox.recharge({ email: EMAIL });
    await post(url, { idempotency_key: "k-other", email: "stranger@agency.example", amount: 5 });
    await post(url, { idempotency_key: "k-known", email: EMAIL, amount: 5 });
    await harness.sandbox.until(() => grants().length > 0);
    expect(grants()).toMatchObject([{ amount: 5 }]);
    // Both wait for a person, who sees the reason.
    const { body } = await caller(harness, await tokenFor(harness))("GET", "/credits/grants?state=waiting");
    expect(body.items).toHaveLength(2);
    expect(body.items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: idempotencyKey, reason: expect.stringContaining("names no known sub-account") }),
        expect.objectContaining({ key: "k-other", reason: expect.stringContaining("not on the list") }),
      ]),
    );
  });

  it("never uses the default amount in place of an invalid one (R-245, R-621)", async () => {
    const url = await open({ credits: { ...auto.credits, amount: 20 } });
    const invalid = ["-50", "1e21", '"1e3"', '"1,000"', "[7]", "1e-9", "10.000000001"];
    const send = (key: string, amount: string) =>
      fetch(url, { method: "POST", body: `{"idempotency_key":"${key}","email":"${EMAIL}","amount":${amount}}` });
    for (const [i, amount] of invalid.entries()) expect((await send(`k-${i}`, amount)).status).toBe(200);
    await send("k-null", "null");
    await harness.sandbox.until(() => grants().length > 0);
    expect(grants()).toMatchObject([{ amount: 20, description: expect.stringContaining("k-null") }]);
    const { body } = await caller(harness, await tokenFor(harness))("GET", "/credits/grants?state=waiting");
    const reasons = (body.items as { reason: string; amount: unknown }[]).map(({ reason, amount }) => [reason, amount]);
    const shown = invalid.map((text) => [`names an invalid amount: ${JSON.stringify(JSON.parse(text))}`, null]);
    expect(reasons.toSorted()).toEqual(shown.toSorted());
  });

  it("waits for a person, who sees the answer, when the billing webhook names an invalid or too large amount", async () => {
    const secret = `whsec_${Buffer.from("the billing and the relay know this").toString("base64")}`;
    const receiver = await startReceiver(secret);
    receiver.answerBodies({ approve: true, amount: "50" }, { approve: true, amount: 1_000 });
    const billing = { url: receiver.url, secret: "env:BILLING_SECRET" };
    harness = await startHarness({
      account: { credits: { mode: "webhook", perGrant: 100, billing } },
      sandbox: NO_UNKNOWN_OUTCOMES,
      env: { BILLING_SECRET: secret },
    });
    const url = harness.callbackUrl.replace("/reply/", "/recharge/");
    for (const key of ["k-1", "k-2"]) await post(url, { idempotency_key: key, email: EMAIL, amount: 10 });
    const call = caller(harness, await tokenFor(harness));
    const entry = async (key: string) => (await call("GET", `/credits/grants/${key}`)).body;
    const reason = 'the billing webhook approved an invalid amount: "50"';
    await expect.poll(() => entry("k-1")).toMatchObject({ state: "waiting", amount: 10, reason });
    const more = { state: "waiting", amount: 1_000, reason: "exceeds the limit of one grant: billing says 1000" };
    await expect.poll(() => entry("k-2")).toMatchObject(more);
    expect(grants()).toEqual([]);
    await receiver.stop();
  });

  it("answers 404 to a wrong secret and 422 to a key with another amount, and grants for neither (4.13-24)", async () => {
    const url = await open();
    const forged = url.replace(/[^/]+$/, "not-the-secret-of-the-tests");
    expect((await post(forged, { idempotency_key: "k-0", email: EMAIL, amount: 5 })).status).toBe(404);
    expect((await post(url, { idempotency_key: "k-1", email: EMAIL, amount: 5 })).status).toBe(200);
    expect((await post(url, { idempotency_key: "k-1", email: EMAIL, amount: 50 })).status).toBe(422);
    expect((await post(url, { email: EMAIL, amount: 50 })).status).toBe(400);
    await harness.sandbox.until(() => grants().length > 0);
    expect(grants()).toMatchObject([{ amount: 5 }]);
    expect(harness.lines().some((line) => line.includes("credits.conflict"))).toBe(true);
  });

  it("grants each of 100 keys at most once, each sent 8 times at once, despite every kind of failure, and loses none (F24, F25)", {
    timeout: 600_000,
  }, async () => {
    const rules = { ...auto.credits, perDay: 1_000_000 };
    const url = await open({ credits: rules, rate: 100_000 });
    const kinds = ["resetConnection", "htmlError", "truncateJson", "status"] as const;
    harness.sandbox.configure({
      errorRate: kinds.flatMap((kind) =>
        (["before", "after"] as const).map((when) => ({ route: "credits" as const, rate: 0.05, kind, when })),
      ),
    });
    const keys = Array.from({ length: 100 }, (_, i) => `k-${i}`);
    const submit = (key: string) => post(url, { idempotency_key: key, email: EMAIL, amount: 1 });
    const answers = await Promise.all(keys.flatMap((key) => Array.from({ length: 8 }, () => submit(key))));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    const call = caller(harness, await tokenFor(harness));
    const ledger = async () =>
      (await call("GET", "/credits/grants?limit=200")).body.items as { key: string; state: string }[];
    const settled = ["granted", "unknown"];
    await expect.poll(async () => (await ledger()).every(({ state }) => settled.includes(state))).toBe(true);
    const times = Map.groupBy(grants(), ({ description }) => /\[(.+)\]/.exec(description ?? "")?.[1]);
    const entries = await ledger();
    expect(entries).toHaveLength(100);
    expect([...times.values()].filter((all) => all.length > 1)).toEqual([]);
    expect(entries.filter(({ key, state }) => state === "granted" && !times.has(key))).toEqual([]);
    expect(entries.filter(({ state }) => state === "unknown").length).toBeGreaterThan(0);
  });

  it("answers 200 while the ledger cannot be written, and grants once when it can, even after a restart (R-625, F18)", async () => {
    const url = await open();
    const file = join(harness.dataDir, "porchlight.db");
    const rename = async (from: string, to: string): Promise<void> => {
      const db = openSqlite(file);
      await db.run(`ALTER TABLE ${from} RENAME TO ${to}`);
      await db.close();
    };
    await rename("ledger", "ledger_away");
    const event = { idempotency_key: "k-1", email: EMAIL, amount: 5 };
    const answers = await Promise.all([1, 2].map(() => post(url, event)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(harness.lines().some((line) => line.includes("credits.spooled"))).toBe(true);
    await harness.halt();
    await rename("ledger_away", "ledger");
    await harness.start();
    await harness.sandbox.until(() => grants().length > 0);
    expect((await (await post(url, event)).json()).duplicate).toBe(true);
    expect(grants()).toMatchObject([{ email: EMAIL, amount: 5 }]);
  });

  it("never repeats a grant whose answer was lost (4.13-7; R-482)", async () => {
    const url = await open();
    harness.sandbox.failNext("credits", 1, { kind: "resetConnection", when: "after" });
    await post(url, { idempotency_key: "k-1", email: EMAIL, amount: 5 });
    await expect.poll(() => harness.lines().some((line) => line.includes("ledger.unknown"))).toBe(true);
    await post(url, { idempotency_key: "k-1", email: EMAIL, amount: 5 });
    await post(url, { idempotency_key: "k-2", email: EMAIL, amount: 6 });
    await harness.sandbox.until(() => grants().length === 2);
    expect(grants().map(({ amount }) => amount)).toEqual([5, 6]);
  });
});
