import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

it("adds an entry before an export writes anything, and one with the counts when the file is complete", async () => {
  const db = openSqlite(":memory:");
  await migrate(db);
  await db.run("INSERT INTO visitors (id, site, created, head) VALUES ('v_1', 'shop', 1, 2), ('v_2', 'other', 1, 0)");
  await db.runEach(
    "INSERT INTO messages (visitor, pos, n, id, author, at, text) VALUES ('v_1', $1, $1, $2, 'visitor', 1, 'a secret')",
    [
      [1, "m1"],
      [2, "m2"],
    ],
  );
  const site = () => ({ public: { id: "shop" }, account: "default" });
  const context = { db, site, clock: { now: () => 7 }, settings: {} } as unknown as CommandContext;
  const folder = mkdtempSync(join(tmpdir(), "porchlight-export-"));
  const file = join(folder, "shop.jsonl");
  await expect(runOn(context, ["export", join(folder, "missing", "shop.jsonl")])).rejects.toThrow("ENOENT");
  await runOn(context, ["export", file, "--site", "shop"]);
  const entry = { at: 7, actor: "cli", action: "export" };
  const entries = await db.all("SELECT at, actor, action, subject FROM audit ORDER BY rowid");
  expect(entries).toEqual([
    { ...entry, subject: `shop to ${join(folder, "missing", "shop.jsonl")}: begun` },
    { ...entry, subject: `shop to ${file}: begun` },
    { ...entry, subject: `shop to ${file}: 1 visitor record, 2 message records` },
  ]);
  await db.close();
  rmSync(folder, { recursive: true });
});

it("adds every command to the audit log, except those that only read or add their own entries", () => {
  const names = Object.entries(COMMANDS).flatMap(([name, command]) =>
    command.place === "alone" || command.subject !== undefined ? [] : [name],
  );
  // These add entries of their own, because the entries contain counts.
  const others = ["reload", "retention", "backup", "backup run", "backup fetch", "export", "move"];
  const readers = ["backup list", "block list", "contact find", "credits list", "credits show", "deliveries", "doctor"];
  expect(names.sort()).toEqual([...others, ...readers, "leads", "site", "token list", "webhooks"].sort());
});
