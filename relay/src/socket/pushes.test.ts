import { expect, it } from "vitest";
import { createPushes } from "./pushes.ts";

it("remembers the first push of each reply, and forgets the oldest replies first", () => {
  const pushes = createPushes(2);
  pushes.add("v", 1, 100);
  pushes.add("v", 1, 900);
  pushes.add("v", 12, 200);
  expect([pushes.at("v", 1), pushes.at("v", 12), pushes.at("w", 1)]).toEqual([100, 200, undefined]);
  pushes.add("w", 1, 300);
  expect([pushes.at("v", 1), pushes.at("v", 12), pushes.at("w", 1)]).toEqual([undefined, 200, 300]);
});
