import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { databaseFile } from "./database-url.ts";
import { openDatabase } from "./open.ts";

it("opens a new database behind a link to a file that does not exist yet, under the file's own name", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "porchlight-")));
  mkdirSync(join(folder, "volume"));
  symlinkSync(join("volume", "real.db"), join(folder, "linked.db"));
  const url = `sqlite:${join(folder, "linked.db")}`;
  const named = databaseFile(url);
  const db = await openDatabase(url);
  await db.run("CREATE TABLE t (x INTEGER)");
  await db.close();
  expect([named, databaseFile(url)]).toEqual(Array(2).fill(join(folder, "volume", "real.db")));
});

it("ends at links that lead in a circle", () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
  symlinkSync("b.db", join(folder, "a.db"));
  symlinkSync("a.db", join(folder, "b.db"));
  expect(databaseFile(`sqlite:${join(folder, "a.db")}`)).toMatch(/[ab]\.db$/);
});
