import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import type { Site } from "../base/config.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { eventsPage, eventTries } from "../records/events.ts";
import { createWebhooks } from "./webhooks.ts";

const SITE = {
  public: DEFAULT_SITE,
  account: "one",
  webhook: { url: "https://backend.example/hook", secret: "whsec_none" },
} as unknown as Site;
const START = 1_000_000;

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

/** Stores an event for a site whose backend answers with this status. `problems`: lines of the log. */
async function setUp(status: number) {
  const clock = manualClock(START);
  const problems: unknown[] = [];
  const webhooks = createWebhooks({
    db,
    clock,
    log: (event, details) => problems.push([event, details]),
    sites: [SITE],
    hooks: { post: async () => ({ status, text: "no" }), close: async () => {} },
    // Makes the wait no whole number of milliseconds.
    random: () => 0.123_456,
  });
  await db.transaction((tx) => webhooks.storeEvent(tx, "default", "budget.reached", { messagesPerDay: 1 }));
  const stored = async () => (await eventsPage(db, { site: "default", limit: 1 }))[0];
  /** Lets time pass until so many tries are stored. */
  async function afterTry(attempts: number) {
    const tried = async () => {
      clock.pass(1_000);
      return (await stored())?.attempts;
    };
    await expect.poll(tried).toBe(attempts);
    return stored();
  }
  return { webhooks, problems, afterTry };
}

it("stores each failed try of an event, and tries again after a longer wait", async () => {
  const { webhooks, problems, afterTry } = await setUp(500);
  const first = await afterTry(1);
  expect(first).toMatchObject({ state: "waiting", status: 500, problem: "no" });
  expect(Number.isInteger(first?.due)).toBe(true);
  const second = await afterTry(2);
  const [one, two, ...others] = second === undefined ? [] : eventTries(second);
  expect((two?.at ?? 0) - (one?.at ?? 0)).toBeGreaterThanOrEqual(5_062);
  expect(others).toEqual([]);
  await webhooks.stop();
  expect(problems).toEqual([]);
});

it("makes no further try when the backend answers 410", async () => {
  const { webhooks, afterTry } = await setUp(410);
  expect(await afterTry(1)).toMatchObject({ state: "failed", attempts: 1, status: 410 });
  await webhooks.stop();
});
