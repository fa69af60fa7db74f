import { expect, it } from "vitest";
import type { Database } from "./database.ts";
import { oneReadPerTick } from "./one-read-per-tick.ts";

/** A database that counts its reads. */
function counting() {
  const state = { reads: 0 };
  const all = async () => {
    state.reads++;
    return [];
  };
  return { state, db: { all } as unknown as Database };
}

it("reads for all pages take turns: one per tick of the event loop", async () => {
  const { state, db } = counting();
  const paced = oneReadPerTick(db);
  let most = 0;
  let done = false;
  const watch = (before: number): void => {
    most = Math.max(most, state.reads - before);
    if (!done) setImmediate(watch, state.reads);
  };
  watch(0);
  await Promise.all(Array.from({ length: 50 }, () => paced.all("SELECT 1")));
  done = true;
  expect([state.reads, most]).toEqual([50, 1]);
});

it("a read that fails lets the next one begin", async () => {
  const { db } = counting();
  let fails = true;
  const paced = oneReadPerTick({
    ...db,
    all: async () => {
      if (!fails) return [];
      fails = false;
      throw new Error("no such table");
    },
  });
  const both = await Promise.allSettled([paced.all("SELECT 1"), paced.all("SELECT 1")]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
});
