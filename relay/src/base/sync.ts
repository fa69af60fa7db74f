import { closeSync, fsyncSync, openSync } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Syncs a folder to the disk, so that the creation, renaming and removal of files in it survive a power cut. */
export function syncFolder(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Like `syncFolder`, without blocking the event loop. */
export async function syncFolderAsync(path: string): Promise<void> {
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

/** Syncs a folder and every folder in it, without blocking the event loop. The files in them must be synced already. */
export async function syncFolders(root: string): Promise<void> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  for (const path of [...folders, root]) await syncFolderAsync(path);
}
