import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { addTry, messagesFormerly, SENT_AGAIN } from "./tries.ts";

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

const AGAIN = { at: 1, answer: `${SENT_AGAIN}pl_former` };

it("finds the messages that had a messageSid until they were sent again, slice by slice", async () => {
  await db.transaction(async (tx) => {
    for (const visitor of ["a", "b", "c"]) {
      await tx.run("INSERT INTO visitors (id, site, created, active, head) VALUES ($1, 'default', 1, 1, 1)", visitor);
      await tx.run(
        "INSERT INTO messages (visitor, pos, n, id, author, at, text, state, sid) VALUES ($1, 1, 1, 'm', 'visitor', 1, '', 'sent', 'pl_new')",
        visitor,
      );
    }
    for (const visitor of ["a", "a", "c"]) await addTry(tx, visitor, 1, AGAIN);
    await tx.run(
      `INSERT INTO tries (visitor, pos, attempt, at)
       WITH RECURSIVE n(n) AS (SELECT 3 UNION ALL SELECT n + 1 FROM n WHERE n < 21000) SELECT 'b', 1, n, 1 FROM n`,
    );
  });
  const first = await messagesFormerly(db, "pl_former", "");
  expect(first).toEqual({ found: [{ visitor: "a", id: "m" }], next: "b" });
  expect(await messagesFormerly(db, "pl_former", "b")).toEqual({ found: [{ visitor: "c", id: "m" }], next: undefined });
  expect((await messagesFormerly(db, "pl_other", "")).found).toEqual([]);
});
