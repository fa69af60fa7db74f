import { afterEach, describe, expect, it } from "vitest";
import { type Harness, startHarness } from "../harness.ts";
import { runProcess } from "../relays.ts";
import { caller, tokenFor } from "../tokens.ts";
import { creditsUnderKills } from "./credits-kills.ts";
import { killAtEachAwait } from "./kill-at-each-await.ts";
import { credits } from "./suites/credits.ts";

creditsUnderKills([
  ["two nodes on one database", { keys: 150, copies: 8, nodes: 2, kills: 25, dialect: "postgres" }],
  ["one node with a database of its own", { keys: 60, copies: 8, nodes: 1, kills: 20, dialect: "sqlite" }],
]);

describe.each(["sqlite", "postgres"] as const)("credits when a process dies at any of its awaits, %s", (dialect) => {
  it("are granted at most once, and the key is never lost, whatever the failure of the service", async () => {
    const { runs, awaits, wrong } = await killAtEachAwait(dialect, false);
    expect(wrong).toEqual([]);
    expect(awaits).toBeGreaterThan(40);
    expect(runs).toBe(awaits);
  });
});

it("S11 grants each key at most once and within the daily cap, although it arrives eight times and the relay is killed repeatedly", async () => {
  const { violations, figures } = await credits({ keys: 60, kills: 4 });
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ keys: 60, submissions: 480, kills: 4, "granted twice": 0, lost: 0 });
  expect(figures.unknown).toBeGreaterThan(0);
});

describe("credits when the relay's process is killed", () => {
  const EMAIL = "client@agency.example";
  let harness: Harness;
  afterEach(() => harness.stop());

  it("during a grant become unknown after the restart, and are never granted twice (F25)", async () => {
    harness = await startHarness({
      run: runProcess,
      env: { LOG_LEVEL: "info" },
      account: { credits: { mode: "auto", allow: [EMAIL] } },
    });
    harness.sandbox.seed({ subAccounts: [{ email: EMAIL }] });
    const url = () => harness.callbackUrl.replace("/reply/", "/recharge/");
    const post = (key: string) =>
      fetch(url(), { method: "POST", body: JSON.stringify({ idempotency_key: key, email: EMAIL, amount: 5 }) });
    harness.sandbox.failNext("credits", 1, { kind: "hangRequest", when: "after" });
    await post("k-1");
    await harness.sandbox.until(() => harness.sandbox.state().grants.length === 1);
    await harness.kill();
    await harness.start();
    await Promise.all(Array.from({ length: 8 }, () => post("k-1")));
    await post("k-2");
    await harness.sandbox.until(() => harness.sandbox.state().grants.length === 2);
    const call = caller(harness, await tokenFor(harness));
    expect((await call("GET", "/credits/grants/k-1")).body).toMatchObject({ state: "unknown" });
    expect(harness.sandbox.state().grants.map(({ description }) => description)).toEqual([
      "Auto-recharge [k-1]",
      "Auto-recharge [k-2]",
    ]);
  });
});
