import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { addEvent, type Event, setEvent, troubledEvent } from "./events.ts";

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

const event = (id: string, site: string, state: Event["state"], attempts: number): Promise<void> =>
  db.transaction(async (tx) => {
    await addEvent(tx, { id, site, visitor: null, type: "message.reply", body: "{}", at: 1 });
    await setEvent(tx, { id, state, attempts, due: 9 - attempts, status: 0, problem: "ECONNREFUSED" });
  });

it("finds a site's event that still waits after several tries, but none that was just stored or has ended", async () => {
  await event("new", "shop", "waiting", 1);
  await event("over", "shop", "failed", 9);
  await event("other", "help", "waiting", 5);
  expect(await troubledEvent(db, "shop", 2)).toBeUndefined();
  await event("second", "shop", "waiting", 2);
  await event("third", "shop", "waiting", 3);
  expect(await troubledEvent(db, "shop", 2)).toMatchObject({ id: "third", attempts: 3, problem: "ECONNREFUSED" });
});
