import { expect, it } from "vitest";
import { migrate } from "../db/migrate.ts";
import { openSqlite } from "../db/sqlite.ts";
import { addEvent, setEvent } from "../records/events.ts";
import { addEntry, transition } from "../records/ledger/ledger.ts";
import { runOn } from "./commands.ts";
import type { CommandContext } from "./context.ts";

/** The database that these commands read, without a relay. */
async function context(): Promise<CommandContext> {
  const db = openSqlite(":memory:");
  await migrate(db);
  const site = () => ({ public: { id: "default" }, account: "main" });
  const settings = { accounts: [{ id: "main" }] };
  return {
    db,
    site,
    settings,
    creditAccounts: () => settings.accounts,
    clock: { now: () => 0 },
  } as unknown as CommandContext;
}

it("ends with 3 when the shown grant has an unknown outcome", async () => {
  const at = await context();
  const name = { kind: "grant", account: "main", key: "g-1" } as const;
  const step = { state: "calling", reason: null, due: 0, actor: "test", now: 0 } as const;
  await at.db.transaction((tx) => addEntry(tx, { ...name, ...step, lane: "a@b.example", digest: "", content: "{}" }));
  expect((await runOn(at, ["credits", "show", "g-1"])).code ?? 0).toBe(0);
  await at.db.transaction((tx) => transition(tx, name, ["calling"], { ...step, state: "unknown" }));
  expect((await runOn(at, ["credits", "show", "g-1"])).code).toBe(3);
});

it("ends with 3 when the webhook refused an event, however many newer ones it accepted", async () => {
  const at = await context();
  const about = { site: "default", visitor: null, type: "message.visitor", body: "{}" } as const;
  const rest = { attempts: 1, due: 0, status: 500, problem: null };
  await at.db.transaction(async (tx) => {
    for (let n = 0; n < 250; n++) {
      await addEvent(tx, { ...about, id: `msg_${n}`, at: n });
      await setEvent(tx, { ...rest, id: `msg_${n}`, state: "delivered" });
    }
  });
  expect((await runOn(at, ["webhooks"])).code).toBe(0);
  await at.db.transaction((tx) => setEvent(tx, { ...rest, id: "msg_3", state: "failed" }));
  expect((await runOn(at, ["webhooks"])).code).toBe(3);
  expect((await runOn(at, ["webhooks", "--state", "delivered"])).code).toBe(0);
});
