import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { type ConversationCursor, type IdKind, messagesWithId, searchSlice, visitorIdsMatching } from "./search.ts";
import { appendReply, appendSent, markMessage, numbersOf } from "./threads.ts";
import { addVisitor } from "./visitors.ts";

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

/** A visitor with a message at each of these numbers, the last of which ends the thread. `active`: when it was written. */
async function thread(id: string, active: number, texts: Record<number, string>): Promise<void> {
  const head = Math.max(0, ...Object.keys(texts).map(Number));
  await db.run(
    "INSERT INTO visitors (id, site, created, active, head) VALUES ($1, 'default', 1, $2, $3)",
    id,
    active,
    head,
  );
  for (const [pos, text] of Object.entries(texts))
    await db.run(
      `INSERT INTO messages (visitor, pos, n, id, author, at, text, state, sid)
       VALUES ($1, $2, $2, $3, 'visitor', $2, $4, 'sent', $5)`,
      id,
      Number(pos),
      `m${pos}`,
      text,
      `pl_${id}${pos}`,
    );
}

/** Every slice of a search: the visitors that it found. */
async function slices(words: string): Promise<string[][]> {
  const all: string[][] = [];
  let after: ConversationCursor | undefined;
  do {
    const { found, next } = await searchSlice(db, { words, site: "", state: "", after }, 30);
    all.push(found.map(({ id }) => id));
    after = next;
  } while (after !== undefined);
  return all;
}

it("searches a thread that is longer than a slice in several slices, and all shorter threads as well", async () => {
  await thread("new", 3, { 1: "a lamp" });
  await thread("long", 2, { 1: "hello", 1900: "hello", 7500: "the LAMP" });
  await thread("old", 1, { 1: "a lamp", 2: "hello" });
  expect((await slices("lamp")).filter((found) => found.length > 0)).toEqual([["new"], ["long"], ["old"]]);
  // Four of the long thread: to 2,000, to 4,000, to 6,000, and its end.
  expect(await slices("lamp")).toHaveLength(6);
  expect((await slices("hello")).flat()).toEqual(["long", "old"]);
  expect((await slices("nowhere")).flat()).toEqual([]);
  expect((await slices("")).flat()).toEqual(["new", "long", "old"]);
});

it("finds words in every script whatever their case", async () => {
  await thread("norwegian", 2, { 1: "Når kommer ØLET mitt til Århus?" });
  await thread("russian", 1, { 1: "Привет! Где моя лампа?" });
  for (const words of ["ØLET", "Ølet", "ølet", "århus", "ÅRHUS", "til"])
    expect((await slices(words)).flat(), words).toEqual(["norwegian"]);
  for (const words of ["привет", "ПРИВЕТ", "Лампа"]) expect((await slices(words)).flat(), words).toEqual(["russian"]);
});

it("lists the conversation with the newest message first, whichever side wrote it and whoever came first", async () => {
  const minute = 60_000;
  for (const [n, id] of ["first", "second", "third"].entries())
    await addVisitor(db, id, n === 1 ? "b" : "a", n * minute);
  expect((await slices("")).flat()).toEqual(["third", "second", "first"]);
  const numbers = await numbersOf(db, ["second"]);
  await appendSent(db, numbers, [{ visitor: "second", id: "m1", text: "hello", at: 10 * minute, sid: "pl_1" }]);
  await numbers.write(db);
  expect((await slices("")).flat()).toEqual(["second", "third", "first"]);
  await appendReply(db, { visitor: "first", id: "r1", text: "hello", at: 20 * minute, external: "a:1" });
  expect((await slices("")).flat()).toEqual(["first", "second", "third"]);
  await markMessage(db, "second", 1, "delivered");
  expect((await slices("")).flat()).toEqual(["first", "second", "third"]);
  const query = { words: "", site: "a", state: "", after: undefined };
  expect((await searchSlice(db, query, 30)).found.map(({ id }) => id)).toEqual(["first", "third"]);
});

