import { describe, expect, it } from "vitest";
import type { Clock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { createMetrics, type Gauges } from "../base/metrics.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { openSqlite } from "../db/sqlite.ts";
import { addSamples, STEPS, samplesBetween } from "../records/series.ts";
import { createSampler, mergeSamples, type Sample } from "./sampler.ts";

const HOUR = 3_600_000;
const GAUGES: Gauges = {
  connections: () => 3,
  waiting: async () => ({ messages: 2, oldest: 9 }),
  pace: () => ({ main: 60 }),
  diskFree: async () => 1,
  paused: () => ({ main: undefined }),
};

/** A clock that runs due timers, each after the one before has finished. */
function setUp(db: Database, begin: number, storeMs?: number) {
  let time = begin;
  let due: { at: number; fn: () => void } | undefined;
  const clock: Clock = {
    now: () => time,
    uptime: () => time,
    after(ms, fn) {
      due = { at: time + ms, fn };
      return () => {
        due = undefined;
      };
    },
  };
  const metrics = createMetrics();
  const sampler = createSampler({ db, clock, log: silentLog, metrics, gauges: GAUGES, ...(storeMs && { storeMs }) });
  sampler.start();
  async function pass(stores: number): Promise<void> {
    for (let n = 0; n < stores; n++) {
      const { at, fn } = due ?? { at: time, fn: () => {} };
      due = undefined;
      time = at;
      fn();
      while (due === undefined) await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { metrics, sampler, pass, now: () => time };
}
async function rows(db: Database, step: keyof typeof STEPS): Promise<(Sample & { at: number })[]> {
  const found = await samplesBetween(db, STEPS[step], 0, Number.MAX_SAFE_INTEGER);
  return found.map(({ at, body }) => ({ at, ...(JSON.parse(body) as Sample) }));
}
async function database(): Promise<Database> {
  const db = openSqlite(":memory:");
  await migrate(db);
  return db;
}

describe("the stored series", () => {
  it("contains a row of counts for each minute", async () => {
    const db = await database();
    const { metrics, pass } = setUp(db, 10 * HOUR + 30_000);
    metrics.message("delivered");
    metrics.delivered(0.2);
    await pass(1);
    metrics.message("delivered");
    metrics.message("reply");
    await pass(1);
    const [first, second] = await rows(db, "minute");
    expect(first).toMatchObject({
      at: 10 * HOUR,
      messages: { delivered: 1, reply: 0 },
      connections: 3,
      waiting: 2,
      pace: 60,
    });
    expect(first?.delivery[2]).toBe(1);
    expect(second).toMatchObject({ at: 10 * HOUR + 60_000, messages: { delivered: 1, reply: 1 } });
  });

  it("contains the sum of each completed hour, also of one before a restart", async () => {
    const db = await database();
    const before = setUp(db, 10 * HOUR);
    before.metrics.message("delivered");
    await before.pass(5);
    await before.sampler.stop();
    const after = setUp(db, 12 * HOUR);
    after.metrics.message("delivered");
    await after.pass(61);
    const hours = await rows(db, "hour");
    expect(hours.map(({ at, messages }) => [at, messages.delivered])).toEqual([
      [10 * HOUR, 1],
      [12 * HOUR, 1],
    ]);
  });

  it("contains the sums of each completed quarter of an hour, hour and quarter of a day", async () => {
    const db = await database();
    const { metrics, pass } = setUp(db, 5 * HOUR + 1_000);
    for (let minute = 0; minute < 62; minute++) {
      metrics.message("delivered");
      await pass(1);
    }
    const sums = async (step: keyof typeof STEPS) =>
      (await rows(db, step)).map(({ at, messages }) => [at / HOUR, messages.delivered]);
    expect(await sums("quarterHour")).toEqual([
      [5, 15],
      [5.25, 15],
      [5.5, 15],
      [5.75, 15],
    ]);
    expect(await sums("hour")).toEqual([[5, 60]]);
    expect(await sums("quarterDay")).toEqual([[0, 60]]);
  });

  it("sums the hours that an older version has stored by quarter of a day", async () => {
    const db = await database();
    const body = JSON.stringify({ ...mergeSamples([], "sum"), connections: 4 });
    await addSamples(
      db,
      STEPS.hour,
      [1, 2, 7, 13].map((hour) => ({ at: hour * HOUR, node: "", body })),
    );
    const { pass } = setUp(db, 14 * HOUR);
    await pass(16);
    expect((await rows(db, "quarterDay")).map(({ at, connections }) => [at / HOUR, connections])).toEqual([
      [0, 4],
      [6, 4],
    ]);
  });

  it("contains what was counted in the minute of a stop, and what a failing database did not store", async () => {
    const db = await database();
    let failing = true;
    const broken = {
      ...db,
      transaction: ((...given) =>
        failing ? Promise.reject(new Error("full")) : db.transaction(...given)) as Database["transaction"],
    };
    const { metrics, sampler, pass } = setUp(broken, 10 * HOUR + 30_000);
    metrics.message("stored");
    await pass(1);
    failing = false;
    metrics.message("stored");
    metrics.message("delivered");
    await sampler.stop();
    expect(await rows(db, "minute")).toMatchObject([{ at: 10 * HOUR + 60_000, messages: { stored: 2, delivered: 1 } }]);
  });

  it("adds to a minute that the clock repeats", async () => {
    const db = await database();
    const { metrics, sampler } = setUp(db, 10 * HOUR + 30_000);
    metrics.message("stored");
    await sampler.stop();
    metrics.message("stored");
    await sampler.stop();
    expect(await rows(db, "minute")).toMatchObject([{ at: 10 * HOUR, messages: { stored: 2 } }]);
  });

  it("gets the running minute every 10 seconds where other nodes show it", async () => {
    const db = await database();
    const { metrics, sampler, pass } = setUp(db, 10 * HOUR, 10_000);
    metrics.message("stored");
    await pass(1);
    expect(await rows(db, "minute")).toMatchObject([{ at: 10 * HOUR, messages: { stored: 1 } }]);
    metrics.message("stored");
    expect(JSON.parse((await sampler.currentMinute()).body)).toMatchObject({ messages: { stored: 2 }, connections: 3 });
    await pass(6);
    expect(await rows(db, "minute")).toMatchObject([
      { at: 10 * HOUR, messages: { stored: 2 } },
      { at: 10 * HOUR + 60_000, messages: { stored: 0 } },
    ]);
  });

  it("counts nothing twice in the running minute while it is being stored", async () => {
    const db = await database();
    const committed = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const slow = {
      ...db,
      transaction: (async (...given) => {
        const result = await db.transaction(...given);
        committed.resolve();
        await answered.promise;
        return result;
      }) as Database["transaction"],
    };
    const { metrics, sampler } = setUp(slow, 10 * HOUR + 30_000);
    metrics.message("stored");
    const stored = sampler.stop();
    await committed.promise;
    const row = sampler.currentMinute();
    answered.resolve();
    expect(JSON.parse((await row).body)).toMatchObject({ messages: { stored: 1 } });
    await stored;
  });

  it("keeps the rows of minutes and of quarters of an hour for two days", async () => {
    const db = await database();
    const early = setUp(db, 10 * HOUR);
    await early.pass(17);
    await early.sampler.stop();
    expect(await rows(db, "quarterHour")).toHaveLength(1);
    const late = setUp(db, 80 * HOUR);
    await late.pass(61);
    for (const step of ["minute", "quarterHour"] as const)
      expect((await rows(db, step)).every(({ at }) => at >= 80 * HOUR)).toBe(true);
  });

  it("adds the connections of all nodes, and keeps the maximum of an hour", () => {
    const sample = { ...mergeSamples([], "sum"), connections: 4, waiting: 7, pace: 50 };
    expect(mergeSamples([sample, sample], "sum")).toMatchObject({ connections: 8, waiting: 7, pace: 50 });
    expect(mergeSamples([sample, sample], "highest")).toMatchObject({ connections: 4, waiting: 7, pace: 50 });
  });
});
