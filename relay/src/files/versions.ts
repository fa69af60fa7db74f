import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HASH = /^[\w-]{22}$/;

/**
 * Keeps the versions of the tag's script that were requested by their hash, because a page that names one with its integrity hash
 * must get the same bytes after every upgrade. A version has a few kilobytes. Only scripts that the relay served are kept.
 * @param folder created when the first version is kept
 */
export function openVersions(folder: string) {
  const pathOf = (hash: string): string => join(folder, `${hash}.js`);
  return {
    /** Stores a version, unless it is stored already. @throws the system's error when the folder cannot be written */
    keep(hash: string, bytes: Uint8Array): void {
      if (existsSync(pathOf(hash))) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${pathOf(hash)}.new`, bytes, { mode: 0o600 });
      renameSync(`${pathOf(hash)}.new`, pathOf(hash));
    },
    /** The script with this hash; undefined when it was never kept. */
    find: (hash: string): Buffer | undefined =>
      HASH.test(hash) && existsSync(pathOf(hash)) ? readFileSync(pathOf(hash)) : undefined,
  };
}
