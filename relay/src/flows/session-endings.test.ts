import { expect, it } from "vitest";
import { realClock } from "../base/clock.ts";
import { createBus } from "../bus/bus.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import { migrate } from "../db/migrate.ts";
import { addVisitor } from "../records/visitors.ts";
import { createSessionEndings } from "./session-endings.ts";

it("runs once for all requests that wait to end the sessions of a site, after the run under way (A24)", async () => {
  const db = await openTestDatabase();
  await migrate(db);
  await db.transaction(async (tx) => {
    for (const site of ["shop", "other"]) for (let n = 0; n < 3; n++) await addVisitor(tx, `v_${site}${n}`, site, 1);
  });
  const runs: string[] = [];
  const during: Promise<number>[] = [];
  const all: typeof db.all = (sql, ...values) => {
    if (sql.includes("FROM visitors WHERE site")) runs.push(String(values[0]));
    // The first run may have passed a visitor already, so these requests need another one.
    if (runs.length === 1 && during.length === 0)
      for (let n = 0; n < 90; n++) during.push(endings.site("shop"), endings.site("other"));
    return db.all(sql, ...values);
  };
  const endings = createSessionEndings({ db: { ...db, all }, bus: createBus(), clock: realClock });
  expect(await endings.site("shop")).toBe(3);
  expect(await Promise.all(during)).toEqual(Array.from({ length: 180 }, () => 3));
  expect(runs).toEqual(["shop", "shop", "other"]);
  expect(await endings.site("shop")).toBe(3);
  expect(runs).toHaveLength(4);
  await db.close();
});

it("ends no session of another site's visitor", async () => {
  const db = await openTestDatabase();
  await migrate(db);
  await db.transaction((tx) => addVisitor(tx, "v_shop", "shop", 1));
  const endings = createSessionEndings({ db, bus: createBus(), clock: realClock });
  expect([await endings.visitor("other", "v_shop"), await endings.visitor("shop", "v_shop")]).toEqual([false, true]);
  await db.close();
});
