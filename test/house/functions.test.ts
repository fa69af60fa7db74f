import { describe, expect, it } from "vitest";
import { functionsOf, productFunctions, quantile, summary } from "./functions.ts";

/** Most lines of a function, so that it fits a screen. */
const LONGEST = 60;

/**
 * Functions that may be longer, by name, each with its reason. The list may only shrink: remove a name when its
 * function is short or gone.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

const functions = productFunctions();
const long = functions.filter(({ lines }) => lines > LONGEST);

describe("the functions of the product", () => {
  it(`have at most ${LONGEST} lines, except the listed ones (node test/house/functions.ts prints all long ones)`, () => {
    const unlisted = long.filter(({ name }) => EXCEPTIONS[name] === undefined);
    expect(unlisted.map(({ name, path, line, lines }) => `${name} has ${lines} lines: ${path}:${line}`)).toEqual([]);
  });

  it("are listed as exceptions only while they are long", () => {
    const names = new Set(long.map(({ name }) => name));
    expect(Object.keys(EXCEPTIONS).filter((name) => !names.has(name))).toEqual([]);
  });

  it("have a median of at most 9 lines and a 90th percentile of at most 25", () => {
    console.log(summary(functions));
    expect(quantile(functions, 0.5)).toBeLessThanOrEqual(9);
    expect(quantile(functions, 0.9)).toBeLessThanOrEqual(25);
  });
});

describe("the measurement of functions", () => {
  const read = (text: string): [name: string, lines: number][] =>
    functionsOf({ path: "a.ts", text }).map(({ name, lines }) => [name, lines]);

  it("counts declarations, methods, and functions assigned to a variable, directly or through a call", () => {
    expect(read("function a() {\n  return 1;\n}")).toEqual([["a", 3]]);
    expect(read("const a = async () => {\n};")).toEqual([["a", 2]]);
    expect(read("const a = wrap(() => {\n});")).toEqual([["a", 2]]);
    expect(read("class A {\n  a() {\n  }\n}")).toEqual([["a", 2]]);
    expect(read("const x = { a() {}, b: () => 1 };")).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
  });

  it("counts the lines of a function inside another one in both", () => {
    expect(read("function a() {\n  const b = () => {\n  };\n}")).toEqual([
      ["a", 4],
      ["b", 2],
    ]);
  });

  it("counts an anonymous function at the top of a file, but none inside another function", () => {
    expect(read("export default () => {\n  list.map((x) => x);\n};")).toEqual([["(anonymous)", 3]]);
  });

  it("takes the shortest length that covers the share", () => {
    const of = (...lengths: number[]) => lengths.map((lines) => ({ path: "", line: 1, name: "", lines }));
    expect([quantile(of(1, 2, 3), 0.5), quantile(of(1, 2, 3, 4), 0.5), quantile(of(5, 1), 1)]).toEqual([2, 2, 5]);
  });
});
