import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A small disk that can be filled, freed and made read-only. */
export type Disk = {
  folder: string;
  /** Fills the disk completely. */
  fill: () => void;
  free: () => void;
  readOnly: (on: boolean) => void;
  stop: () => void;
};

/** Size of the disk in bytes: room for the database of a short run, and little more. */
const SIZE = 4 * 1024 * 1024;

/** A file system in memory; undefined when this user may not mount one. */
export function smallDisk(): Disk | undefined {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-disk-"));
  const mount = (...options: string[]) => spawnSync("mount", [...options, folder], { stdio: "ignore" }).status === 0;
  if (!mount("-t", "tmpfs", "-o", `size=${SIZE}`, "none")) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const filler = join(folder, "filler");
  return {
    folder,
    fill() {
      for (let size = SIZE; size >= 1; size = Math.floor(size / 2)) {
        try {
          writeFileSync(filler, Buffer.alloc(size), { flag: "a" });
          size *= 2;
        } catch {
          // Half of that size may still fit.
        }
      }
    },
    free: () => rmSync(filler, { force: true }),
    readOnly: (on) => void mount("-o", `remount,${on ? "ro" : "rw"}`),
    stop() {
      execFileSync("umount", ["-l", folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Simulates a read-only disk, where none can be mounted: removes the write permission of a folder, or restores it. */
export function forbidWrites(folder: string, on: boolean): void {
  chmodSync(folder, on ? 0o555 : 0o755);
}
