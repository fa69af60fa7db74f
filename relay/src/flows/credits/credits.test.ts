import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LogEvent } from "../../base/log.ts";
import { creditRules } from "../../base/rules.ts";
import { openTestDatabase } from "../../db/database.fixture.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import { contentOf } from "../../records/ledger/grants.ts";
import { findEntry, historyOf } from "../../records/ledger/ledger.ts";
import { trustLedger } from "../../records/ledger/restored.ts";
import { createLedgerWorker } from "../ledger-worker.ts";
import type { Billing } from "./billing.ts";
import { createCredits } from "./credits.ts";

let db: Database;
let now = Date.UTC(2026, 10, 21);
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

type Given = Parameters<typeof creditRules.parse>[0];
const EVENT = { key: "k-1", email: "a@b.example", subAccount: undefined, amount: 20 };

function credits(rules: Given, ask: Billing = async () => undefined, logged: LogEvent[] = []) {
  const clock = {
    now: () => now,
    uptime: () => now,
    after,
  };
  const log = (event: LogEvent) => void logged.push(event);
  return createCredits({ db, clock, log, rules: () => creditRules.parse(rules), wake: () => {}, ask });
}
const after = (_ms: number, fn: () => void) => {
  setImmediate(fn);
  return () => {};
};
const stored = (key = "k-1") => findEntry(db, { kind: "grant", account: "agency", key });
const person = { account: "agency", key: "k-1", actor: "ada", reason: "paid by invoice" };

describe("an auto-recharge", () => {
  it("waits by default until a person approves it, once", async () => {
    const flow = credits({});
    expect(await flow.recharge("agency", EVENT)).toBe("stored");
    expect(await stored()).toMatchObject({ state: "received", reason: "waits for a person's approval" });
    await flow.approve(person);
    expect(await stored()).toMatchObject({ state: "intent" });
    expect(await flow.approve(person)).toBe("wrong_state");
    expect((await historyOf(db, { kind: "grant", account: "agency", key: "k-1" })).map((step) => step.actor)).toEqual([
      "service",
      "rules",
      "ada",
    ]);
  });

  it("creates one entry, however often it arrives; the same key with another amount is refused", async () => {
    const logged: LogEvent[] = [];
    const flow = credits({}, undefined, logged);
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => flow.recharge("agency", EVENT)));
    expect(outcomes.sort()).toEqual([...Array(7).fill("duplicate"), "stored"]);
    expect(await flow.recharge("agency", { ...EVENT, amount: 2_000 })).toBe("conflict");
    expect(logged).toContain("credits.conflict");
    expect(await stored().then((entry) => entry && contentOf(entry).amount)).toBe(20);
  });

  it("of one account does not affect the same key of another", async () => {
    const flow = credits({});
    expect(await flow.recharge("agency", EVENT)).toBe("stored");
    expect(await flow.recharge("other", { ...EVENT, amount: 1 })).toBe("stored");
  });

  it("without an amount waits until a person supplies it", async () => {
    const flow = credits({ mode: "auto", allow: ["a@b.example"] });
    await flow.recharge("agency", { ...EVENT, amount: undefined });
    expect((await stored())?.reason).toContain("names no known sub-account, or no amount");
    expect(await flow.approve(person)).toBe("incomplete");
    await flow.approve({ ...person, amount: 7 });
    expect(await stored().then((entry) => entry && contentOf(entry))).toMatchObject({
      email: "a@b.example",
      amount: 7,
    });
  });

  it("gets its sub-account from the id and its amount from the default, if the rules say so", async () => {
    const rules = { mode: "auto", allow: ["a@b.example"], emails: { sub_1: "A@b.example" }, amount: 9 } as const;
    await credits(rules).recharge("agency", { key: "k-1", email: undefined, subAccount: "sub_1", amount: undefined });
    expect(await stored()).toMatchObject({ state: "intent", lane: "a@b.example" });
  });

  it.each([
    ["a sub-account that is not on the list", { allow: ["c@d.example"] }, "list of automatic grants"],
    ["more than the limit of one grant", { perGrant: 19.99 }, "exceeds the limit of one grant"],
    ["more than the rest of the daily cap", { perDay: 19.99 }, "exceeds the daily limit"],
  ])("is not granted automatically for %s", async (_, rules, reason) => {
    await credits({ mode: "auto", allow: ["a@b.example"], ...rules }).recharge("agency", EVENT);
    expect(await stored()).toMatchObject({ state: "received" });
    expect((await stored())?.reason).toContain(reason);
  });

  it("counts exactly against the daily cap of all grants, which starts again the next day", async () => {
    const flow = credits({ mode: "auto", allow: ["a@b.example"], perDay: 60 });
    const keys = ["a", "b", "c", "d"];
    for (const key of keys) await flow.recharge("agency", { ...EVENT, key });
    now += 86_400_000;
    await flow.recharge("agency", { ...EVENT, key: "e" });
    const states = await Promise.all([...keys, "e"].map(async (key) => (await stored(key))?.state));
    expect(states).toEqual(["intent", "intent", "intent", "received", "intent"]);
  });

  it("asks the billing webhook if the rules say so, and follows its answer", async () => {
    const billing = { url: "https://billing.example.com/", secret: "s" };
    const asked: string[] = [];
    const ask: Billing = async (_account, { key }) => {
      asked.push(key);
      return { approve: key === "yes", amount: 3 };
    };
    const flow = credits({ mode: "webhook", billing }, ask);
    await flow.recharge("agency", { ...EVENT, key: "yes" });
    await flow.recharge("agency", { ...EVENT, key: "no" });
    flow.start();
    await expect.poll(async () => (await stored("yes"))?.state).toBe("intent");
    await expect.poll(async () => (await stored("no"))?.reason).toBe("the billing webhook declined it");
    await flow.stop();
    expect(asked.sort()).toEqual(["no", "yes"]);
    expect(await stored("yes").then((entry) => entry && contentOf(entry).amount)).toBe(3);
  });

  it("gets no step in its history while the billing webhook gives no decision, and is asked about once a minute", async () => {
    const billing = { url: "https://billing.example.com/", secret: "s" };
    const asked: number[] = [];
    const ask: Billing = async () => (asked.push(now) <= 3 ? undefined : { approve: true });
    const flow = credits({ mode: "webhook", billing }, ask);
    await flow.recharge("agency", EVENT);
    flow.start();
    const state = async () => {
      now += 10_000;
      return (await stored())?.state;
    };
    await expect.poll(state, { interval: 1 }).toBe("intent");
    await flow.stop();
    const waits = asked.slice(1).map((at, i) => at - (asked[i] ?? 0));
    expect([waits.length, Math.min(...waits) >= 60_000]).toEqual([3, true]);
    const history = await historyOf(db, { kind: "grant", account: "agency", key: "k-1" });
    expect(history.map(({ actor, state }) => [actor, state])).toEqual([
      ["service", "received"],
      ["rules", "received"],
      ["billing", "intent"],
    ]);
  });

  it("does not use the daily cap when a person decides while the billing webhook is asked", async () => {
    const billing = { url: "https://billing.example.com/", secret: "s" };
    const ask: Billing = async (_account, { key }) => {
      if (key === "k-1") await flow.approve(person);
      return { approve: true };
    };
    const flow = credits({ mode: "webhook", perDay: 20, billing }, ask);
    await flow.recharge("agency", EVENT);
    now += 1;
    await flow.recharge("agency", { ...EVENT, key: "k-2" });
    flow.start();
    await expect
      .poll(async () => (await stored("k-2"))?.reason === "waits for the answer of the billing webhook")
      .toBe(false);
    await flow.stop();
    expect(await stored("k-2")).toMatchObject({ state: "intent" });
  });
});

