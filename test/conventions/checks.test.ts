import { expect, it } from "vitest";
import { sources } from "./sources.ts";

/** The number of checks in WIDGET 9. */
const CHECKS = 76;

it("every check of the widget has a test whose title begins with its number", () => {
  const tests = sources(".ts").filter(({ path }) => /^test\/browser\/checks\/(?!.*\.full\.test).*\.ts$/.test(path));
  const numbers = new Set(
    tests.flatMap(({ text }) => [...text.matchAll(/\bit\(\s*["`](\d+) /g)].map(([, n]) => Number(n))),
  );
  const missing = Array.from({ length: CHECKS }, (_, at) => at + 1).filter((number) => !numbers.has(number));
  expect(missing).toEqual([]);
});
