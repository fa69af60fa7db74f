import { afterEach, describe, expect, it } from "vitest";
import { type House, startHouse } from "../harness.ts";
import { runProcess } from "../relays.ts";
import { caller, tokenFor } from "../tokens.ts";
import { everyAwait } from "./awaits.ts";
import { countCredits, type Plan } from "./credits.ts";
import { credits } from "./suites/credits.ts";

const PLANS: [name: string, plan: Plan][] = [
  ["two nodes on one database", { keys: 1_000, copies: 8, nodes: 2, kills: 150, dialect: "postgres" }],
  ["one node with a database of its own", { keys: 300, copies: 8, nodes: 1, kills: 100, dialect: "sqlite" }],
];

describe.each(PLANS)("credits under kills and every ambiguous failure, %s", (_name, plan) => {
  it("are granted at most once per key, with every key accounted for, and a person ends what nobody knows", async () => {
    const { grants, entries, answered, calls, killed, resolve } = await countCredits(11, plan);
    expect(answered).toBe(plan.keys * plan.copies);
    expect(entries).toHaveLength(plan.keys);
    expect([...grants].filter(([, times]) => times > 1)).toEqual([]);
    expect(entries.filter(({ key, state }) => state === "done" && !grants.has(key))).toEqual([]);
    const parked = entries.filter(({ state }) => state === "unknown");
    expect(parked.length).toBeGreaterThan(0);
    expect(killed).toBeGreaterThan(plan.kills / 2);

    const ended = await resolve();
    expect(ended.filter(({ state }) => state !== "done")).toEqual([]);
    expect(grants.size).toBe(plan.keys);
    expect([...grants].filter(([, times]) => times !== 1)).toEqual([]);
    console.log(`${answered} submissions, ${calls} calls, ${killed} kills: 0 double grants, ${parked.length} parked`);
  });
});

describe.each(["sqlite", "postgres"] as const)("credits when a process dies at any of its awaits, %s", (dialect) => {
  it("are granted at most once, and the key is never forgotten, whatever the service failed with", async () => {
    const { lives, awaits, wrong } = await everyAwait(dialect, false);
    expect(wrong).toEqual([]);
    expect(awaits).toBeGreaterThan(40);
    expect(lives).toBe(awaits);
  });
});

it("S11 credits of keys that come eight times each, to a relay that is killed again and again, are granted once at most, within the day's cap", async () => {
  const { violations, figures } = await credits({ keys: 60, kills: 4 });
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ keys: 60, submissions: 480, kills: 4, "granted twice": 0, lost: 0 });
  expect(figures.unknown).toBeGreaterThan(0);
});

describe("credits when the relay's process is killed", () => {
  const EMAIL = "client@agency.example";
  let house: House;
  afterEach(() => house.stop());

  it("in the middle of a grant are unknown after the restart, and never granted twice (F25)", async () => {
    house = await startHouse({
      run: runProcess,
      env: { LOG_LEVEL: "info" },
      account: { credits: { mode: "auto", allow: [EMAIL] } },
    });
    house.sandbox.seed({ subAccounts: [{ email: EMAIL }] });
    const url = () => house.callbackUrl.replace("/reply/", "/recharge/");
    const post = (key: string) =>
      fetch(url(), { method: "POST", body: JSON.stringify({ idempotency_key: key, email: EMAIL, amount: 5 }) });
    house.sandbox.failNext("credits", 1, { kind: "hangRequest", when: "after" });
    await post("k-1");
    await house.sandbox.until(() => house.sandbox.state().grants.length === 1);
    await house.kill();
    await house.start();
    await Promise.all(Array.from({ length: 8 }, () => post("k-1")));
    await post("k-2");
    await house.sandbox.until(() => house.sandbox.state().grants.length === 2);
    const call = caller(house, await tokenFor(house));
    expect((await call("GET", "/credits/grants/k-1")).body).toMatchObject({ state: "unknown" });
    expect(house.sandbox.state().grants.map(({ description }) => description)).toEqual([
      "Auto-recharge [k-1]",
      "Auto-recharge [k-2]",
    ]);
  });
});
