import { describe, expect, it } from "vitest";
import {
  type FunctionLength,
  functionsOf,
  productFunctions,
  quantile,
  summary,
  testFunctions,
  testFunctionsOf,
} from "./functions.ts";

/** Most lines of a function, so that it fits a screen. */
const LONGEST = 60;

/**
 * Functions that may be longer, by name, each with its reason. The list may only shrink: remove a name when its
 * function is short or gone.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {};

const functions = productFunctions();
const tooLong = (of: readonly FunctionLength[]) => of.filter(({ lines }) => lines > LONGEST);
const long = tooLong(functions);
const sentence = ({ name, path, line, lines }: FunctionLength) => `${name} has ${lines} lines: ${path}:${line}`;

describe("the functions of the product", () => {
  it(`have at most ${LONGEST} lines, except the listed ones (node test/conventions/functions.ts prints all long ones)`, () => {
    const unlisted = long.filter(({ name }) => EXCEPTIONS[name] === undefined);
    expect(unlisted.map(sentence)).toEqual([]);
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

it(`a test, a hook and each function of the test code has at most ${LONGEST} lines`, () => {
  expect(tooLong(testFunctions()).map(sentence)).toEqual([]);
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

  it("counts the callbacks of tests and hooks, but no body of describe and no function that defines tests", () => {
    const text = `describe("a", () => {
      beforeAll(async () => {});
      it.each([1])("b", (n) => {
        help(n);
      });
    });
    function tests(name) {
      const help = () => {
        run();
      };
      for (const one of name) it(one, help);
    }`;
    expect(testFunctionsOf({ path: "a.test.ts", text }).map(({ name, lines }) => [name, lines])).toEqual([
      ["beforeAll callback", 1],
      ["it callback", 3],
      ["help", 3],
    ]);
  });

  it("takes the shortest length that covers the share", () => {
    const of = (...lengths: number[]) => lengths.map((lines) => ({ path: "", line: 1, name: "", lines }));
    expect([quantile(of(1, 2, 3), 0.5), quantile(of(1, 2, 3, 4), 0.5), quantile(of(5, 1), 1)]).toEqual([2, 2, 5]);
  });
});