describe("an invalid amount", () => {
  const billing = { url: "https://billing.example.com/", secret: "s" };

  it("in the event is not replaced by the default, and is shown to the person who decides (R-621)", async () => {
    const flow = credits({ mode: "auto", allow: ["a@b.example"], amount: 9 });
    expect(await flow.recharge("agency", { ...EVENT, amount: undefined, unreadable: "-50" })).toBe("stored");
    expect(await stored()).toMatchObject({ state: "received", reason: "names an invalid amount: -50" });
    expect(await flow.recharge("agency", { ...EVENT, amount: undefined, unreadable: "-50" })).toBe("duplicate");
    expect(await flow.recharge("agency", { ...EVENT, amount: undefined, unreadable: "-60" })).toBe("conflict");
    expect(await flow.approve(person)).toBe("incomplete");
  });

  it.each([
    ["50", 'approved an invalid amount: "50"', 20],
    [-5, "approved an invalid amount: -5", 20],
    [1e-9, "approved an invalid amount: 1e-9", 20],
    [1_000, "exceeds the limit of one grant: billing says 1000", 1_000],
  ])("%j from the billing webhook waits for a person and stays visible", async (said, reason, amount) => {
    const flow = credits({ mode: "webhook", perGrant: 100, billing }, async () => ({ approve: true, amount: said }));
    await flow.recharge("agency", EVENT);
    flow.start();
    await expect.poll(async () => (await stored())?.reason).toContain(reason);
    await flow.stop();
    expect(await stored().then((entry) => entry && [entry.state, contentOf(entry).amount])).toEqual([
      "received",
      amount,
    ]);
  });
});

