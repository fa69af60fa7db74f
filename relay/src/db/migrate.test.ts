import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import type { Database } from "./database.ts";
import { assertCurrent, migrate } from "./migrate.ts";
import { openSqlite } from "./sqlite.ts";

it("applies every numbered file once, also one with a lower number that came later", async () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-migrations-"));
  const write = (name: string, sql: string): void => writeFileSync(join(folder, name), sql);
  const db = openSqlite(":memory:");
  write(
    "001.sql",
    "CREATE TABLE numbers (number BIGINT); -- a comment; with a semicolon\nINSERT INTO numbers VALUES (1)",
  );
  write("010.sql", "INSERT INTO numbers VALUES (10)");
  const from = pathToFileURL(`${folder}/`);
  const epoch = await migrate(db, from);
  write("002.sql", "INSERT INTO numbers VALUES (2)");
  expect(await migrate(db, from)).toBe(epoch);
  await migrate(db, from);
  expect((await db.all<{ number: number }>("SELECT number FROM numbers")).map(({ number }) => number)).toEqual([
    1, 10, 2,
  ]);
  await db.close();
});

it("names the migration that fails, and keeps those before it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-migrations-"));
  writeFileSync(join(folder, "001.sql"), "CREATE TABLE numbers (number BIGINT)");
  writeFileSync(join(folder, "012.sql"), "INSERT INTO numbers VALUES (12); INSERT INTO nowhere VALUES (1)");
  const db = openSqlite(":memory:");
  const failing = migrate(db, pathToFileURL(`${folder}/`));
  await expect(failing).rejects.toThrow(/^Migration 012 of the database failed: .*nowhere/);
  expect(await db.all("SELECT number FROM numbers")).toEqual([]);
  expect(await db.all("SELECT number FROM migrations")).toEqual([{ number: 1 }]);
  await db.close();
});

/** A database as the migrations 001 to 060 left it. */
async function databaseBeforeTheSquash(): Promise<Database> {
  const db = openSqlite(":memory:");
  const old = readFileSync(new URL("./squashed.fixture.sql", import.meta.url), "utf8").replace(/--.*$/gm, "");
  for (const statement of old.split(";").filter((text) => text.trim() !== "")) await db.run(statement);
  await db.run("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)");
  await db.run("INSERT INTO meta (name, value) VALUES ('epoch', 'of-this-log')");
  await db.run("CREATE TABLE migrations (number BIGINT PRIMARY KEY)");
  for (const number of [1, 2, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 40, 41, 50, 60])
    await db.run("INSERT INTO migrations (number) VALUES ($1)", number);
  return db;
}

/** The text of every table and index that the given database has, without differences of white space. */
async function schemaOf(db: Database): Promise<string[]> {
  const rows = await db.all<{ sql: string }>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL");
  return rows.map(({ sql }) => sql.replace(/\s+/g, " ").replace(/ ?([(),]) ?/g, "$1")).sort();
}

it("opens a database that the migrations 001 to 060 made, and keeps its rows and its epoch", async () => {
  const db = await databaseBeforeTheSquash();
  await db.run("INSERT INTO visitors (id, site, created) VALUES ('v_1', 'default', 1)");
  expect(await migrate(db)).toBe("of-this-log");
  await assertCurrent(db);
  expect(await db.all("SELECT id, site FROM visitors")).toEqual([{ id: "v_1", site: "default" }]);
  await db.close();
});

it("gives a new database the same schema as the migrations 001 to 060 did", async () => {
  const [old, fresh] = [await databaseBeforeTheSquash(), openSqlite(":memory:")];
  await migrate(old);
  await migrate(fresh);
  expect(await schemaOf(fresh)).toEqual(await schemaOf(old));
  await Promise.all([old.close(), fresh.close()]);
});

it("refuses a database of an unreleased schema and says which one it upgrades", async () => {
  const db = openSqlite(":memory:");
  await db.run("CREATE TABLE migrations (number BIGINT PRIMARY KEY)");
  await db.run("INSERT INTO migrations (number) VALUES (1), (23)");
  await expect(migrate(db)).rejects.toThrow(/schema 23\); this version upgrades schema 60 and later/);
  await db.close();
});

it("makes the times of stored events whole milliseconds, as PostgreSQL needs them", async () => {
  const db = openSqlite(":memory:");
  await migrate(db);
  await db.run(
    "INSERT INTO events (id, site, type, body, at, state, due) VALUES ('e', 'default', 'lead.captured', '{}', 1, 'waiting', 5062.5)",
  );
  await db.run("DELETE FROM migrations WHERE number = 98");
  await migrate(db);
  expect(await db.all("SELECT due FROM events")).toEqual([{ due: 5_062 }]);
  await db.close();
});
