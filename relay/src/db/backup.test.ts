import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmdirSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { backupSqlite } from "./backup.ts";
import type { Database } from "./database.ts";
import { migrate } from "./migrate.ts";
import { openSqlite } from "./sqlite.ts";

const newFile = (): string => join(mkdtempSync(join(tmpdir(), "porchlight-")), "test.db");

async function closed(text = "the only copy"): Promise<string> {
  const file = newFile();
  const db = openSqlite(file);
  await db.run("CREATE TABLE t (x TEXT)");
  await db.run("INSERT INTO t VALUES ($1)", text);
  await db.close();
  return file;
}

const read = async (db: Database): Promise<unknown> => (await db.all<{ x: string }>("SELECT x FROM t"))[0]?.x;

/** Changes one letter of a text inside the file, where SQLite checks nothing. */
function damage(file: string, text: string): void {
  const at = readFileSync(file).indexOf(text);
  expect(at).toBeGreaterThan(0);
  writeSync(openSync(file, "r+"), "X", at);
}

describe("a database that was closed cleanly", () => {
  it("opens again unchanged", async () => {
    const db = openSqlite(await closed());
    expect(await read(db)).toBe("the only copy");
    await db.close();
  });

  it("opens again when its seal was not written completely: an incomplete seal does not count", async () => {
    const file = newFile();
    const db = openSqlite(file);
    await db.run("CREATE TABLE t (x TEXT)");
    await db.run("INSERT INTO t VALUES ('the only copy')");
    // As when the process ends, or the disk becomes full, while it is written.
    const folder = `${file}.seal.new`;
    mkdirSync(folder);
    await expect(db.close()).rejects.toThrow();
    rmdirSync(folder);
    expect(existsSync(`${file}.seal`)).toBe(false);
    const again = openSqlite(file);
    expect(await read(again)).toBe("the only copy");
    await again.close();
  });

  it("is refused, and not changed, when a single letter of it changed meanwhile", async () => {
    const file = await closed();
    damage(file, "the only copy");
    const before = readFileSync(file);
    expect(() => openSqlite(file)).toThrow(/differs from its checksum.*restore the newest backup/);
    expect(() => openSqlite(file)).toThrow(/differs from its checksum/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("does not count as closed while another process still writes to it", async () => {
    const file = await closed();
    const [relay, command] = [openSqlite(file), openSqlite(file)];
    await command.close();
    await relay.run("INSERT INTO t VALUES ('more')");
    expect(await read(openSqlite(file))).toBe("the only copy");
    await relay.close();
  });

  it("may change while it is open", async () => {
    const file = await closed();
    const db = openSqlite(file);
    await db.run("UPDATE t SET x = 'changed'");
    await db.close();
    const again = openSqlite(file);
    expect(await read(again)).toBe("changed");
    await again.close();
  });
});

describe("a backup", () => {
  it("is a consistent copy of a database that is being written, has a new epoch, and can be opened", async () => {
    const file = newFile();
    const db = openSqlite(file);
    const epoch = await migrate(db);
    await db.run("CREATE TABLE t (x TEXT)");
    await db.run("INSERT INTO t VALUES ('written before')");
    const target = join(mkdtempSync(join(tmpdir(), "porchlight-")), "copy.db");
    backupSqlite(file, target);
    await db.run("UPDATE t SET x = 'written after'");

    const copy = openSqlite(target);
    expect(await read(copy)).toBe("written before");
    expect(await migrate(copy)).not.toBe(epoch);
    expect(await read(db)).toBe("written after");
    await Promise.all([copy.close(), db.close()]);
  });

  it("never replaces a file", async () => {
    const file = await closed();
    expect(() => backupSqlite(file, file)).toThrow(/exists already/);
    expect(() => backupSqlite(`${file}.not-there`, `${file}.copy`)).toThrow(/no database to copy/);
  });
});
