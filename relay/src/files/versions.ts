import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const HASH = /^[\w-]{22}$/;

/**
 * Keeps the versions of the tag's script that were requested by their hash: a page that names one with its integrity must get
 * the same bytes after every upgrade. Each has a few kilobytes, and only scripts that the relay served are kept.
 * @param folder created when the first version is kept
 */
export function openVersions(folder: string) {
  const pathOf = (hash: string): string => join(folder, `${hash}.js`);
  return {
    keep(hash: string, bytes: Uint8Array): void {
      if (existsSync(pathOf(hash))) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(`${pathOf(hash)}.new`, bytes, { mode: 0o600 });
      renameSync(`${pathOf(hash)}.new`, pathOf(hash));
    },
    find: (hash: string): Buffer | undefined =>
      HASH.test(hash) && existsSync(pathOf(hash)) ? readFileSync(pathOf(hash)) : undefined,
  };
}
