import type { Settings } from "../base/config.ts";

/** Why a relay's data cannot be opened, in a sentence that names the setting, and what to do about it. */
export type Unusable = { why: string; cure: string };

const OURS = /^[A-Z_]+: /;
const uid = (): string => (process.getuid === undefined ? "this user" : `this user (uid ${process.getuid()})`);

/** Codes of the system and of SQLite, in words: what is wrong with the path, and its cure. */
const CAUSES: Record<string, readonly [what: string, cure: string]> = {
  ENOTDIR: ["is a file, not a folder", "Name a folder."],
  EEXIST: ["is a file, not a folder", "Name a folder."],
  EISDIR: ["is a folder where a file must be", "Move it away, or name another place."],
  EACCES: ["may not be used by USER", "Give it to the user that runs the relay: chown, chmod u+rwx."],
  EPERM: ["may not be used by USER", "Name a folder on a disk that belongs to the user that runs the relay."],
  EROFS: ["is on a file system that cannot be written", "Mount it writable, or name a folder on another disk."],
  ENOSPC: ["has no room left", "Make room on that disk."],
  ENOENT: ["cannot be made there: this file system takes no files of ours", "Name a folder on a disk."],
};

/** @param error what opening the secrets or the database said */
export function unusable(error: unknown, { dataDir }: Settings): Unusable {
  const { code = "", message, path = dataDir } = error as NodeJS.ErrnoException;
  if (OURS.test(message) && code === "") return { why: message, cure: "Mend that setting." };
  const [what, cure] = CAUSES[code] ?? [];
  if (what !== undefined && cure !== undefined)
    return { why: `DATA_DIR: ${path} ${what.replace("USER", uid())} (${code})`, cure };
  return {
    why: `DATA_DIR: ${dataDir} cannot be used: ${message}`,
    cure: "Let this user read and write DATA_DIR, or restore the newest backup.",
  };
}
