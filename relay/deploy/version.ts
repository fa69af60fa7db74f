/**
 * Called by `npm version <version>` (its `version` script): writes the new version into every package, gives the changelog's
 * unreleased part its heading, and adds both to the commit that npm tags.
 */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const PACKAGES = ["relay", "widget", "shared"].map((name) => join(name, "package.json"));

/** Sentence of the changelog that the first release removes. */
const UNRELEASED = " Nothing has been released yet.";

/** The changelog with the unreleased changes under a version. @throws Error when nothing is unreleased */
export function releasedChangelog(text: string, version: string, day: string): string {
  const [before, after, ...more] = text.split("\n## Unreleased\n");
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error("CHANGELOG.md needs one heading ## Unreleased");
  if (after.trimStart().startsWith("## ") || after.trim() === "")
    throw new Error("CHANGELOG.md: nothing is unreleased");
  return `${before.replace(UNRELEASED, "")}\n## Unreleased\n\n## ${version} (${day})\n${after}`;
}

/** A package file with another version; the rest keeps its bytes. */
export const withVersion = (text: string, version: string): string =>
  text.replace(/("version": ")[^"]+(")/, `$1${version}$2`);

const version = process.env.npm_new_version;
if (process.argv[1] === import.meta.filename && version !== undefined) {
  for (const path of PACKAGES) {
    const file = join(ROOT, path);
    writeFileSync(file, withVersion(readFileSync(file, "utf8"), version));
  }
  const changelog = join(ROOT, "CHANGELOG.md");
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, releasedChangelog(readFileSync(changelog, "utf8"), version, day));
  execFileSync("git", ["add", "CHANGELOG.md", ...PACKAGES], { cwd: ROOT });
}
