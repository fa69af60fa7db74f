/**
 * Keeps the widget's files of former builds. A page that was opened before an upgrade may request files of its own build after
 * the upgrade (WIDGET 2.3).
 */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Files are kept this long (ms) after their build was replaced; few tabs stay open longer. */
const KEPT_MS = 30 * 24 * 3_600_000;
/** Most bytes of kept files: about 80 builds. With more builds in 30 days, the newest are kept. */
const BYTES_MAX = 48 * 1024 * 1024;

/** Name of a file of a build. It contains a hash of the content, so the same name means the same file. */
const CHUNK = /^[\w-]+\.js$/;

/** For each file, when it was first found to belong to no current build, in milliseconds since 1970. */
type Retired = Record<string, number>;

const readRetired = (record: string): Retired => {
  try {
    return Object(JSON.parse(readFileSync(record, "utf8"))) as Retired;
  } catch {
    // The record is missing or incomplete, so all files count as retired today.
    return {};
  }
};

/** Writes a file completely or not at all, because a start may be interrupted. */
function writeWhole(path: string, write: (temporary: string) => void): void {
  write(`${path}.part`);
  renameSync(`${path}.part`, path);
}

/** Files to keep: the most recently retired ones, within the limits of time and size. */
function withinLimits(folder: string, retired: Retired, now: number): Retired {
  let bytes = 0;
  const kept = Object.entries(retired)
    .toSorted(([, a], [, b]) => b - a)
    .filter(([name, at]) => {
      bytes += statSync(join(folder, name)).size;
      return now - at <= KEPT_MS && bytes <= BYTES_MAX;
    });
  return Object.fromEntries(kept);
}

/**
 * Copies the build's files, and removes those of builds that were replaced more than 30 days ago.
 * @param build folder of the build's files
 * @param folder for the copies
 * @param now milliseconds since 1970
 * @returns the names of the files of former builds
 * @throws any error of the system when the folder cannot be written
 */
export function keepBuild({ build, folder, now }: { build: string; folder: string; now: number }): Set<string> {
  mkdirSync(folder, { recursive: true });
  const current = new Set(readdirSync(build).filter((name) => CHUNK.test(name)));
  for (const name of current) {
    const path = join(folder, name);
    if (!existsSync(path)) writeWhole(path, (temporary) => copyFileSync(join(build, name), temporary));
  }
  const record = join(folder, "retired.json");
  const before = readRetired(record);
  const former = readdirSync(folder).filter((name) => CHUNK.test(name) && !current.has(name));
  const kept = withinLimits(folder, Object.fromEntries(former.map((name) => [name, before[name] ?? now])), now);
  writeWhole(record, (temporary) => writeFileSync(temporary, JSON.stringify(kept)));
  for (const name of former) if (kept[name] === undefined) rmSync(join(folder, name));
  return new Set(Object.keys(kept));
}
