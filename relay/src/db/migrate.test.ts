import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { migrate } from "./migrate.ts";
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
