import { describe, expect, it } from "vitest";
import { cycle, type Import, importsOf, longestChain, resolved } from "./imports.ts";
import { isTest, sources } from "./sources.ts";

/**
 * The floors of ARCHITECTURE.md: imports only point to a lower floor. Files of one unit (`unitOf`) may import each
 * other; units on the same floor may only import types from each other.
 */
const FLOORS: [floor: number, pattern: RegExp][] = [
  [0, /^shared\/[\w-]+\.ts$/],

  [1, /^relay\/src\/base\//],
  [2, /^relay\/src\/((db|bus|service|files|hooks)\/)/],
  [3, /^relay\/src\/records\//],
  [4, /^relay\/src\/flows\//],
  [5, /^relay\/src\/(socket|http|admin)\//],
  [6, /^relay\/src\/(wiring\/|(app|client)\.ts$)/],
  [7, /^relay\/src\/relay\.ts$/],
  [8, /^relay\/src\/cli\//],
  [9, /^relay\/src\/cli\.ts$/],

  [1, /^widget\/src\/(locales|settings)\//],
  [2, /^widget\/src\/loader\//],
  [3, /^widget\/src\/(text|conversation)\//],
  [4, /^widget\/src\/(panel\/base|tag-page)\//],
  [5, /^widget\/src\/panel\/(composer|files|forms)\//],
  [6, /^widget\/src\/panel\/thread\//],
  [7, /^widget\/src\/panel\/start\//],
  [8, /^widget\/src\/panel\/main\//],
];

/** Most files of a chain of imports, from an entry point of the relay such as `cli.ts` or `demo/main.ts`. */
const LONGEST_CHAIN = 8;

const all = sources(".ts", ".tsx");
const imports = resolved(all).filter(({ to }) => !/\.css(\?|$)/.test(to));
const built = imports.filter(({ from }) => !isTest(from));

const floorOf = (path: string): number | undefined => FLOORS.find(([, pattern]) => pattern.test(path))?.[0];
/**
 * The unit that a file belongs to: its folder, like `relay/src/db` or `shared`. In `records` and `flows` each file is a unit
 * of its own, and so is each of their subfolders; in `panel` each subfolder.
 */
const unitOf = (path: string): string =>
  /^(shared|relay\/src\/(records|flows)\/[\w-]+|widget\/src\/panel\/[\w-]+|(relay|widget)\/src\/(?!(records|flows|panel)\/)[\w-]+)(?=\/)/.exec(
    path,
  )?.[0] ?? path;
const partOf = (path: string): string => /^(shared|widget|relay\/\w+|test)(?=\/)/.exec(path)?.[0] ?? path;
const sentence = ({ from, to, typeOnly }: Import): string => `${from} imports ${typeOnly ? "a type of " : ""}${to}`;

function breaksFloors({ from, to, typeOnly }: Import): boolean {
  const upper = floorOf(from);
  const lower = floorOf(to);
  if (upper === undefined || lower === undefined || unitOf(from) === unitOf(to)) return false;
  return typeOnly ? lower > upper : lower >= upper;
}

describe("the floors of the code", () => {
  it("gives every source file of shared, relay and widget a floor", () => {
    const withoutFloor = all
      .map(({ path }) => path)
      .filter((path) => /^(shared|relay\/src|widget\/src)\//.test(path) && !isTest(path))
      .filter((path) => floorOf(path) === undefined);
    expect(withoutFloor).toEqual([]);
  });

  it("lets imports point down only, and sideways for types only", () => {
    expect(built.filter(breaksFloors).map(sentence)).toEqual([]);
  });

  it("has no cycle of files that import each other, in tests too", () => {
    expect(cycle(imports)).toBeUndefined();
  });

  it("has no cycle of files that import each other's types, in tests too", () => {
    const withTypes = imports.map((entry) => ({ ...entry, typeOnly: false }));
    expect(cycle(withTypes)).toBeUndefined();
  });

  it(`keeps every chain of the relay's imports within ${LONGEST_CHAIN} files`, () => {
    const own = built.filter(({ to }) => to.startsWith("relay/src/"));
    const chains = [...new Set(own.map(({ from }) => from))].map((root) => longestChain(own, root));
    const tooLong = chains.filter(({ length }) => length > LONGEST_CHAIN).map((chain) => chain.join(" > "));
    expect(chains.length).toBeGreaterThan(100);
    expect(tooLong).toEqual([]);
  });

  it("keeps widget and relay apart, in tests too", () => {
    const parts = imports.map((entry) => ({ entry, from: partOf(entry.from), to: partOf(entry.to) }));
    const crossing = parts.filter(
      ({ from, to }) =>
        (from.startsWith("widget") && to.startsWith("relay")) || (from.startsWith("relay") && to.startsWith("widget")),
    );
    expect(crossing.map(({ entry }) => sentence(entry))).toEqual([]);
  });

  it("keeps the sandbox and the demo out of the relay", () => {
    const wrong = built.filter(({ from, to }) => from.startsWith("relay/src/") && /^relay\/(sandbox|demo)\//.test(to));
    expect(wrong.map(sentence)).toEqual([]);
  });

  it("lets nothing that ships import a test", () => {
    expect(built.filter(({ to }) => isTest(to)).map(sentence)).toEqual([]);
  });

  it("keeps shared free of packages and of Node", () => {
    const wrong = built.filter(({ from, to }) => partOf(from) === "shared" && partOf(to) !== "shared");
    expect(wrong.map(sentence)).toEqual([]);
  });

  it("keeps Node out of the widget", () => {
    const wrong = built.filter(({ from, to }) => from.startsWith("widget/src/") && to.startsWith("node:"));
    expect(wrong.map(sentence)).toEqual([]);
  });
});

describe("the reader of imports", () => {
  const read = (text: string): [string, boolean][] =>
    importsOf({ path: "a.ts", text }).map(({ to, typeOnly }) => [to, typeOnly]);

  it("finds static, type, re-export, side-effect and dynamic imports", () => {
    expect(read('import { a } from "./a.ts";')).toEqual([["./a.ts", false]]);
    expect(read('import {\n  a,\n  b,\n} from "./a.ts";')).toEqual([["./a.ts", false]]);
    expect(read('import type { A } from "./a.ts";')).toEqual([["./a.ts", true]]);
    expect(read('export * from "./a.ts";')).toEqual([["./a.ts", false]]);
    expect(read('import "./a.css";')).toEqual([["./a.css", false]]);
    expect(read('const a = await import("./a.ts");')).toEqual([["./a.ts", false]]);
    expect(read('type A = typeof import("./a.ts");')).toEqual([["./a.ts", true]]);
  });

  it("does not mistake a comment or a string for an import", () => {
    expect(read(' * import { a } from "./a.ts";')).toEqual([]);
    expect(read('export const from = "x";')).toEqual([]);
  });

  it("finds the longest chain of imports by value", () => {
    const edge = (from: string, to: string, typeOnly = false): Import => ({ from, to, typeOnly });
    const all = [edge("a", "b"), edge("a", "c"), edge("c", "d"), edge("d", "e", true)];
    expect(longestChain(all, "a")).toEqual(["a", "c", "d"]);
  });

  it("finds a cycle by value, but none that includes a type import", () => {
    const edge = (from: string, to: string, typeOnly = false): Import => ({ from, to, typeOnly });
    expect(cycle([edge("a", "b"), edge("b", "c"), edge("c", "b")])).toEqual(["b", "c", "b"]);
    expect(cycle([edge("a", "b"), edge("b", "a", true)])).toBeUndefined();
  });
});
