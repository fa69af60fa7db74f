import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { changesSince, pageAfter } from "./threads.ts";
import { addVisitor } from "./visitors.ts";

/** The number of each message's newest change, by place. A message whose number is above its place was changed later. */
const NUMBERS = [1, 9, 3, 12, 5, 6, 11, 8, 13, 10];

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  const rows = NUMBERS.map((n, at): [number, number] => [at + 1, n]);
  await db.transaction(async (tx) => {
    await addVisitor(tx, "v", "default", 1);
    await tx.runEach(
      "INSERT INTO messages (visitor, pos, n, id, author, at, text) VALUES ('v', $1, $2, $3, 'visitor', 1, 'hello')",
      rows.map(([pos, n]) => [pos, n, `m-${pos}`]),
    );
  });
});
afterEach(() => db.close());

it("finds the changes after any number, in order and at most as many as asked", async () => {
  const all = NUMBERS.toSorted((a, b) => a - b);
  for (let since = 0; since <= 14; since++)
    for (let limit = 1; limit <= 11; limit++) {
      const found = (await changesSince(db, "v", since, limit)).map(({ n }) => n);
      expect(found, `after ${since}, at most ${limit}`).toEqual(all.filter((n) => n > since).slice(0, limit));
    }
});

it("finds the messages after any place, oldest first, whatever their changes", async () => {
  const places = async (after: number, limit: number) => (await pageAfter(db, "v", after, limit)).map(({ pos }) => pos);
  expect(await places(0, 3)).toEqual([1, 2, 3]);
  expect(await places(8, 3)).toEqual([9, 10]);
});
