import { expect, it } from "vitest";
import { createPushes } from "./pushes.ts";

it("remembers the first push of each reply, and forgets the oldest replies first", () => {
  const pushes = createPushes(2);
  pushes.add("v", 1, 100);
  pushes.add("v", 1, 900);
  pushes.add("v", 12, 200);
  pushes.add("w", 1, 300);
  pushes.add("v", 1, 900);
  expect([pushes.at("v", 1), pushes.at("v", 12), pushes.at("w", 1), pushes.at("w", 2)]).toEqual([
    100,
    200,
    300,
    undefined,
  ]);
  pushes.add("w", 2, 400);
  pushes.add("w", 3, 500);
  expect([pushes.at("v", 1), pushes.at("v", 12), pushes.at("w", 1), pushes.at("w", 2), pushes.at("w", 3)]).toEqual([
    undefined,
    undefined,
    300,
    400,
    500,
  ]);
});
