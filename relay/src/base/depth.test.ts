import { expect, it } from "vitest";
import { tooDeep } from "./depth.ts";

it("accepts JSON up to the depth limit, and refuses deeper JSON", () => {
  expect(tooDeep(`${"[".repeat(16)}${"]".repeat(16)}`, 16)).toBe(false);
  expect(tooDeep(`${"[".repeat(17)}${"]".repeat(17)}`, 16)).toBe(true);
  expect(tooDeep(`{"x":${"[".repeat(30_000)}`, 16)).toBe(true);
});

it("does not count brackets inside strings, even after escaped quotes", () => {
  expect(tooDeep(JSON.stringify({ text: `"\\${"[{".repeat(50)}` }), 2)).toBe(false);
});
