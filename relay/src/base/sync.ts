import { closeSync, fsyncSync, openSync } from "node:fs";

/**
 * Syncs a folder, so that files created, renamed or removed in it stay so after a power cut.
 */
export function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
