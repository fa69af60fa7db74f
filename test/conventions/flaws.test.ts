import { expect, it } from "vitest";
import { flawsOf } from "../flaws.ts";

it.each([
  ["a b c", "a b c", { lost: 0, doubled: 0, misordered: 0 }],
  ["a b c", "a c", { lost: 1, doubled: 0, misordered: 0 }],
  ["a b c", "a b b c", { lost: 0, doubled: 1, misordered: 0 }],
  ["a b c", "b a c", { lost: 0, doubled: 0, misordered: 2 }],
  ["a b", "x a b", { lost: 0, doubled: 0, misordered: 0 }],
])(
  "the comparison that tests under faults rely on finds the flaws of %s that arrives as %s",
  (sent, arrived, flaws) => {
    expect(flawsOf(sent.split(" "), arrived.split(" "))).toEqual(flaws);
  },
);
