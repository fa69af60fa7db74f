import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { type ConversationPlace, messagesNamed, searchSlice } from "./search.ts";

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

/** A visitor with a message at each of these numbers, the last of which ends the thread. */
async function thread(id: string, created: number, texts: Record<number, string>): Promise<void> {
  const head = Math.max(...Object.keys(texts).map(Number));
  await db.run("INSERT INTO visitors (id, site, created, head) VALUES ($1, 'default', $2, $3)", id, created, head);
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
  let after: ConversationPlace | undefined;
  do {
    const { found, next } = await searchSlice(db, { words, site: "", state: "", after }, 30);
    all.push(found.map(({ id }) => id));
    after = next;
  } while (after !== undefined);
  return all;
}

it("searches a thread that is longer than a slice in several slices, and every other one too", async () => {
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

it("returns no more conversations than asked for", async () => {
  for (const n of [1, 2, 3]) await thread(`v${n}`, n, { 1: "a lamp" });
  const { found } = await searchSlice(db, { words: "lamp", site: "", state: "", after: undefined }, 2);
  expect(found.map(({ id }) => id)).toEqual(["v3", "v2"]);
});

it("finds messages by id and by messageSid, slice by slice", async () => {
  for (const visitor of ["a", "b", "c"]) await thread(visitor, 1, { 1: "hello", 30000: "bye" });
  async function all(kind: "id" | "sid", name: string) {
    const names: string[] = [];
    let count = 0;
    for (let after: string | undefined = ""; after !== undefined; count++) {
      const { found, next }: Awaited<ReturnType<typeof messagesNamed>> = await messagesNamed(db, { kind, name, after });
      names.push(...found.map(({ visitor, id }) => `${visitor} ${id}`));
      after = next;
    }
    return { names, count };
  }
  expect(await all("id", "m30000")).toEqual({ names: ["a m30000", "b m30000", "c m30000"], count: 4 });
  expect((await all("sid", "pl_c1")).names).toEqual(["c m1"]);
  expect((await all("sid", "m1")).names).toEqual([]);
});
