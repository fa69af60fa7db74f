import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeFolder } from "./folder.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "porchlight-"));
});
afterEach(() => rmSync(root, { recursive: true }));

it("creates a missing folder, and keeps an existing one", () => {
  makeFolder(join(root, "a", "b"), 0o700);
  makeFolder(join(root, "a", "b"));
  expect(statSync(join(root, "a", "b")).mode & 0o777).toBe(0o700);
});

it("reports what blocks the folder instead of retrying forever", () => {
  writeFileSync(join(root, "file"), "");
  for (const path of [join(root, "file"), join(root, "file", "below")])
    expect(() => makeFolder(path)).toThrow(expect.objectContaining({ code: "ENOTDIR" }));
  expect(() => makeFolder("/proc/porchlight/below")).toThrow(/ENOENT/);
});
