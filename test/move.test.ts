import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrate } from "../relay/src/db/migrate.ts";
import { openDatabase } from "../relay/src/db/open.ts";
import { shareSecrets } from "../relay/src/db/secrets.ts";
import { type AuditEntry, auditPage } from "../relay/src/records/operators.ts";
import { type Harness, startHarness } from "./harness.ts";
import { type Postgres, startPostgres } from "./setup/postgres.ts";
import { porchlight } from "./shell.ts";

let harness: Harness;
let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
  harness = await startHarness({ sandbox: { botScript: "echo" } });
});
afterAll(async () => {
  await harness.stop();
  await postgres.stop();
});

it("stores the spool of a lost node once, by one command on another node", async () => {
  const visitor = harness.visitor();
  await visitor.greet("Hello");
  const id = harness.sandbox.messages().at(-1)?.fromId;
  const folder = mkdtempSync(join(tmpdir(), "porchlight-lost-"));
  writeFileSync(join(folder, "secrets.json"), "{}");
  const reply = {
    visitor: id,
    key: "lost-1",
    id: "r_lost1",
    text: "Kept by the lost node",
    at: Date.now(),
    contact: null,
  };
  writeFileSync(join(folder, "replies.spool"), `\n${JSON.stringify(reply)}\n`);
  const first = await porchlight(harness, ["spool", "replay", folder]);
  expect([first.code, first.out, first.err]).toEqual([0, "Stored 1 reply and 0 recharges.\n", ""]);
  await visitor.receives("Kept by the lost node");
  expect((await porchlight(harness, ["spool", "replay", folder])).out).toContain("Stored 0 replies");
  expect((await porchlight(harness, ["spool", "replay", harness.dataDir])).err).toContain("is in use");
  expect((await porchlight(harness, ["spool", "replay", tmpdir()])).code).toBe(2);
});

/** The moves in a database's audit log, newest first. */
async function movesIn(url: string): Promise<Omit<AuditEntry, "at">[]> {
  const db = await openDatabase(url);
  const all = await auditPage(db, 100);
  await db.close();
  return all.filter(({ action }) => action === "move").map(({ at: _, ...entry }) => entry);
}

it("moves to PostgreSQL while the relay is stopped; the conversation continues there", async () => {
  const visitor = harness.visitor();
  await visitor.connect();
  await visitor.send("Before the move");
  await visitor.receives("echo: Before the move");
  const move = ["move", "--to", postgres.url("postgres")];
  expect((await porchlight(harness, move)).err).toContain("is in use");
  await visitor.drop();
  await harness.halt();
  // Simulate a database on which a relay with other secrets has run before.
  const used = await openDatabase(postgres.url("postgres"));
  await migrate(used);
  await shareSecrets(used, () => ({ signing: "s", callback: "c", admin: "a" }));
  expect((await porchlight(harness, move)).err).toContain("another relay");
  await used.run("DELETE FROM secrets");
  await used.run("INSERT INTO meta (name, value) VALUES ('move.from', 'a move that broke off')");
  await expect(harness.start({ DATABASE_URL: postgres.url("postgres") })).rejects.toThrow("has not finished");
  expect((await porchlight(harness, move)).err).toMatch(/^The PostgreSQL database holds other conversations; .*\.$/m);
  const wrong = postgres.url("nowhere");
  expect((await porchlight(harness, ["move", "--to", wrong])).err).toMatch(
    /^PostgreSQL at \S+\/nowhere cannot be used \(database "nowhere" does not exist\); .*\.$/m,
  );
  await used.run("DELETE FROM meta WHERE name = 'move.from'");
  await used.close();
  const moved = await porchlight(harness, move);
  expect([moved.code, moved.out], moved.err).toEqual([0, expect.stringMatching(/messages +\d+/)]);
  // The audit log names the database without its password.
  const { host, pathname } = new URL(postgres.url("postgres"));
  const subject = `to ${host}${pathname}`;
  const expected = [`${subject}: 2 visitors, 5 messages, 0 leads`, `${subject}: begun`];
  for (const url of [`sqlite:${join(harness.dataDir, "porchlight.db")}`, postgres.url("postgres")])
    expect(await movesIn(url), url).toEqual(expected.map((subject) => ({ actor: "cli", action: "move", subject })));
  await harness.start({ DATABASE_URL: postgres.url("postgres") });
  const welcome = await visitor.connect();
  expect(welcome.reset).toBeFalsy();
  await visitor.send("After the move");
  await visitor.receives("echo: After the move");
});
