import { expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import { migrate } from "../db/migrate.ts";
import type { Files } from "../files/store.ts";
import { createUploads } from "./uploads.ts";

it("logs once per outage that files without an owner could not be removed", async () => {
  const disk = await openTestDatabase();
  await migrate(disk);
  const clock = manualClock(1_000_000_000);
  const logged: string[] = [];
  let away = true;
  let sweeps = 0;
  const all: typeof disk.all = (sql, ...values) => {
    sweeps++;
    return away ? Promise.reject(new Error("the database is away")) : disk.all(sql, ...values);
  };
  const uploads = createUploads({
    db: { ...disk, all },
    clock,
    log: (event) => void logged.push(event),
    files: {} as Files,
    stage: { start: async () => {}, take: () => Promise.reject(new Error("no upload is expected")) },
    quota: { visitor: 0, site: 0 },
  });
  /** Lets the next sweep run to its end. */
  const sweep = async (): Promise<void> => {
    const before = sweeps;
    clock.pass(10_000);
    await expect.poll(() => sweeps > before && clock.waiting() > 0).toBe(true);
  };
  await uploads.start();
  for (const outage of [1, 2]) {
    away = true;
    await sweep();
    await sweep();
    expect(logged).toEqual(Array(outage).fill("upload.sweep_failed"));
    away = false;
    await sweep();
  }
  await uploads.stop();
  await disk.close();
});
