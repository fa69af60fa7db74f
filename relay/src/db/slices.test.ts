import { expect, it } from "vitest";
import { filtered, SLICE_ROWS } from "./slices.ts";

/** A list of numbers that is read in slices, and the sizes of the slices. */
function list(length: number) {
  const sizes: number[] = [];
  const read = async (after: number | undefined): Promise<number[]> => {
    const begin = after === undefined ? 0 : after + 1;
    const end = Math.min(length, begin + SLICE_ROWS);
    const slice = Array.from({ length: end - begin }, (_, n) => begin + n);
    sizes.push(slice.length);
    return slice;
  };
  return { read, sizes };
}

it("finds the rows of a part, in order, in slices of a longer list", async () => {
  const every = (step: number) => (n: number) => n % step === 0;
  for (const [step, skip, limit] of [
    [1, 0, 10],
    [7, 0, 300],
    [7, 200, 100],
    [499, 3, 2],
    [10_000, 0, 5],
  ] as const) {
    const { read } = list(3_333);
    const expected = Array.from({ length: limit }, (_, n) => (skip + n) * step).filter((n) => n < 3_333);
    expect(await filtered(read, every(step), { skip, limit })).toEqual(expected);
  }
});

it("reads no more slices than it needs, and each row once", async () => {
  expect(SLICE_ROWS).toBeLessThanOrEqual(1_000);
  const early = list(10 * SLICE_ROWS);
  expect(await filtered(early.read, () => true, { limit: SLICE_ROWS + 1 })).toHaveLength(SLICE_ROWS + 1);
  expect(early.sizes).toEqual([SLICE_ROWS, SLICE_ROWS]);
  const none = list(2 * SLICE_ROWS + 5);
  expect(await filtered(none.read, () => false, { limit: 1 })).toEqual([]);
  expect(none.sizes).toEqual([SLICE_ROWS, SLICE_ROWS, 5]);
});
