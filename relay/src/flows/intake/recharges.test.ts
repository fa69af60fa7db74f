import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Clock } from "../../base/clock.ts";
import { silentLog } from "../../base/log.ts";
import { openSpool } from "../../db/spool.ts";
import type { Recharge } from "../../service/recharge.ts";
import { createRecharges, type SpooledRecharge } from "./recharges.ts";

const EVENT = { key: "re_1" } as Recharge;
const clock: Clock = { now: () => 0, uptime: () => 0, after: () => () => {} };

it("keeps an event in the spool while the ledger fails, and stores it after a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
  const spool = () => openSpool<SpooledRecharge>(folder, "recharges");
  const failing = createRecharges({
    clock,
    log: silentLog,
    spool: spool(),
    take: () => Promise.reject(new Error("the database is unreachable")),
  });
  expect(await failing.receive("main", EVENT)).toBe("spooled");
  await failing.stop();

  const taken: string[] = [];
  const next = createRecharges({
    clock,
    log: silentLog,
    spool: spool(),
    async take(account, { key }) {
      taken.push(`${account} ${key}`);
      return "stored";
    },
  });
  await next.start();
  expect(taken).toEqual(["main re_1"]);
  expect(await next.receive("main", { ...EVENT, key: "re_2" })).toBe("stored");
});

it("gives repeated and conflicting events the ledger's answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
  const answers = ["duplicate", "conflict"] as const;
  let next = 0;
  const recharges = createRecharges({
    clock,
    log: silentLog,
    spool: openSpool<SpooledRecharge>(folder, "recharges"),
    take: async () => answers[next++] ?? "stored",
  });
  expect(await recharges.receive("main", EVENT)).toBe("duplicate");
  expect(await recharges.receive("main", EVENT)).toBe("conflict");
});

it("stops trying after a stop, even if the ledger fails during the stop", async () => {
  const timers = new Set<() => void>();
  const counting: Clock = {
    ...clock,
    after(ms, fn) {
      // The other timer is the deadline of 1 s for the ledger.
      if (ms < 1_000) timers.add(fn);
      return () => void timers.delete(fn);
    },
  };
  const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
  const recharges = createRecharges({
    clock: counting,
    log: silentLog,
    spool: openSpool<SpooledRecharge>(folder, "recharges"),
    take: () => Promise.reject(new Error("the database is unreachable")),
  });
  expect(await recharges.receive("main", EVENT)).toBe("spooled");
  const replay = [...timers][0];
  timers.clear();
  replay?.();
  await recharges.stop();
  expect([replay === undefined, timers.size]).toEqual([false, 0]);
});