it("finds messages of a period, and stops at older conversations", async () => {
  const minute = 60_000;
  for (let n = 1; n <= 600; n++) await thread(`v${n}`, n * minute, {});
  for (const n of [100, 590])
    await appendReply(db, { visitor: `v${n}`, id: "r", text: "hello", at: n * minute, external: `a:${n}` });
  const query = { words: "", site: "", state: "", from: 590 * minute, after: undefined };
  const { found, next } = await searchSlice(db, query, 30);
  expect([found.map(({ id }) => id), next]).toEqual([["v590"], undefined]);
  const until = { ...query, from: 100 * minute, to: 101 * minute };
  const first = await searchSlice(db, until, 30);
  expect(first.found).toEqual([]);
  const second = await searchSlice(db, { ...until, after: first.next }, 30);
  expect(second.found.map(({ id }) => id)).toEqual(["v100"]);
});

it("returns no more conversations than asked for", async () => {
  for (const n of [1, 2, 3]) await thread(`v${n}`, n, { 1: "a lamp" });
  const { found } = await searchSlice(db, { words: "lamp", site: "", state: "", after: undefined }, 2);
  expect(found.map(({ id }) => id)).toEqual(["v3", "v2"]);
});

it("finds messages by id and by messageSid, and replies by id, slice by slice", async () => {
  for (const visitor of ["a", "b", "c"]) await thread(visitor, 1, { 1: "hello", 30000: "bye" });
  await appendReply(db, { visitor: "b", id: "r_1", text: "hi", at: 1, external: "main:1" });
  async function all(kind: IdKind, id: string) {
    const names: string[] = [];
    let count = 0;
    for (let after: string | undefined = ""; after !== undefined; count++) {
      const { found, next }: Awaited<ReturnType<typeof messagesWithId>> = await messagesWithId(db, { kind, id, after });
      names.push(...found.map((each) => `${each.visitor} ${each.id}`));
      after = next;
    }
    return { names, count };
  }
  expect(await all("id", "m30000")).toEqual({ names: ["a m30000", "b m30000", "c m30000"], count: 4 });
  expect((await all("sid", "pl_c1")).names).toEqual(["c m1"]);
  expect((await all("sid", "m1")).names).toEqual([]);
  expect([(await all("reply", "r_1")).names, (await all("id", "r_1")).names]).toEqual([["b r_1"], []]);
});

it("finds visitors by a property of their ids, slice by slice", async () => {
  const ids = Array.from({ length: 2_500 }, (_, n) => `v${n}`).toSorted();
  await db.run(
    `INSERT INTO visitors (id, site, created, active, head) VALUES ${ids.map((id) => `('${id}', 'default', 1, 1, 0)`).join()}`,
  );
  const matches = (id: string): boolean => id === "v999";
  const first = await visitorIdsMatching(db, { matches, after: "" });
  expect(first).toEqual({ found: [], next: ids[1_999] });
  expect(await visitorIdsMatching(db, { matches, after: ids[1_999] ?? "" })).toEqual({
    found: ["v999"],
    next: undefined,
  });
});

it("finds every character as it is, whatever it means in a pattern", async () => {
  await thread("a", 3, { 1: "100 % of_it \\ here" });
  await thread("b", 2, { 1: "100 percent often" });
  for (const words of ["100 %", "of_it", "_it \\", "% OF"]) expect((await slices(words)).flat()).toEqual(["a"]);
});

it("compares words by `strpos`, because LIKE takes the product of both lengths for texts of one letter (A32)", async () => {
  const statements: string[] = [];
  const all: Database["all"] = (sql, ...values) => {
    statements.push(sql);
    return db.all(sql, ...values);
  };
  await thread("a", 3, { 1: "aaaa" });
  await searchSlice({ ...db, all }, { words: "aab", site: "", state: "", after: undefined }, 30);
  expect(statements.filter((sql) => /\(t\.text\) LIKE|\(d\.email\) LIKE/.test(sql))).toEqual([]);
  expect(statements.some((sql) => sql.includes("strpos(lower(t.text)"))).toBe(true);
});
