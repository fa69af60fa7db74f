import { mkdir, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isMissingPath } from "../base/missing-path.ts";
import { syncFolderAsync } from "../base/sync.ts";
import type { Files } from "./store.ts";

const KEY = /^[0-9a-z]{26}$/;
/** Bytes of one read. With Node's default of 64 KiB, a client that reads nothing kept a quarter of a megabyte in memory. */
const PART_BYTES = 16 * 1024;

/**
 * Stores files on the local disk, in folders named by the first two characters of the key, so that no folder grows too large.
 */
export function createDiskFiles(root: string): Files {
  const folderOf = (key: string): string => join(root, key.slice(0, 2));
  function pathOf(key: string): string {
    if (!KEY.test(key)) throw new Error("Invalid file key");
    return join(folderOf(key), key);
  }

  return {
    async put(key, path) {
      const target = pathOf(key);
      if ((await mkdir(folderOf(key), { recursive: true, mode: 0o700 })) !== undefined) await syncFolderAsync(root);
      const file = await open(path, "r+");
      await file.sync().finally(() => file.close());
      await rename(path, target);
      // A renamed file survives a power cut only if its folder was synced too.
      await syncFolderAsync(folderOf(key));
    },
    async get(key, span) {
      try {
        const file = await open(pathOf(key), "r");
        const part = span === undefined ? {} : { start: span.from, end: span.to };
        return file.createReadStream({ ...part, highWaterMark: PART_BYTES });
      } catch (error) {
        if (isMissingPath(error)) return undefined;
        throw error;
      }
    },
    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
    close: async () => {},
  };
}
