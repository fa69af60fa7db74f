import { describe, expect, it } from "vitest";
import { isTest, sources } from "./sources.ts";

/**
 * The open points of the service's interface and the tests that its text asks for (BEHAVIOUR 2 and 4.13), by their
 * numbers: each number occurs in a test file. Listed as ranges: first and last number.
 */
const POINTS: readonly [first: number, last: number][] = [
  [1, 14],
  [101, 106],
  [201, 210],
  [221, 246],
  [301, 307],
  [411, 411],
  [421, 426],
  [431, 436],
  [441, 442],
  [451, 457],
  [461, 466],
  [481, 486],
  [501, 506],
  [601, 614],
  [620, 625],
  [701, 702],
  [801, 805],
  [901, 902],
];
/**
 * Points that require nothing of a client: no built-in channel is used, records stay at the service, its states are not
 * read.
 */
const NO_TEST = [106, 244, 301];
/** Number of the last test that 4.13 lists. */
const LAST_TEST = 32;

const words = sources(".ts", ".tsx")
  .filter(({ path }) => isTest(path) && path !== "test/conventions/open-points.test.ts")
  .map(({ text }) => text)
  .join("\n");

const numbers = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

describe("the service's interface", () => {
  it("has a test for every open point", () => {
    const named = new Set([...words.matchAll(/\bR-(\d{3})\b/g)].map(([, number]) => Number(number)));
    for (const [, first, last] of words.matchAll(/\bR-(\d{3}) to R-(\d{3})\b/g))
      for (const number of numbers(Number(first), Number(last))) named.add(number);
    const missing = POINTS.flatMap(([first, last]) => numbers(first, last)).filter((number) => !named.has(number));
    expect(missing.filter((number) => !NO_TEST.includes(number))).toEqual([]);
  });

  it("has every test that 4.13 lists", () => {
    const named = new Set([...words.matchAll(/\b4\.13-(\d+)\b/g)].map(([, number]) => Number(number)));
    expect(numbers(1, LAST_TEST).filter((number) => !named.has(number))).toEqual([]);
  });
});