describe("a ledger restored from a backup", () => {
  const order = { account: "agency", email: "a@b.example", amount: 5, note: "", actor: "api" };
  const openWorker = (called: string[]) =>
    createLedgerWorker({
      db,
      clock: { now: () => now, uptime: () => now, after: () => () => {} },
      log: () => {},
      kind: "grant",
      node: "node",
      ordered: false,
      accounts: [order.account],
      gates: {
        enter(_account, _rank, go) {
          go({ settle: () => {} });
          return () => {};
        },
      },
      call: async ({ key }) => {
        called.push(key);
        return { kind: "done", result: {} };
      },
      settled: async () => undefined,
    });

  it("makes none of its pending calls; a person has to decide", async () => {
    const called: string[] = [];
    const before = openWorker(called);
    await before.start();
    await before.stop();
    await credits({}).grant({ ...order, key: "k-old" });
    await db.run("UPDATE meta SET value = 'another' WHERE name = 'epoch'");
    const after = openWorker(called);
    await after.start();
    expect(await stored("k-old")).toMatchObject({ state: "unknown" });
    expect((await stored("k-old"))?.reason).toContain("restored from a backup");
    await after.stop();
    expect(called).toEqual([]);
    const steps = await historyOf(db, { kind: "grant", account: "agency", key: "k-old" });
    expect(steps.map(({ state }) => state)).toEqual(["intent", "unknown"]);
  });

  it("may lack keys, so nothing is granted automatically until a person has checked it", async () => {
    const called: string[] = [];
    const run = async () => {
      const worker = openWorker(called);
      await worker.start();
      await worker.stop();
    };
    await run();
    await db.run("UPDATE meta SET value = 'another' WHERE name = 'epoch'");
    await run();
    const flow = credits({ mode: "auto", allow: ["a@b.example"] });
    await flow.recharge("agency", EVENT);
    expect(await stored()).toMatchObject({
      state: "received",
      reason: expect.stringContaining("restored from a backup"),
    });
    await flow.grant({ ...order, key: "k-api" });
    expect(await stored("k-api")).toMatchObject({ state: "received", due: Number.MAX_SAFE_INTEGER });
    expect(await flow.approve({ ...person, key: "k-api" })).toMatchObject({ state: "intent" });

    const trust = { actor: "ada", reason: "compared", now };
    expect(await db.transaction((tx) => trustLedger(tx, trust))).toBe(true);
    expect(await db.transaction((tx) => trustLedger(tx, trust))).toBe(false);
    await flow.recharge("agency", { ...EVENT, key: "k-2" });
    expect(await stored("k-2")).toMatchObject({ state: "intent" });
    expect(await stored()).toMatchObject({ state: "received" });
  });
});

describe("a person", () => {
  const order = { account: "agency", key: "k-2", email: "A@B.example", amount: 5, note: "Gift", actor: "api" };

  it("grants once per key; the same key with another amount is refused", async () => {
    const flow = credits({});
    expect(await flow.grant(order)).toMatchObject({ fresh: true, entry: { state: "intent", lane: "a@b.example" } });
    expect(await flow.grant(order)).toMatchObject({ fresh: false });
    expect(await flow.grant({ ...order, amount: 6 })).toBe("conflict");
    expect(await flow.grant({ ...order, key: "k-3", amount: 5.001 })).toBe("amount");
  });

  it("resolves an unknown grant, and needs a second decision to grant again", async () => {
    const flow = credits({});
    await flow.grant(order);
    const known = { ...person, key: "k-2" };
    expect(await flow.resolve({ ...known, granted: true })).toBe("wrong_state");
    await db.run("UPDATE ledger SET state = 'unknown'");
    await flow.resolve({ ...known, granted: false });
    expect(await stored("k-2")).toMatchObject({ state: "received" });
    await flow.approve(known);
    await db.run("UPDATE ledger SET state = 'unknown'");
    await flow.resolve({ ...known, granted: true });
    expect(await stored("k-2")).toMatchObject({ state: "done", reason: "paid by invoice" });
    expect(await flow.dismiss(known)).toBe("wrong_state");
    expect(await flow.dismiss({ ...known, key: "k-none" })).toBe("missing");
  });

  it("dismisses a grant, and may approve it later", async () => {
    const flow = credits({});
    await flow.recharge("agency", EVENT);
    await flow.dismiss(person);
    expect(await stored()).toMatchObject({ state: "dismissed" });
    expect(await flow.recharge("agency", EVENT)).toBe("duplicate");
    await flow.approve(person);
    expect(await stored()).toMatchObject({ state: "intent" });
  });
});
