import { chmodSync, chownSync, existsSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Database } from "./database.ts";
import { verdictWhenFree } from "./integrity.ts";
import { openSqlite } from "./sqlite.ts";

const open: Database[] = [];
const newFile = (): string => join(mkdtempSync(join(tmpdir(), "porchlight-")), "test.db");

function database(file = newFile()): Database {
  const db = openSqlite(file);
  open.push(db);
  return db;
}

afterEach(async () => {
  for (const db of open.splice(0)) await db.close();
});

describe("transactions", () => {
  it("that arrive together share a commit, and each gets its own result", async () => {
    const db = database();
    await db.run("CREATE TABLE t (x INTEGER)");
    const exec = vi.spyOn(DatabaseSync.prototype, "exec");
    const results = await Promise.all(
      [1, 2, 3].map((x) => db.transaction((tx) => tx.all<{ x: number }>("INSERT INTO t VALUES ($1) RETURNING x", x))),
    );
    const commits = exec.mock.calls.filter(([sql]) => sql === "COMMIT").length;
    exec.mockRestore();
    expect(commits).toBe(1);
    expect(results.flat().map((row) => row.x)).toEqual([1, 2, 3]);
  });

  it("fail alone: the others of their group are kept", async () => {
    const db = database();
    await db.run("CREATE TABLE t (x INTEGER PRIMARY KEY)");
    const add = (x: number) => db.run("INSERT INTO t VALUES ($1)", x);
    const outcomes = await Promise.allSettled([add(1), add(1), add(2)]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await db.all("SELECT x FROM t ORDER BY x")).toMatchObject([{ x: 1 }, { x: 2 }]);
  });

  it("fail together while another process holds the database, instead of waiting a second each", async () => {
    const file = newFile();
    const db = database(file);
    await db.run("CREATE TABLE t (x INTEGER)");
    const other = new DatabaseSync(file);
    other.exec("BEGIN IMMEDIATE");
    // Each BEGIN waits a second for the database.
    const exec = vi.spyOn(DatabaseSync.prototype, "exec");
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, x) => db.run("INSERT INTO t VALUES ($1)", x)),
    );
    const begins = exec.mock.calls.filter(([sql]) => sql === "BEGIN IMMEDIATE").length;
    exec.mockRestore();
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    expect(begins).toBe(1);
    other.exec("ROLLBACK");
    other.close();
    expect(await db.run("INSERT INTO t VALUES (99)")).toBe(1);
  });

  it("are seen by readers only when committed", async () => {
    const db = database();
    await db.run("CREATE TABLE t (x INTEGER)");
    let seen = -1;
    await db.transaction(async (tx) => {
      await tx.run("INSERT INTO t VALUES (1)");
      seen = (await db.all("SELECT * FROM t")).length;
    });
    expect(seen).toBe(0);
    expect(await db.all("SELECT * FROM t")).toHaveLength(1);
  });
});

it("finds parameters by number, in any order", async () => {
  const db = database();
  expect(await db.all("SELECT $2 AS b, $1 AS a, $2 AS c", "one", "two")).toMatchObject([
    { a: "one", b: "two", c: "two" },
  ]);
});

it("refuses a damaged file, also if a kill left it without a seal", async () => {
  const file = newFile();
  const db = openSqlite(file);
  await db.run("CREATE TABLE t (x TEXT)");
  for (let i = 0; i < 200; i++) await db.run("INSERT INTO t VALUES ($1)", "x".repeat(200));
  await db.close();
  rmSync(`${file}.seal`);
  const fd = openSync(file, "r+");
  for (let page = 2; page < 8; page++) writeSync(fd, Buffer.alloc(600, 0xab), 0, 600, page * 4096);
  expect(() => openSqlite(file)).toThrow(/damaged|malformed/);
});

it("gives the seal the owner and the mode of the file, so that the relay can read it after a command of root", async () => {
  const file = newFile();
  const db = openSqlite(file);
  await db.run("CREATE TABLE t (x TEXT)");
  const user = process.getuid?.() === 0 ? 65_534 : statSync(file).uid;
  chownSync(file, user, statSync(file).gid);
  chmodSync(file, 0o640);
  await db.close();
  const { uid, mode } = statSync(`${file}.seal`);
  expect([uid, mode & 0o777]).toEqual([user, 0o640]);
});

