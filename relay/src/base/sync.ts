import { closeSync, fsyncSync, openSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

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

/** Syncs a folder and every folder in it, without blocking the event loop. The files in them must be synced already. */
export async function syncFolders(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of [...folders, root]) {
    const folder = await open(path, "r");
    await folder.sync().finally(() => folder.close());
  }
}
