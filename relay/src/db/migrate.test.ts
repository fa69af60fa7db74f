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

it("gives those who were only written to, before 023, their thread under the site that wrote", async () => {
  const db = openSqlite(":memory:");
  await migrate(db);
  await db.run("DELETE FROM migrations WHERE number = 23");
  await db.run("INSERT INTO forgotten (visitor, at) VALUES ('u_erased', 1)");
  await db.run(
    "INSERT INTO visitors (id, site, created) VALUES ('u_misplaced', 'a', 1), ('u_well', 'b', 1), ('v_a', 'a', 1)",
  );
  for (const lane of ["u_new", "u_erased", "u_misplaced", "u_well"])
    await db.run(
      `INSERT INTO ledger (kind, account, key, lane, digest, content, state, due, created, changed)
       VALUES ('send', 'main', 'b/' || $1, $1, '', '{}', 'unknown', 5, 5, 5)`,
      lane,
    );
  await migrate(db);
  expect(await db.all("SELECT id, site, created FROM visitors ORDER BY id")).toEqual([
    { id: "u_misplaced", site: "b", created: 1 },
    { id: "u_new", site: "b", created: 5 },
    { id: "u_well", site: "b", created: 1 },
    { id: "v_a", site: "a", created: 1 },
  ]);
  await db.close();
});
