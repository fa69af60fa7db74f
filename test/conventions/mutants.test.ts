import { globSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LONG_MUTANTS } from "../faults/mutants/long.ts";
import { applyEdits, PARTS, readSources, sourceFolder } from "../faults/mutants/place.ts";
import { MUTANTS } from "../faults/mutants.ts";

const ROOT = join(import.meta.dirname, "..", "..");

it("every edit of test/faults/mutants matches exactly one place in the code", () => {
  const sources = new Map(PARTS.map((part) => [part, readSources(part)]));
  const unmatched = [...MUTANTS, ...LONG_MUTANTS].flatMap(({ name, part = "relay", edits }) => {
    try {
      applyEdits(sources.get(part) ?? new Map(), edits);
      return [];
    } catch (error) {
      return [`The mutant "${name}": ${error instanceof Error ? error.message : String(error)}`];
    }
  });
  expect(unmatched).toEqual([]);
});

it("every unit test that a mutant names is exactly one file", () => {
  const named = MUTANTS.flatMap(({ part = "relay", killedBy }) =>
    "unit" in killedBy ? [`${sourceFolder(part)}/**/${killedBy.unit}`] : [],
  );
  expect([...new Set(named)].filter((pattern) => globSync(pattern, { cwd: ROOT }).length !== 1)).toEqual([]);
});
