import { expect, it } from "vitest";
import { applyEdit, applyEdits, type Edit } from "./place.ts";

const SOURCE = `
export function createPool({ size }: { size: number }) {
  const free = new Set<number>();
  const LIMIT = 1 << 3;
  async function take(name: string): Promise<boolean> {
    // How many there are.
    if (free.size > LIMIT && (name as string | undefined) !== undefined) {
      return false;
    }
    await store.add(
      name,
      1,
    );
    return true;
  }
  return { take, sql: \`SELECT name
    FROM names\`, maxSize: size };
}`;
const sources = new Map([["flows/pool.ts", SOURCE]]);
const edited = (edit: Edit, from = sources): string => applyEdit(from, edit).text;

it("an edit finds its place despite other line breaks, comments, braces and types", () => {
  const edit = { find: "if ($full && name !== undefined) return false; await store.add(name, $count);", replace: "" };
  expect(edited(edit)).toMatch(/Promise<boolean> \{\s*\/\/ How many there are\.\s*;\s*return true;/);
});

it("the replacement repeats the code that the wildcards matched", () => {
  expect(edited({ find: "await store.add($$given)", replace: "$0, void [$$given]" })).toMatch(
    /await store\.add\(\s*name,\s*1,\s*\), void \[name,\s*1\];/,
  );
});

it("an edit without a pattern replaces the value of a constant or property, or the body of a function", () => {
  expect(edited({ in: "LIMIT", replace: "0" })).toContain("const LIMIT = 0;");
  expect(edited({ in: "createPool.maxSize", replace: "0" })).toContain("maxSize: 0 }");
  expect(edited({ in: "pool.take", replace: "{ return false; }" })).toContain("Promise<boolean> { return false; }");
});

it("an edit of text matches only in strings, with any white space", () => {
  expect(edited({ text: "SELECT name FROM names", replace: "SELECT 1" })).toContain("sql: `SELECT 1`");
  expect(edited({ text: "INDEX b", replace: "x" }, new Map([["001.sql", "CREATE INDEX\n b ON c;"]]))).toBe(
    "CREATE x ON c;",
  );
});

it("an edit finds its place after the file was renamed", () => {
  const edit = { in: "take", find: "free.size > LIMIT", replace: "false" };
  expect(edited(edit, new Map([["pools/other.ts", SOURCE]]))).toContain("if (false &&");
});

it("an edit whose place does not exist, or exists twice, fails and names the place", () => {
  expect(() => edited({ in: "gone", find: "free.size", replace: "0" })).toThrow("not found: in gone: free.size");
  expect(() => edited({ find: "free.length", replace: "0" })).toThrow("not found: free.length");
  const two = new Map([...sources, ["flows/copy.ts", SOURCE]]);
  expect(() => edited({ find: "free.size", replace: "0" }, two)).toThrow(
    "found 2 times (flows/pool.ts, flows/copy.ts): free.size",
  );
});

it("an edit that leaves invalid code fails", () => {
  expect(() => edited({ find: "free.size", replace: "(" })).toThrow("flows/pool.ts");
});

it("edits build on each other", () => {
  const edits = [
    { find: "free.size", replace: "free.length" },
    { find: "free.length > LIMIT", replace: "true" },
  ];
  expect(applyEdits(sources, edits).get("flows/pool.ts")).toContain("if (true &&");
});
