import { dirname, isAbsolute, relative, resolve } from "node:path";
import type { Settings } from "../base/config.ts";
import { fileOf, isShared } from "../db/database-url.ts";

/** Why a relay's data cannot be opened, with the setting's name, and how to correct it. */
export type DataProblem = { why: string; cure: string };

/** Our own messages have the form "SETTING: problem; cure". */
const OUR_MESSAGE = /^[A-Z_]+: /;
const uid = (): string => (process.getuid === undefined ? "this user" : `this user (uid ${process.getuid()})`);

const NO_ROOM = ["has no room left", "Make room on that disk."] as const;
const READ_ONLY = [
  "is on a file system that cannot be written",
  "Mount it with write access, or name a folder on another disk.",
] as const;

/** Problem and cure for error codes of the system. */
const CAUSES: Record<string, readonly [what: string, cure: string]> = {
  ENOTDIR: ["is a file, not a folder", "Name a folder."],
  EEXIST: ["is a file, not a folder", "Name a folder."],
  EISDIR: ["is a folder where a file must be", "Move it away, or name another place."],
  EACCES: ["cannot be used by USER", "Give it to the user that runs the relay: chown, chmod u+rwx."],
  EPERM: ["cannot be used by USER", "Name a folder on a disk that belongs to the user that runs the relay."],
  EROFS: READ_ONLY,
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  EFBIG: NO_ROOM,
  ENOENT: ["cannot be created there: this file system does not accept it", "Name a folder on a disk."],
};
/** The same for SQLite (sqlite.org/rescode.html). A full disk gives FULL, or IOERR where a file cannot grow. */
const SQLITE_CAUSES: Record<number, readonly [what: string, cure: string]> = {
  5: ["is held by another program", "Stop the program that has the database open."],
  8: READ_ONLY,
  10: ["accepts no writes: the disk is full or failing", "Make room on that disk, or repair it."],
  13: NO_ROOM,
};

/** Explains an error. @param error from opening the data folder, the secrets or the database */
export function dataProblemOf(error: unknown, { dataDir, databaseUrl }: Settings): DataProblem {
  const { code = "", message, path, errcode = 0 } = error as NodeJS.ErrnoException & { errcode?: number };
  if (OUR_MESSAGE.test(message) && code === "") {
    const [why = "", cure] = message.split("; ");
    return { why, cure: cure === undefined ? "Correct that setting." : `${cure[0]?.toUpperCase()}${cure.slice(1)}.` };
  }
  const [what, cure] = CAUSES[code] ?? SQLITE_CAUSES[errcode % 256] ?? [];
  const place = path ?? (errcode > 0 ? fileOf(databaseUrl) : dataDir);
  if (what !== undefined && cure !== undefined) {
    const cause = errcode > 0 ? `SQLite ${errcode}` : code;
    return { why: `DATA_DIR: ${place} ${what.replace("USER", uid())} (${cause})`, cure };
  }
  return {
    why: `DATA_DIR: ${dataDir} cannot be used: ${message}`,
    cure: "Let this user read and write DATA_DIR, or restore the newest backup.",
  };
}

/** Whether an error of the system or of SQLite is about the data: the database, or a path in the data folder or above it. */
export function isDataError(error: unknown, { dataDir, databaseUrl }: Settings): boolean {
  const { path, syscall, errcode = 0 } = error as NodeJS.ErrnoException & { errcode?: number };
  if (errcode > 0) return true;
  // An error of a write to an open file has no path. Before the relay listens, it writes only to the data folder.
  if (path === undefined) return syscall === "write" || syscall === "fsync";
  const below = (from: string, to: string): boolean => {
    const rest = relative(resolve(from), resolve(to));
    return !rest.startsWith("..") && !isAbsolute(rest);
  };
  const database = isShared(databaseUrl) ? [] : [dirname(fileOf(databaseUrl))];
  return [dataDir, ...database].some((folder) => below(folder, path) || below(path, folder));
}
