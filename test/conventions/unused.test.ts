import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./sources.ts";

/** Runs knip with `knip.json` and returns its report, which is empty when nothing is unused. */
function unusedCode(): string {
  const knip = join(root, "node_modules", "knip", "bin", "knip.js");
  const args = [knip, "--no-progress", "--no-exit-code"];
  return execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });
}

it("finds no unused file and no unused export (node_modules/.bin/knip prints them)", () => {
  expect(unusedCode().trim()).toBe("");
});
