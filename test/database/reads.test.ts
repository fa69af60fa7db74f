import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../relay/src/db/database.fixture.ts";
import type { Database, Transaction } from "../../relay/src/db/database.ts";
import { migrate } from "../../relay/src/db/migrate.ts";
import { addOutboxEntry, laneHeads } from "../../relay/src/records/outbox.ts";
import { questionsBefore } from "../../relay/src/records/threads.ts";
import { addVisitor } from "../../relay/src/records/visitors.ts";

/** How many rows of a long thread PostgreSQL reads for one message, while the tables have no statistics yet. */

const MESSAGES = 2_000;

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  await db.transaction(async (tx) => {
    await addVisitor(tx, "v", "default", 1);
    await tx.runEach(
      "INSERT INTO messages (visitor, pos, n, id, author, at, text) VALUES ('v', $1, $1, $2, $3, $1, 'hello')",
      Array.from({ length: MESSAGES }, (_, i) => [i + 1, `m-${i}`, i % 2 === 0 ? "visitor" : "reply"]),
    );
  });
});
afterEach(() => db.close());

/** Runs `read` in a transaction. @returns how many rows of `messages` it read */
async function rowsOf(read: (tx: Transaction) => Promise<unknown>): Promise<number> {
  const sql = `SELECT COALESCE(seq_tup_read, 0) + COALESCE(idx_tup_fetch, 0) AS rows
    FROM pg_stat_xact_user_tables WHERE relname = 'messages'`;
  return db.transaction(async (tx) => {
    await read(tx);
    const [row] = await tx.all<{ rows: number }>(sql);
    return row?.rows ?? 0;
  });
}

it("reads the question before a reply without the rest of its thread", async () => {
  const read = async (tx: Transaction) =>
    expect(await questionsBefore(tx, [{ visitor: "v", pos: MESSAGES }])).toEqual([MESSAGES - 1]);
  expect(await rowsOf(read)).toBe(1);
});

it("reads the first message of a lane without the rest of its thread", async () => {
  const lane = { visitor: "v", turn: MESSAGES, pos: MESSAGES - 1, account: "a", due: 1, expires: 1, attempts: 0 };
  await db.transaction((tx) => addOutboxEntry(tx, { ...lane, reaction: null, reaction_sid: null }));
  const read = async (tx: Transaction) =>
    expect(await laneHeads(tx, ["v"])).toEqual([expect.objectContaining({ pos: MESSAGES - 1 })]);
  expect(await rowsOf(read)).toBe(1);
});
