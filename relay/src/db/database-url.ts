import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** The path in a `sqlite:` address. */
export const fileOf = (url: string): string => url.slice("sqlite:".length).replace(/^\/\//, "");

/** Longest chain of symbolic links, as on Linux. */
const LINKS_MAX = 40;

/** Resolves the symbolic links of a path, also when the last one points to a file that does not exist yet. */
function behindLinks(file: string, links = 0): string {
  if (existsSync(file)) return realpathSync(file);
  if (links > LINKS_MAX || !lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
  return behindLinks(resolve(dirname(file), readlinkSync(file)), links + 1);
}

/**
 * The path of a database file in an existing folder, with links resolved, so that one file has one name, one log and one lock.
 * @throws Error when the folder does not exist: its volume may not be mounted
 */
export function databaseFile(url: string): string {
  const file = fileOf(url);
  const folder = dirname(file);
  if (existsSync(folder)) return behindLinks(file);
  throw new Error(`DATABASE_URL: the folder ${folder} does not exist; mount the volume that it is on, or create it`);
}

/** Whether several nodes may share this database. */
export const isShared = (url: string): boolean => !url.startsWith("sqlite:");
