import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase } from "./database.fixture.ts";
import type { Database, Transaction } from "./database.ts";

/** What `records/` may expect of each kind of database: the project `postgres` runs this file too. */

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await db.run("CREATE TABLE IF NOT EXISTS t (id TEXT PRIMARY KEY, x BIGINT NOT NULL, note TEXT)");
});
afterEach(async () => {
  await db.run("DROP TABLE t");
  await db.close();
});

const add = (tx: Transaction, id: string, x: number): Promise<number> =>
  tx.run("INSERT INTO t (id, x) VALUES ($1, $2)", id, x);
const rows = (): Promise<unknown[]> => db.all("SELECT id, x FROM t ORDER BY id");

describe("a transaction", () => {
  it("keeps all of its writes or none", async () => {
    const failing = db.transaction(async (tx) => {
      await add(tx, "a", 1);
      throw new Error("on purpose");
    });
    await expect(failing).rejects.toThrow("on purpose");
    expect(await rows()).toEqual([]);
  });

  it("fails alone: the other jobs of its group are kept", async () => {
    const outcomes = await Promise.allSettled(["a", "a", "b"].map((id) => db.transaction((tx) => add(tx, id, 1))));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "fulfilled", "rejected"]);
    expect(await rows()).toEqual([
      { id: "a", x: 1 },
      { id: "b", x: 1 },
    ]);
  });

  it("rejects and stores nothing when a write fails that nothing awaited; the other jobs of its group are stored", async () => {
    const insert = (...ids: string[]) =>
      db.transaction(async (tx) => {
        for (const id of ids) await tx.runEach("INSERT INTO t (id, x) VALUES ($1, $2)", [[id, 1]]);
        await tx.runEach("UPDATE t SET x = x + $2 WHERE id = $1", [[ids[0] ?? "", 1]]);
        return ids.length;
      });
    const outcomes = await Promise.allSettled([insert("a"), insert("b", "c", "b"), insert("d")]);
    expect(outcomes).toEqual([
      { status: "fulfilled", value: 1 },
      { status: "rejected", reason: expect.objectContaining({ message: expect.stringMatching(/unique/i) }) },
      { status: "fulfilled", value: 1 },
    ]);
    expect(await rows()).toEqual([
      { id: "a", x: 2 },
      { id: "d", x: 2 },
    ]);
  });

  it.each([
    ["without a key", undefined],
    ["with a key", ["a"]],
  ])("%s sees the writes of every earlier one: fifty that read and then write lose no write", async (_, key) => {
    await db.transaction((tx) => add(tx, "a", 0));
    await Promise.all(
      Array.from({ length: 50 }, () =>
        db.transaction(async (tx) => {
          const [row] = await tx.all<{ x: number }>("SELECT x FROM t WHERE id = 'a'");
          await tx.run("UPDATE t SET x = $1 WHERE id = 'a'", (row?.x ?? 0) + 1);
        }, key),
      ),
    );
    expect(await rows()).toEqual([{ id: "a", x: 50 }]);
  });

  it("may lock more later, also when two of them lock each other's key", async () => {
    await db.transaction((tx) => add(tx, "a", 0));
    await db.transaction((tx) => add(tx, "b", 0));
    const move = (from: string, to: string) =>
      db.transaction(
        async (tx) => {
          await tx.run("UPDATE t SET x = x - 1 WHERE id = $1", from);
          await tx.lock([to]);
          const [row] = await tx.all<{ x: number }>("SELECT x FROM t WHERE id = $1", to);
          await tx.run("UPDATE t SET x = $2 WHERE id = $1", to, (row?.x ?? 0) + 1);
        },
        [from],
      );
    await Promise.all(Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? move("a", "b") : move("b", "a"))));
    expect(await rows()).toEqual([
      { id: "a", x: 0 },
      { id: "b", x: 0 },
    ]);
  });
});

