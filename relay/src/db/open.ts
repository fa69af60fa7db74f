import { closeSync, existsSync, openSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "./database.ts";
import { openSqlite } from "./sqlite.ts";

/** The path in a `sqlite:` address. */
export const fileOf = (url: string): string => url.slice("sqlite:".length).replace(/^\/\//, "");

/**
 * The file of a database, in a folder that is there; behind links, so that one file has one name and one lock.
 * @throws Error when the folder is not there: its volume may not be mounted
 */
export function databaseFile(url: string): string {
  const file = fileOf(url);
  const folder = dirname(file);
  if (existsSync(folder)) return existsSync(file) ? realpathSync(file) : file;
  throw new Error(`DATABASE_URL: the folder ${folder} does not exist; mount the volume that it is on, or create it`);
}

/**
 * Opens the database a URL names: `sqlite:path/to/file.db`. Its folder must be there: see `openDataFolder`.
 * @throws Error when the scheme is not one of ours, or the file cannot be used
 */
export function openDatabase(url: string): Database {
  if (!url.startsWith("sqlite:"))
    throw new Error(`DATABASE_URL: cannot open "${url.split(":")[0]}:" databases, only sqlite:`);
  const file = databaseFile(url);
  // Made here so that nobody else on the machine may read what visitors wrote; SQLite's other files follow it.
  closeSync(openSync(file, "a", 0o600));
  return openSqlite(file);
}
