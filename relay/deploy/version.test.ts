import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { releasedChangelog, withVersion } from "./version.ts";

describe("a new version", () => {
  it("gets its own heading above the unreleased changes", () => {
    const text = "# Changelog\n\n## Unreleased\n\n- New.\n\n## 1.0.0 (2026-01-01)\n\n- Old.\n";
    expect(releasedChangelog(text, "1.1.0", "2026-11-23")).toBe(
      "# Changelog\n\n## Unreleased\n\n## 1.1.0 (2026-11-23)\n\n- New.\n\n## 1.0.0 (2026-01-01)\n\n- Old.\n",
    );
  });

  it("removes the note that nothing has been released from the changelog", () => {
    const changelog = readFileSync(join(import.meta.dirname, "..", "..", "CHANGELOG.md"), "utf8");
    const released = releasedChangelog(changelog, "1.1.0", "2026-11-23");
    expect(released).toContain("\n## Unreleased\n\n## 1.1.0 (2026-11-23)\n");
    expect(released).not.toContain("Nothing has been released yet");
  });

  it("is refused while nothing is unreleased, or the heading is missing", () => {
    for (const text of [
      "# Changelog\n",
      "# Changelog\n\n## Unreleased\n\n## 1.0.0\n",
      "# Changelog\n\n## Unreleased\n",
    ])
      expect(() => releasedChangelog(text, "1.1.0", "2026-11-23")).toThrow("CHANGELOG.md");
  });

  it("is written into a package file without changing anything else", () => {
    const text = '{\n  "name": "a",\n  "version": "0.1.0",\n  "dependencies": { "b": "0.1.0" }\n}\n';
    expect(withVersion(text, "2.0.0")).toBe(text.replace('"version": "0.1.0"', '"version": "2.0.0"'));
  });
});
