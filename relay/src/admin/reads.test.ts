import { expect, it } from "vitest";
import type { Database } from "../db/database.ts";
import { inTurns, mergedPage } from "./reads.ts";

/** A database that counts its reads. */
function counting() {
  const state = { reads: 0 };
  const all = async () => {
    state.reads++;
    return [];
  };
  return { state, db: { all } as unknown as Database };
}

it("reads for all pages take turns: one in a turn of the event loop", async () => {
  const { state, db } = counting();
  const turns = inTurns(db);
  let most = 0;
  let done = false;
  const watch = (before: number): void => {
    most = Math.max(most, state.reads - before);
    if (!done) setImmediate(watch, state.reads);
  };
  watch(0);
  await Promise.all(Array.from({ length: 50 }, () => turns.all("SELECT 1")));
  done = true;
  expect([state.reads, most]).toEqual([50, 1]);
});

it("a read that fails lets the next one begin", async () => {
  const { db } = counting();
  let fails = true;
  const turns = inTurns({
    ...db,
    all: async () => {
      if (!fails) return [];
      fails = false;
      throw new Error("no such table");
    },
  });
  const both = await Promise.allSettled([turns.all("SELECT 1"), turns.all("SELECT 1")]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
});

/** Lists of times, the newest first, which note the largest number of rows that they gave at once. */
function lists(...all: number[][]) {
  const sizes: number[] = [];
  const readers = all.map((rows) => async ({ skip, limit }: { skip: number; limit: number }) => {
    const part = rows.slice(skip, skip + limit);
    sizes.push(part.length);
    return part;
  });
  return { readers, sizes };
}

const timeOf = (time: number): number => time;

it.each([0, 100, 250, 700, 5_000])("merges lists, newest first, %i rows before the page", async (skip) => {
  const parts: number[][] = [[], [], [], []];
  for (let time = 6_000; time > 0; time--) parts[time % 7 === 0 ? 0 : time % 5 === 0 ? 1 : 2]?.push(time);
  const { readers } = lists(...parts);
  const expected = Array.from({ length: 101 }, (_, n) => 6_000 - skip - n).filter((time) => time > 0);
  expect(await mergedPage(readers, timeOf, skip)).toEqual(expected);
});

it("reads a few hundred rows at once at most, however many are before the page (A24)", async () => {
  for (const count of [1, 2, 20]) {
    const { readers, sizes } = lists(
      ...Array.from({ length: count }, () => Array.from({ length: 9_000 }, (_, n) => -n)),
    );
    expect(await mergedPage(readers, timeOf, 8_000)).toHaveLength(101);
    expect(Math.max(...sizes) * count).toBeLessThanOrEqual(200);
  }
});

it("ends with the lists", async () => {
  expect(await mergedPage(lists([3, 1], [2]).readers, timeOf, 0)).toEqual([3, 2, 1]);
  expect(await mergedPage(lists([3, 1], [2]).readers, timeOf, 5)).toEqual([]);
  expect(await mergedPage<number>([], timeOf, 0)).toEqual([]);
});
