import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
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

it("says in one sentence, without the password, which PostgreSQL cannot be reached", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const url = `postgres://chat:secret@127.0.0.1:${port}/porchlight`;
  await expect(openDatabase(url)).rejects.toThrow(
    `DATABASE_URL: PostgreSQL at 127.0.0.1:${port}/porchlight cannot be used (connect ECONNREFUSED 127.0.0.1:${port}); start it, or correct the address`,
  );
});

it("ends at links that lead in a circle", () => {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-"));
  symlinkSync("b.db", join(folder, "a.db"));
  symlinkSync("a.db", join(folder, "b.db"));
  expect(databaseFile(`sqlite:${join(folder, "a.db")}`)).toMatch(/[ab]\.db$/);
});
