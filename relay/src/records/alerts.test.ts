import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { alertsPage, endAlert, openAlerts, raiseAlert } from "./alerts.ts";

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

const NAME = { kind: "disk", subject: "" };
const raise = (since: number): Promise<void> =>
  db.transaction((tx) => raiseAlert(tx, { ...NAME, since, problem: `full at ${since}`, cure: "", unsentTo: "" }));
const end = (at: number): Promise<void> => db.transaction((tx) => endAlert(tx, NAME, at, ""));
const DAY = 24 * 3_600_000;

it("keeps each time that a problem existed, for a year", async () => {
  const history = async () =>
    (await alertsPage(db, { limit: 9, skip: 0 })).map(({ since, ended }) => [since / DAY, ended && ended / DAY]);
  await raise(10 * DAY);
  await end(11 * DAY);
  await raise(20 * DAY);
  await end(21 * DAY);
  await raise(30 * DAY);
  expect(await history()).toEqual([
    [30, null],
    [20, 21],
    [10, 11],
  ]);
  expect(await alertsPage(db, { limit: 1, skip: 2 })).toEqual([
    { ...NAME, since: 10 * DAY, ended: 11 * DAY, problem: `full at ${10 * DAY}` },
  ]);
  expect(await openAlerts(db)).toHaveLength(1);
  await end(31 * DAY);
  await raise(377 * DAY);
  expect(await history()).toEqual([
    [377, null],
    [30, 31],
    [20, 21],
  ]);
});
