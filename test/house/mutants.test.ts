import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { LONG_MUTANTS } from "../faults/mutants/long.ts";
import { MUTANTS } from "../faults/mutants.ts";

const ROOT = join(import.meta.dirname, "..", "..");

it("every mistake of test/faults/mutants still has its place in the code: who moves the code moves the mistake", () => {
  const lost = [...MUTANTS, ...LONG_MUTANTS].flatMap(({ name, part = "relay", edits }) =>
    edits
      .filter(({ file, find }) => readFileSync(join(ROOT, part, "src", file), "utf8").split(find).length !== 2)
      .map(({ file, find }) => `${name}: ${file}: ${find.trim()}`),
  );
  expect(lost).toEqual([]);
});
