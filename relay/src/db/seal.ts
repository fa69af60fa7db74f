import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "../base/sync.ts";

/**
 * A checksum beside a database that was closed in order. SQLite's own checks see a damaged structure but not a damaged
 * text: of 200 single bytes changed at random, 16 went unseen. After a crash there is no seal, and only the structure is
 * checked.
 */

const sealOf = (file: string): string => `${file}.seal`;

const CHUNK = 1024 * 1024;

function checksum(file: string): string {
  const hash = createHash("sha256");
  const chunk = Buffer.allocUnsafe(CHUNK);
  const fd = openSync(file, "r");
  try {
    for (let size = readSync(fd, chunk); size > 0; size = readSync(fd, chunk)) hash.update(chunk.subarray(0, size));
  } finally {
    closeSync(fd);
  }
  return hash.digest("hex");
}

/**
 * Writes the checksum of a closed database, unless another process has it open still: then its log is still there. Whole or
 * not at all: half a seal, of a full disk or a kill, would keep the relay from starting. Without a seal it starts as well.
 */
export function seal(file: string): void {
  if (existsSync(`${file}-wal`)) return;
  const unfinished = `${sealOf(file)}.new`;
  try {
    writeFileSync(unfinished, `${checksum(file)}\n`, { flush: true });
    renameSync(unfinished, sealOf(file));
    syncFolder(dirname(file));
  } catch {
    rmSync(unfinished, { force: true });
  }
}

/**
 * Compares a database with its seal, if there is one, and takes the seal off: from now on the file changes.
 * @returns whether there was a seal: the database is byte for byte as it was left
 * @throws Error when they differ; both stay as they are then
 */
export function breakSeal(file: string): boolean {
  if (!existsSync(sealOf(file))) return false;
  if (!existsSync(file) || readFileSync(sealOf(file), "utf8").trim() !== checksum(file)) {
    throw new Error(
      `${file} is not as it was left. It was not touched: restore the newest backup, or delete ${sealOf(file)} if the file is meant to be another one`,
    );
  }
  rmSync(sealOf(file));
  // Before the first change: after a power cut the seal must not be back beside a file that is another one by then.
  syncFolder(dirname(file));
  return true;
}
