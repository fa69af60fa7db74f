import { closeSync, existsSync, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Database } from "./database.ts";
import { openSqlite } from "./sqlite.ts";

/** The path in a `sqlite:` address. */
export const fileOf = (url: string): string => url.slice("sqlite:".length).replace(/^\/\//, "");

/** Links behind links at most, as on Linux. */
const LINKS_MAX = 40;

/** What a path names behind its symbolic links, also when the last one names a file that does not exist yet. */
function behindLinks(file: string, links = 0): string {
  if (existsSync(file)) return realpathSync(file);
  if (links > LINKS_MAX || !lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
  return behindLinks(resolve(dirname(file), readlinkSync(file)), links + 1);
}

/**
 * The file of a database, in a folder that is there; behind links, so that one file has one name, one log and one lock.
 * @throws Error when the folder is not there: its volume may not be mounted
 */
export function databaseFile(url: string): string {
  const file = fileOf(url);
  const folder = dirname(file);
  if (existsSync(folder)) return behindLinks(file);
  throw new Error(`DATABASE_URL: the folder ${folder} does not exist; mount the volume that it is on, or create it`);
}

/** Whether several nodes may share this database. */
export const isShared = (url: string): boolean => !url.startsWith("sqlite:");

/**
 * Opens the database a URL names: `sqlite:path/to/file.db`, whose folder must be there (see `openDataFolder`), or
 * `postgres://…`, whose driver is loaded only then.
 * @param connections to a server, at most; absent: as many as a relay needs
 * @throws Error when the file or the server cannot be used
 */
export async function openDatabase(url: string, connections?: number): Promise<Database> {
  if (isShared(url)) return (await import("./postgres.ts")).openPostgres(url, connections);
  const file = databaseFile(url);
  // Made here so that nobody else on the machine may read what visitors wrote; SQLite's other files follow it.
  closeSync(openSync(file, "a", 0o600));
  return openSqlite(file);
}
