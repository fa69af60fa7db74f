import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";

const outer = mkdtempSync(join(tmpdir(), "porchlight-"));
afterEach(() => rmSync(outer, { recursive: true }));

describe("a run of tests", () => {
  test("puts temporary files into a folder of its own, and removes it at its end", () => {
    const code = `
      import { mkdtempSync } from "node:fs";
      import { tmpdir } from "node:os";
      import { useOwnTemporaryFolder } from "${join(import.meta.dirname, "..", "setup", "temporary-folder.ts")}";
      useOwnTemporaryFolder();
      console.log(mkdtempSync(tmpdir() + "/data-"));
      process.exit(0);`;
    const env = { ...process.env, TMPDIR: outer };
    const made = execFileSync("node", ["--input-type=module", "--eval", code], { env, encoding: "utf8" }).trim();
    expect(made.startsWith(`${outer}/porchlight-`)).toBe(true);
    expect(existsSync(made)).toBe(false);
    expect(readdirSync(outer)).toEqual([]);
  });
});