describe("a large file that was not closed cleanly", () => {
  /** A file without a seal. @param damaged whether the pages of a table are overwritten */
  async function unsealed(damaged: boolean): Promise<string> {
    const file = newFile();
    const db = openSqlite(file);
    await db.run("CREATE TABLE intact (x TEXT)");
    await db.run("CREATE TABLE damaged (x TEXT)");
    await db.transaction(async (tx) => {
      for (let i = 0; i < 400; i++) await tx.run("INSERT INTO damaged VALUES ($1)", "x".repeat(200));
    });
    await db.close();
    rmSync(`${file}.seal`);
    if (!damaged) return file;
    const fd = openSync(file, "r+");
    for (let page = 6; page < 12; page++) writeSync(fd, Buffer.alloc(600, 0xab), 0, 600, page * 4096);
    return file;
  }

  it("is used while it is checked; damage stops its writes, and the next start refuses it", async () => {
    const file = await unsealed(true);
    const db = openSqlite(file, { atOnceMax: 0 });
    open.push(db);
    expect(await db.damage).toMatch(/is damaged [\s\S]* restore the newest backup/);
    await expect(db.run("INSERT INTO intact VALUES ('x')")).rejects.toMatchObject({ errcode: 11 });
    await db.close();
    open.pop();
    expect(() => openSqlite(file, { atOnceMax: 0 })).toThrow(/damaged|malformed/);
  });

  it("is not damaged because another process holds it: its check waits", async () => {
    const file = await unsealed(false);
    const holder = new DatabaseSync(file);
    holder.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    const db = new DatabaseSync(file, { readOnly: true });
    let waits = 0;
    const free = async (): Promise<void> => {
      if (++waits === 2) holder.close();
    };
    expect([await verdictWhenFree(db, free), waits]).toEqual(["ok", 2]);
    db.close();
  });

  it("is sealed at its close if its check has passed, but not if it was closed before that", async () => {
    const file = await unsealed(false);
    const hasty = openSqlite(file, { atOnceMax: 0 });
    await hasty.close();
    expect(existsSync(`${file}.seal`)).toBe(false);
    const db = openSqlite(file, { atOnceMax: 0 });
    expect(await db.damage).toBeUndefined();
    await db.run("INSERT INTO intact VALUES ('x')");
    await db.close();
    expect(existsSync(`${file}.seal`)).toBe(true);
  });
});

