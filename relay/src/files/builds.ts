/**
 * The widget's files of former builds. A page that stands open asks tomorrow for a part of the chat that it was built with
 * (WIDGET.md 2.3): after an upgrade the relay still has it.
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

/** A tab rarely stands open for longer. */
const KEPT_MS = 30 * 24 * 3_600_000;
/** Some 80 builds; whoever builds more often than that in a month has the newest of them. */
const BYTES_MAX = 48 * 1024 * 1024;

/** Names carry a hash of the content: the same name is the same file. */
const CHUNK = /^[\w-]+\.js$/;

/** When each file was first found to be of no build that runs, in milliseconds since 1970. */
type Retired = Record<string, number>;

const readRetired = (ledger: string): Retired => {
  try {
    return Object(JSON.parse(readFileSync(ledger, "utf8"))) as Retired;
  } catch {
    // Not there yet, or cut off: all of them count as retired today.
    return {};
  }
};

/** Whole or not at all: a start may be interrupted. */
function place(path: string, put: (beside: string) => void): void {
  put(`${path}.part`);
  renameSync(`${path}.part`, path);
}

/** Those that have not been retired for too long, newest first, as far as there is room. */
function spared(folder: string, retired: Retired, now: number): Retired {
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
 * Keeps a copy of the build's files, and drops those of builds that were replaced more than 30 days ago.
 * @param build folder of the build's files
 * @param folder where the copies are kept
 * @param now milliseconds since 1970
 * @returns the names of the files of former builds
 * @throws when the folder cannot be written
 */
export function keepBuild({ build, folder, now }: { build: string; folder: string; now: number }): Set<string> {
  mkdirSync(folder, { recursive: true });
  const current = new Set(readdirSync(build).filter((name) => CHUNK.test(name)));
  for (const name of current) {
    const path = join(folder, name);
    if (!existsSync(path)) place(path, (beside) => copyFileSync(join(build, name), beside));
  }
  const ledger = join(folder, "retired.json");
  const before = readRetired(ledger);
  const former = readdirSync(folder).filter((name) => CHUNK.test(name) && !current.has(name));
  const kept = spared(folder, Object.fromEntries(former.map((name) => [name, before[name] ?? now])), now);
  place(ledger, (beside) => writeFileSync(beside, JSON.stringify(kept)));
  for (const name of former) if (kept[name] === undefined) rmSync(join(folder, name));
  return new Set(Object.keys(kept));
}
