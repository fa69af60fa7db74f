import { expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { silentLog } from "../base/log.ts";
import { bytesInUse } from "../base/memory.fixture.ts";
import type { Database, Transaction } from "../db/database.ts";
import { createCallbackFields } from "./callback-fields.ts";

const MB = 1024 * 1024;

/** Remembers fields in a database that stores nothing. `written`: the paths that it got. `held`: memory in use at that moment. */
function setup() {
  const clock = manualClock();
  const written: string[] = [];
  let held = 0;
  const tx = {
    runEach: async (_: string, rows: string[][]) => {
      held = bytesInUse();
      written.push(...rows.map(([, field = ""]) => field));
    },
  };
  const db = { all: async () => [], transaction: (work: (tx: Transaction) => unknown) => work(tx as never) };
  const inspect = createCallbackFields({ db: db as unknown as Database, clock, log: silentLog });
  return { clock, written, held: () => held, inspect: (body: object) => inspect("reply", JSON.stringify(body)) };
}

it("remembers the path and the type of each field, and lists an object only by its fields", async () => {
  const { inspect, written } = setup();
  inspect({ toId: "v", data: { "a b": 1, list: [{}] }, a: { b: { c: { d: { e: 1 } } } } });
  await expect.poll(() => written).toEqual(["toId", "data.a b", "data.list", "a.b.c.d"]);
});

it("takes little memory for 200 fields of an object whose name has 400 KB (A24)", async () => {
  const { inspect, written, held } = setup();
  const before = bytesInUse();
  inspect({ ["x".repeat(400_000)]: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`field-${n}`, n])) });
  await expect.poll(() => written.length).toBe(200);
  expect(held() - before).toBeLessThan(20 * MB);
});

it("keeps no long names in memory (A24)", async () => {
  const { clock, inspect, written } = setup();
  const before = bytesInUse();
  for (let n = 1; n <= 40; n++) {
    inspect({ [`${n} ${"x".repeat(500_000)}`]: 1 });
    await expect.poll(() => written.length).toBe(n);
    clock.pass(1_000);
  }
  expect(written.at(-1)).toBe(`40 ${"x".repeat(97)}`);
  expect(bytesInUse() - before).toBeLessThan(5 * MB);
});
