import { expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import { migrate } from "../db/migrate.ts";
import { addOutboxEntries, type OutboxEntry, waitingIn } from "./outbox.ts";
import { addVisitor } from "./visitors.ts";

const HOUR_MS = 3_600_000;

it("says since when the oldest entry waits; a reaction waits since it was sent, however old its message is", async () => {
  const db = await openTestDatabase();
  try {
    await migrate(db);
    expect(await waitingIn(db, 12 * HOUR_MS)).toEqual({ messages: 0, since: undefined });
    await db.transaction((tx) => addVisitor(tx, "visitor1", "default", 1));
    const entry = (turn: number, at: number, reaction: string | null): OutboxEntry => ({
      visitor: "visitor1",
      turn,
      pos: 1,
      account: "default",
      attempts: 0,
      due: at,
      expires: at + 12 * HOUR_MS,
      reaction,
      reaction_sid: reaction === null ? null : "pl_reaction",
    });
    await db.transaction((tx) => addOutboxEntries(tx, [entry(3, 50 * HOUR_MS, "👍"), entry(4, 51 * HOUR_MS, null)]));
    expect(await waitingIn(db, 12 * HOUR_MS)).toEqual({ messages: 2, since: 50 * HOUR_MS });
  } finally {
    await db.close();
  }
});
