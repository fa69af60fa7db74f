import { expect, it } from "vitest";
import { setNewest } from "./bounded-map.ts";

it("drops the oldest entry above the limit; an entry that is stored again counts as the newest", () => {
  const map = new Map<string, number>();
  for (const [key, value] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
    ["c", 4],
  ] as const)
    setNewest(map, key, value, 2);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