describe("a commit's flush", () => {
  /** A database whose flushes end when the test says so. */
  function withManualFlush() {
    const flushes: PromiseWithResolvers<void>[] = [];
    const disk = { recovered: false };
    const openFlush = () => ({
      run: () => {
        const flush = Promise.withResolvers<void>();
        if (disk.recovered) flush.resolve();
        else flushes.push(flush);
        return flush.promise;
      },
      close: () => {},
    });
    const db = openSqlite(newFile(), { openFlush });
    return {
      db,
      flushes,
      /** `recovered`: each flush succeeds at once, like that of a system that has already reported the failure. */
      disk,
      /** Runs a write and ends its flush. */
      async write(sql: string): Promise<void> {
        const written = db.run(sql);
        await expect.poll(() => flushes.length).toBe(1);
        flushes.shift()?.resolve();
        await written;
      },
    };
  }

  it("is awaited before the write resolves, and before its rows are read", async () => {
    const { db, flushes, write } = withManualFlush();
    await write("CREATE TABLE t (x INTEGER)");
    const events: string[] = [];
    const written = db.run("INSERT INTO t VALUES (1)").then(() => events.push("written"));
    await expect.poll(() => flushes.length).toBe(1);
    const read = db.all("SELECT x FROM t").then((rows) => events.push(`read ${rows.length}`));
    // Further ticks of the event loop change nothing.
    for (let tick = 0; tick < 3; tick++) await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual([]);
    flushes.shift()?.resolve();
    await Promise.all([written, read]);
    expect(events.toSorted()).toEqual(["read 1", "written"]);
    await db.close();
  });

  it("that fails rejects the write, and nothing is written any more", async () => {
    const { db, flushes, disk, write } = withManualFlush();
    await write("CREATE TABLE t (x INTEGER)");
    const written = db.run("INSERT INTO t VALUES (1)");
    await expect.poll(() => flushes.length).toBe(1);
    const failed = expect(written).rejects.toMatchObject({ errcode: 10, message: expect.stringContaining("restart") });
    flushes.shift()?.reject(new Error("EIO"));
    await failed;
    disk.recovered = true;
    await expect(db.run("INSERT INTO t VALUES (2)")).rejects.toMatchObject({ errcode: 10 });
    await db.close();
  });

  it("that fails also stops all reads, so that no unstored row is returned", async () => {
    const { db, flushes, write } = withManualFlush();
    await write("CREATE TABLE t (x INTEGER)");
    const written = db.run("INSERT INTO t VALUES (1)");
    await expect.poll(() => flushes.length).toBe(1);
    const meanwhile = db.all("SELECT x FROM t");
    const failed = Promise.all(
      [written, meanwhile].map((result) => expect(result).rejects.toMatchObject({ errcode: 10 })),
    );
    flushes.shift()?.reject(new Error("EIO"));
    await failed;
    const refused = { errcode: 10 };
    await expect(db.all("SELECT x FROM t")).rejects.toMatchObject(refused);
    await expect(db.each("SELECT x FROM t WHERE x = $1", [[1]])).rejects.toMatchObject(refused);
    await expect(db.anyOf("SELECT x FROM t WHERE x = ANY ($1)", ["1"])).rejects.toMatchObject(refused);
    await db.close();
  });

  it("continues while the next group is written; results come in the order of the commits", async () => {
    const { db, flushes, write } = withManualFlush();
    await write("CREATE TABLE t (x INTEGER)");
    const events: number[] = [];
    const insert = (x: number) => db.run("INSERT INTO t VALUES ($1)", x).then(() => events.push(x));
    const written = [insert(1)];
    await expect.poll(() => flushes.length).toBe(1);
    written.push(insert(2));
    await expect.poll(() => flushes.length).toBe(2);
    written.push(insert(3));
    flushes[1]?.resolve();
    for (let tick = 0; tick < 9; tick++) await new Promise((resolve) => setImmediate(resolve));
    // The third waits for a flush to end: a slow disk makes groups larger, not more.
    expect([events, flushes.length]).toEqual([[], 2]);
    flushes[0]?.resolve();
    await expect.poll(() => flushes.length).toBe(3);
    flushes[2]?.resolve();
    await Promise.all(written);
    expect(events).toEqual([1, 2, 3]);
    await db.close();
  });

  it("that fails also rejects what was committed after it, although that flush succeeds", async () => {
    const { db, flushes, write } = withManualFlush();
    await write("CREATE TABLE t (x INTEGER)");
    const insert = (x: number) =>
      expect(db.run("INSERT INTO t VALUES ($1)", x)).rejects.toMatchObject({
        errcode: 10,
        message: expect.stringMatching(/EIO\); repair it/),
      });
    const first = insert(1);
    await expect.poll(() => flushes.length).toBe(1);
    const second = insert(2);
    await expect.poll(() => flushes.length).toBe(2);
    flushes[1]?.resolve();
    flushes[0]?.reject(new Error("EIO"));
    await Promise.all([first, second]);
    await db.close();
  });

  it("that fails while a transaction is open also rejects that transaction, and nothing of it is committed", async () => {
    const { db, flushes, disk, write } = withManualFlush();
    await write("CREATE TABLE t (x INTEGER)");
    const committed = vi.spyOn(DatabaseSync.prototype, "exec");
    const first = expect(db.run("INSERT INTO t VALUES (1)")).rejects.toMatchObject({ errcode: 10 });
    await expect.poll(() => flushes.length).toBe(1);
    const [opened, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const second = db.transaction(async (tx) => {
      await tx.run("INSERT INTO t VALUES (2)");
      opened.resolve();
      await goOn.promise;
    });
    const rejected = expect(second).rejects.toMatchObject({ errcode: 10 });
    await opened.promise;
    // The system reports the failure once: the flush of the second commit would seem to succeed.
    disk.recovered = true;
    flushes[0]?.reject(new Error("EIO"));
    await first;
    goOn.resolve();
    await rejected;
    const commits = committed.mock.calls.filter(([sql]) => sql === "COMMIT").length;
    committed.mockRestore();
    expect(commits).toBe(1);
    await db.close();
  });

  it("is awaited before a later transaction that read its rows is rejected", async () => {
    const { db, flushes, write } = withManualFlush();
    await write("CREATE TABLE t (x INTEGER)");
    const events: string[] = [];
    const written = db.run("INSERT INTO t VALUES (1)").then(() => events.push("written"));
    await expect.poll(() => flushes.length).toBe(1);
    const failed = db
      .transaction(async (tx) => {
        const { length } = await tx.all("SELECT x FROM t");
        if (length > 0) throw new Error("taken");
      })
      .catch((error: Error) => events.push(error.message));
    for (let tick = 0; tick < 9; tick++) await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual([]);
    flushes.shift()?.resolve();
    await Promise.all([written, failed]);
    expect(events).toEqual(["written", "taken"]);
    await db.close();
  });

  it("has begun before a read in the same tick of the event loop sees the commit", async () => {
    const { db, flushes, write } = withManualFlush();
    await write("CREATE TABLE t (x INTEGER)");
    const events: number[] = [];
    const read = () => db.all("SELECT x FROM t").then((rows) => void events.push(rows.length));
    const reads: Promise<void>[] = [];
    /** Another flow, whose steps come between those of the commit. */
    async function keepReading(): Promise<void> {
      while (flushes.length === 0) {
        reads.push(read());
        await undefined;
      }
    }
    let reading: Promise<void> | undefined;
    const written = db.transaction(async (tx) => {
      await tx.run("INSERT INTO t VALUES (1)");
      reading = keepReading();
    });
    await expect.poll(() => flushes.length).toBe(1);
    for (let tick = 0; tick < 3; tick++) await new Promise((resolve) => setImmediate(resolve));
    expect(new Set(events)).toEqual(new Set([0]));
    flushes.shift()?.resolve();
    await Promise.all([written, reading, ...reads]);
    await db.close();
  });

  it("of a group that commits while the database closes is awaited, and no group begins after it", async () => {
    const { db, flushes, write } = withManualFlush();
    await write("CREATE TABLE t (x INTEGER)");
    const events: string[] = [];
    const written = db.run("INSERT INTO t VALUES (1)").then(() => {
      events.push("written");
      return db.run("INSERT INTO t VALUES (2)");
    });
    const refused = expect(written).rejects.toThrow("The database was closed");
    await expect.poll(() => flushes.length).toBe(1);
    const closed = db.close().then(() => events.push("closed"));
    for (let tick = 0; tick < 3; tick++) await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual([]);
    flushes.shift()?.resolve();
    await Promise.all([closed, refused]);
    expect(events).toEqual(["written", "closed"]);
    expect(flushes).toEqual([]);
  });

  it("of a transaction that commits while the database waits for an earlier flush to close is awaited too", async () => {
    const { db, flushes, write } = withManualFlush();
    await write("CREATE TABLE t (x INTEGER)");
    const events: string[] = [];
    const first = db.run("INSERT INTO t VALUES (1)").then(() => events.push("first"));
    await expect.poll(() => flushes.length).toBe(1);
    const [opened, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const second = db
      .transaction(async (tx) => {
        await tx.run("INSERT INTO t VALUES (2)");
        opened.resolve();
        await goOn.promise;
      })
      .then(() => events.push("second"));
    await opened.promise;
    const closed = db.close().then(() => events.push("closed"));
    goOn.resolve();
    await expect.poll(() => flushes.length).toBe(2);
    flushes[0]?.resolve();
    for (let tick = 0; tick < 9; tick++) await new Promise((resolve) => setImmediate(resolve));
    expect(events).toEqual(["first"]);
    flushes[1]?.resolve();
    await Promise.all([first, second, closed]);
    expect(events).toEqual(["first", "second", "closed"]);
  });
});

/** SQLITE_IOERR_FSYNC, as SQLite throws it. */
const failure = () => Object.assign(new Error("disk I/O error"), { errcode: 1034 });

it("a commit whose own flush failed is not tried again", async () => {
  const db = database();
  await db.run("CREATE TABLE t (x INTEGER)");
  const { exec } = DatabaseSync.prototype;
  const commits = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation(function (this: DatabaseSync, sql) {
    if (sql === "COMMIT") throw failure();
    exec.call(this, sql);
  });
  const add = (x: number) => db.run("INSERT INTO t VALUES ($1)", x);
  const outcomes = await Promise.allSettled([add(1), add(2), add(3)]);
  const tried = commits.mock.calls.filter(([sql]) => sql === "COMMIT").length;
  commits.mockRestore();
  expect([tried, outcomes.map(({ status }) => status)]).toEqual([1, Array(3).fill("rejected")]);
  await expect(add(4)).rejects.toMatchObject({ errcode: 10 });
});

describe("a checkpoint whose flush failed", () => {
  it("ends all writing and reading: the next checkpoint would seem to succeed although pages are lost", async () => {
    let fail: (error: unknown) => void = () => {};
    const db = openSqlite(newFile(), {
      openCheckpoints: (_file, onError) => {
        fail = onError;
        return { wrote: () => {}, stop: () => undefined };
      },
    });
    await db.run("CREATE TABLE t (x INTEGER)");
    // The next checkpoint repeats a failed write.
    fail(Object.assign(new Error("disk I/O error"), { errcode: 778 }));
    expect(await db.all("SELECT x FROM t")).toEqual([]);
    fail(failure());
    await expect(db.run("INSERT INTO t VALUES (1)")).rejects.toMatchObject({ errcode: 10 });
    await expect(db.all("SELECT x FROM t")).rejects.toMatchObject({ errcode: 10 });
    await db.close();
  });

  it("leaves the log beside the file when it was the last one", async () => {
    const file = newFile();
    const db = openSqlite(file);
    await db.run("CREATE TABLE t (x INTEGER)");
    const exec = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementation((sql) => {
      if (sql.includes("TRUNCATE")) throw failure();
    });
    await db.close();
    exec.mockRestore();
    expect([existsSync(`${file}-wal`), existsSync(`${file}.seal`)]).toEqual([true, false]);
  });
});