describe("a batch", () => {
  it("hands items that arrive together to their work as lists, and gives each its own result", async () => {
    const lists: number[] = [];
    const work = async (tx: Transaction, items: readonly string[]): Promise<string[]> => {
      lists.push(items.length);
      await tx.runEach(
        "INSERT INTO t (id, x) VALUES ($1, $2)",
        items.map((id) => [id, 7]),
      );
      return items.map((id) => `${id}!`);
    };
    const ids = Array.from({ length: 30 }, (_, i) => `id-${i}`);
    expect(await Promise.all(ids.map((id) => db.append(work, id, [id])))).toEqual(ids.map((id) => `${id}!`));
    expect(lists.length).toBeLessThan(30);
    expect(await rows()).toHaveLength(30);
  });

  it("keeps the order of items with the same key", async () => {
    const work = async (tx: Transaction, items: readonly number[]): Promise<undefined[]> => {
      for (const item of items)
        await tx.run(
          `INSERT INTO t (id, x, note) VALUES ('a', 0, $1)
           ON CONFLICT (id) DO UPDATE SET note = t.note || excluded.note`,
          `${item},`,
        );
      return items.map(() => undefined);
    };
    for (let i = 0; i < 20; i++) {
      void db.append(work, i, ["a"]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await db.append(work, 20, ["a"]);
    expect(await db.all("SELECT note FROM t")).toEqual([
      { note: Array.from({ length: 21 }, (_, i) => `${i},`).join("") },
    ]);
  });
});

describe("a statement for many lists", () => {
  it("returns the first row of each run, and nothing for a run without rows", async () => {
    await db.transaction((tx) => add(tx, "a", 1));
    await db.transaction((tx) => add(tx, "b", 2));
    expect(
      await db.each("SELECT x FROM t WHERE id = $1 OR x = $2", [
        ["a", 0],
        ["c", 0],
        ["", 2],
      ]),
    ).toEqual([{ x: 1 }, undefined, { x: 2 }]);
  });

  it("inserts, updates and deletes", async () => {
    await db.runEach("INSERT INTO t (id, x, note) VALUES ($1, $2, $3)", [
      ["a", 1, null],
      ["b", 2, 'it\'s {1,"2"}\\'],
    ]);
    await db.runEach("INSERT INTO t (id, x) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET x = excluded.x", [["a", 5]]);
    await db.runEach(
      "INSERT INTO t (id, x) SELECT $1, CAST($2 AS BIGINT) WHERE NOT EXISTS (SELECT 1 FROM t WHERE id = $1)",
      [
        ["b", 9],
        ["c", 3],
      ],
    );
    await db.runEach("UPDATE t SET x = x + $2 WHERE id = $1", [["c", 10]]);
    expect(await db.all("SELECT id, x, note FROM t ORDER BY id")).toEqual([
      { id: "a", x: 5, note: null },
      { id: "b", x: 2, note: 'it\'s {1,"2"}\\' },
      { id: "c", x: 13, note: null },
    ]);
    await db.runEach("DELETE FROM t WHERE id = $1 AND x = $2", [
      ["a", 5],
      ["b", 5],
    ]);
    expect(await rows()).toHaveLength(2);
  });

  it("names the rows that a statement for many rows removed", async () => {
    await db.transaction((tx) => add(tx, "a", 5));
    const lists = [
      ["b", 5],
      ["a", 5],
      ["a", 6],
    ];
    const remove = (tx: Transaction) => tx.each("DELETE FROM t WHERE id = $1 AND x = $2 RETURNING id", lists);
    expect(await db.transaction(remove)).toEqual([undefined, { id: "a" }, undefined]);
  });
});

it("returns numbers as numbers, also sums and counts", async () => {
  await db.transaction((tx) => add(tx, "a", 1_800_000_000_000));
  expect(await db.all("SELECT x, sum(x) AS s, count(*) AS c FROM t GROUP BY x")).toEqual([
    { x: 1_800_000_000_000, s: 1_800_000_000_000, c: 1 },
  ]);
});

it("looks for a text with NUL without an error, and finds nothing", async () => {
  await db.transaction((tx) => add(tx, "a", 1));
  expect(await db.all("SELECT id FROM t WHERE id = $1", "a\0")).toEqual([]);
  expect(await db.transaction((tx) => tx.anyOf("SELECT id FROM t WHERE id = ANY ($1)", ["a\0", "a"]))).toEqual([
    { id: "a" },
  ]);
  expect(await db.transaction((tx) => tx.each("SELECT id FROM t WHERE id = $1", [["a\0"], ["a"]]))).toEqual([
    undefined,
    { id: "a" },
  ]);
});

it("sorts texts by their bytes", async () => {
  for (const id of ["b", "B", "a", "A", "_", "ä"]) await db.transaction((tx) => add(tx, id, 1));
  expect((await db.all<{ id: string }>("SELECT id FROM t ORDER BY id")).map(({ id }) => id)).toEqual([..."AB_ab", "ä"]);
});

describe("reads that come together", () => {
  const above = (x: number | null): Promise<unknown[]> =>
    db.all("SELECT id FROM t WHERE x > $1 ORDER BY x DESC LIMIT $2", x, 2);

  it("each get their own rows in their own order, or none", async () => {
    await db.runEach("INSERT INTO t (id, x) VALUES ($1, $2)", [
      ["a", 1],
      ["b", 2],
      ["c", 3],
    ]);
    expect(await Promise.all([above(0), above(2), above(3), above(null), above(1)])).toEqual([
      [{ id: "c" }, { id: "b" }],
      [{ id: "c" }],
      [],
      [],
      [{ id: "c" }, { id: "b" }],
    ]);
    const first = (id: string) => db.each("SELECT x FROM t WHERE id = $1", [[id]]);
    expect(await Promise.all(["b", "none", "a"].map(first))).toEqual([[{ x: 2 }], [undefined], [{ x: 1 }]]);
  });

  it("fail alone", async () => {
    await add(db, "a", 1);
    await db.run("UPDATE t SET note = '7' WHERE id = 'a'");
    const divided = (by: number) =>
      db.all("SELECT CAST(note AS BIGINT) / $1 AS x FROM t WHERE length($2) > 0", by, "a");
    const broken = db.all("SELECT CAST(note AS BIGINT) / $1 AS x FROM missing WHERE length($2) > 0", 1, "a");
    const [good, bad] = await Promise.allSettled([divided(2), broken]);
    expect([good.status, bad.status]).toEqual(["fulfilled", "rejected"]);
    if (db.dialect === "sqlite") return;
    // Only PostgreSQL refuses to divide by zero.
    const results = await Promise.allSettled([divided(7), divided(0), divided(1)]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });
});
