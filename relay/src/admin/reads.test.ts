import { expect, it } from "vitest";
import { type ListPart, mergedPage } from "./reads.ts";

/** Lists of times, the newest first, that record how many rows each read returned. */
function lists(...all: number[][]) {
  const sizes: number[] = [];
  const readers = all.map((rows) => async ({ after, skip, limit }: ListPart<number>) => {
    const begin = after === undefined ? skip : rows.indexOf(after) + 1;
    const part = rows.slice(begin, begin + limit);
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
