import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { addEntry } from "../records/ledger/ledger.ts";
import { ledger } from "./ledger.ts";

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

it("names the state of a message of the backend as its own page and the API do", async () => {
  const content = JSON.stringify({ site: "shop", text: "On its way.", email: "ada@example.com" });
  const entry = { kind: "send", key: "order-1", account: "default", lane: "ada@example.com", digest: "1" } as const;
  await db.transaction((tx) =>
    addEntry(tx, { ...entry, content, state: "received", reason: null, actor: "test", now: 1 }),
  );
  const deps = { db, settings: { accounts: [{ id: "default" }] } } as unknown as Parameters<typeof ledger>[0];
  const page = String(await ledger(deps, undefined, "", { grants: 0, messages: 0 }));
  expect(page.slice(page.indexOf("order-1"))).toMatch(/class="badge[^"]*">queued</);
});
