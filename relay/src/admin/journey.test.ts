import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { addParcel, postpone } from "../records/outbox.ts";
import { appendSent, mark, noteFailures, numbersOf } from "../records/threads.ts";
import { addTry } from "../records/tries.ts";
import { addVisitor } from "../records/visitors.ts";
import { journey } from "./journey.ts";

const AT = Date.UTC(2026, 10, 23, 15, 0, 0);
const VIEWER = { role: "admin", site: null } as const;
let db: Database;

beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  await db.transaction(async (tx) => {
    await addVisitor(tx, "v", "shop", AT);
    const numbers = await numbersOf(tx, ["v"]);
    await appendSent(tx, numbers, [{ visitor: "v", id: "m", text: "hello", at: AT, sid: "pl_1" }]);
    await numbers.write(tx);
    const rest = { reaction: null, reaction_sid: null, attempts: 0, due: AT, expires: AT + 86_400_000 };
    await addParcel(tx, { visitor: "v", turn: 1, pos: 1, account: "main", ...rest });
  });
});
afterEach(() => db.close());

/** The text of the message's page, without markup. */
async function page(paused: Record<string, string> = {}): Promise<string> {
  const present = { now: AT + 6_000, paused };
  const shown = await journey(db, { visitor: "v", id: "m" }, { token: "t", viewer: VIEWER, note: "", present });
  return String(shown).replaceAll(/<[^>]*>/g, "");
}

it("shows a try that the service refused for the account's key, and what the message waits for", async () => {
  await db.transaction(async (tx) => {
    await addTry(tx, "v", 1, { at: AT + 1_000, answer: "401: Unknown key" });
    await postpone(tx, { visitor: "v", turn: 1, attempts: 1, due: AT, error: "401: Unknown key" });
  });
  expect(await page()).toMatch(/Sent, but not accepted · .*15:00:01[\s\S]*The service answered 401: Unknown key/);
  const held = await page({ main: "401: Unknown key" });
  expect(held).toContain("Waiting for the service, after 1 try");
  expect(held).toContain("The service refuses the calls of account main: 401: Unknown key.");
  expect(held).not.toContain("Next try at");
});

it("says of a message that the relay held back that the relay did so, and counts no try", async () => {
  const answer = "not sent: the visitor is blocked";
  await db.transaction(async (tx) => {
    await addTry(tx, "v", 1, { at: AT + 1_000, answer });
    await tx.run("DELETE FROM outbox");
    await mark(tx, "v", 1, "failed", "rejected");
    await noteFailures(tx, [{ visitor: "v", pos: 1, attempts: 0, error: answer }]);
  });
  const shown = await page();
  expect(shown).toContain("Failed after 0 tries");
  expect(shown).toContain("The relay did not send it: the visitor is blocked");
  expect(shown).not.toMatch(/The service (answered|refused|said)|Sent, but not accepted/);
});
