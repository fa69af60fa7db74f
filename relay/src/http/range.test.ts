import { expect, it } from "vitest";
import { rangeOf } from "./range.ts";

const of = (header: string | undefined, condition?: string) => rangeOf(header, condition, '"tag"', 100);

it("parses one range: from the start, to the end, and from the end backwards", () => {
  expect(of("bytes=0-9")).toEqual({ from: 0, to: 9 });
  expect(of("bytes=90-")).toEqual({ from: 90, to: 99 });
  expect(of("bytes=-10")).toEqual({ from: 90, to: 99 });
  expect(of("bytes=-1000")).toEqual({ from: 0, to: 99 });
  expect(of("bytes=50-5000")).toEqual({ from: 50, to: 99 });
});

it("recognises ranges that cannot be satisfied", () => {
  expect(of("bytes=100-")).toBe("unsatisfiable");
  expect(of("bytes=-0")).toBe("unsatisfiable");
});

it("ignores invalid ranges, several ranges, and a range of another version", () => {
  const ignored = ["bytes=-", "bytes=9-0", "bytes=0-1,5-6", "items=0-1", "bytes=a-b", "bytes=0-9999999999999999", ""];
  for (const header of ignored) expect(of(header)).toBeUndefined();
  expect(of(undefined)).toBeUndefined();
  expect(of("bytes=0-9", '"tag"')).toEqual({ from: 0, to: 9 });
  expect(of("bytes=0-9", '"other"')).toBeUndefined();
});
