import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./sources.ts";
import { documents } from "./tables.ts";

it.each(documents())(
  "$path has current tables (node test/conventions/tables.ts updates them)",
  ({ written, renewed }) => {
    expect(written.split("\n")).toEqual(renewed.split("\n"));
  },
);

it("keeps the README within 160 lines: details belong in the guides", () => {
  expect(readFileSync(join(root, "README.md"), "utf8").split("\n").length).toBeLessThanOrEqual(160);
});
