import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../../db/database.fixture.ts";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrate.ts";
import { addEntry, type LedgerState, NEVER_DUE, stuckEntries, transition } from "./ledger.ts";

const NOW = 1_000_000_000;
const MINUTE = 60_000;
let db: Database;

beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

async function write(key: string, state: LedgerState, more: { age?: number; due?: number; reason?: string } = {}) {
  const now = NOW - (more.age ?? 0);
  const name = { kind: "grant", account: "main", key } as const;
  const next = { state, reason: more.reason ?? null, due: more.due ?? now, actor: "test", now };
  await db.transaction(async (tx) => {
    await addEntry(tx, { ...name, lane: key, digest: key, content: "{}", ...next });
    await transition(tx, name, [state], next);
  });
}

it("finds the entries that need a person, and no others", async () => {
  await write("unknown", "unknown");
  await write("approval", "received", { due: NEVER_DUE });
  await write("asks the billing webhook", "received", { due: NOW + MINUTE });
  await write("404", "intent", { reason: "404: no such sub-account" });
  await write("429", "intent", { reason: "429: slow down" });
  await write("503", "intent", { reason: "503: later" });
  await write("fresh", "intent");
  await write("overdue", "intent", { age: 16 * MINUTE });
  await write("calling", "calling", { age: MINUTE });
  await write("never ended", "calling", { age: 3 * MINUTE });
  await write("done", "done", { age: 60 * MINUTE });
  await write("dismissed", "dismissed", { age: 60 * MINUTE });
  const ask = { kind: "grant", account: "main", now: NOW, limit: 20 } as const;
  const keys = (await stuckEntries(db, ask)).map(({ key }) => key);
  expect(keys.sort()).toEqual(["404", "approval", "never ended", "overdue", "unknown"]);
  expect(await stuckEntries(db, { ...ask, account: "other" })).toEqual([]);
  expect((await stuckEntries(db, { ...ask, state: "intent" })).map(({ key }) => key)).toEqual(["overdue", "404"]);
});
