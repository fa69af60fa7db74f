import { closeSync, fsyncSync, openSync } from "node:fs";

/**
 * Makes a folder's entries durable: what was made, renamed or removed in it is only found so after a power cut when the
 * folder itself was synced too.
 */
export function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
