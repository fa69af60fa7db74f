import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { addSamples, type SeriesStep, STEPS, samplesInSteps } from "./series.ts";

const HOUR = 3_600_000;
let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

/** Stores rows of a step. @param hours when each began */
const store = (step: SeriesStep, hours: readonly number[], node = ""): Promise<void> =>
  db.transaction((tx) =>
    addSamples(
      tx,
      step,
      hours.map((hour) => ({ at: hour * HOUR, node, body: `${step} of ${node || "all"}` })),
    ),
  );

/** The rows of a time from 6 to 24 o'clock, as the hour when each began and its body. */
const read = async (...steps: SeriesStep[]): Promise<[number, string][]> =>
  (await samplesInSteps(db, steps, 6 * HOUR, 24 * HOUR)).map(({ at, body }) => [at / HOUR, body]);

it("reads each time in the coarsest step that has a row for it", async () => {
  await store(STEPS.quarterDay, [0, 6, 12]);
  await store(STEPS.hour, [11, 12, 17, 18]);
  await store(STEPS.quarterHour, [18, 18.75, 19]);
  for (const node of ["a", "b"]) await store(STEPS.minute, [18.75, 19, 19.25, 24], node);
  const { quarterDay, hour, quarterHour, minute } = STEPS;
  expect(await read(quarterDay, hour, quarterHour, minute)).toEqual([
    [6, "21600 of all"],
    [12, "21600 of all"],
    [18, "3600 of all"],
    [19, "900 of all"],
    [19.25, "60 of a"],
    [19.25, "60 of b"],
  ]);
  expect(await read(minute)).toHaveLength(6);
});

it("reads finer rows where there are no coarser ones", async () => {
  await store(STEPS.minute, [7, 8], "a");
  expect(await read(STEPS.quarterDay, STEPS.hour, STEPS.quarterHour, STEPS.minute)).toEqual([
    [7, "60 of a"],
    [8, "60 of a"],
  ]);
  expect(await read(STEPS.hour)).toEqual([]);
});

it("reads no time twice where an older version stored hours but not their quarters", async () => {
  await store(STEPS.quarterHour, [8.75]);
  await store(STEPS.hour, [8, 9]);
  await store(STEPS.minute, [9, 9.5, 10], "a");
  expect(await read(STEPS.hour, STEPS.quarterHour, STEPS.minute)).toEqual([
    [8, "3600 of all"],
    [9, "3600 of all"],
    [10, "60 of a"],
  ]);
});
