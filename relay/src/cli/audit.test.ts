import { expect, it } from "vitest";
import { migrate } from "../db/migrate.ts";
import { openSqlite } from "../db/sqlite.ts";
import { auditPage } from "../records/operators.ts";
import { COMMANDS, runOn } from "./commands.ts";
import type { CommandContext } from "./context.ts";

it("adds each command that changed something to the audit log, and no other", async () => {
  const db = openSqlite(":memory:");
  await migrate(db);
  const site = () => ({ public: { id: "shop" } });
  const context = { db, site, clock: { now: () => 7 } } as unknown as CommandContext;
  await runOn(context, ["token", "add", "backend", "--site", "shop"]);
  await runOn(context, ["token", "list"]);
  await expect(runOn(context, ["token", "revoke", "no-such-token"])).rejects.toThrow("No valid token");
  expect(await auditPage(db, 9)).toEqual([{ at: 7, actor: "cli", action: "token add", subject: "backend shop" }]);
  await db.close();
});

it("knows of each command whether it changes something", () => {
  const names = Object.entries(COMMANDS).flatMap(([name, command]) =>
    command.place === "alone" || command.subject !== undefined ? [] : [name],
  );
  // `reload` and `retention` add entries of their own. `backup`, `export` and `move` run outside the relay and change no data of it.
  const others = ["reload", "retention", "backup", "backup fetch", "export", "move"];
  const readers = ["backup list", "block list", "contact find", "credits list", "credits show", "deliveries", "doctor"];
  expect(names.sort()).toEqual([...others, ...readers, "leads", "site", "token list", "webhooks"].sort());
});
