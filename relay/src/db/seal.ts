import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "../base/sync.ts";

/**
 * A seal: a checksum beside a database that was closed properly. SQLite's own checks find a damaged structure, but not a
 * damaged text: of 200 random single-byte changes, they missed 16. After a crash there is no seal, and only the structure is
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
 * Writes the checksum of a closed database, unless its log still exists because another process has it open. The write is
 * atomic, because half a seal, after a full disk or a kill, would prevent the next start. An error leaves the database without a
 * seal, which does not prevent it.
 */
export function seal(file: string): void {
  if (existsSync(`${file}-wal`)) return;
  const unfinished = `${sealOf(file)}.new`;
  try {
    const { uid, gid, mode } = statSync(file);
    writeFileSync(unfinished, `${checksum(file)}\n`, { flush: true });
    // After a command of root, the relay's user must be able to read the seal.
    if (process.getuid?.() === 0) chownSync(unfinished, uid, gid);
    chmodSync(unfinished, mode);
    renameSync(unfinished, sealOf(file));
    syncFolder(dirname(file));
  } catch {
    rmSync(unfinished, { force: true });
  }
}

/**
 * Compares a database with its seal, if it has one, and removes the seal, because the file changes from now on.
 * @returns whether it had a seal, so that every byte of the database is unchanged
 * @throws Error when they differ; both files stay as they are in that case
 */
export function breakSeal(file: string): boolean {
  if (!existsSync(sealOf(file))) return false;
  if (!existsSync(file) || readFileSync(sealOf(file), "utf8").trim() !== checksum(file)) {
    throw new Error(
      `${file} differs from its checksum. The relay did not change it: restore the newest backup, or delete ${sealOf(file)} if you replaced the file on purpose`,
    );
  }
  rmSync(sealOf(file));
  // Synced before the first change: after a power cut, the old seal must not reappear beside a changed file.
  syncFolder(dirname(file));
  return true;
}
