import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../base/folder.ts";
import type { Database } from "./database.ts";
import { openSqlite } from "./sqlite.ts";

/**
 * Opens the database a URL names: `sqlite:path/to/file.db`.
 * @throws Error when the scheme is not one of ours, or the file cannot be used
 */
export function openDatabase(url: string): Database {
  if (!url.startsWith("sqlite:"))
    throw new Error(`DATABASE_URL: cannot open "${url.split(":")[0]}:" databases, only sqlite:`);
  const file = url.slice("sqlite:".length).replace(/^\/\//, "");
  makeFolder(dirname(file));
  // Made here so that nobody else on the machine may read what visitors wrote; SQLite's other files follow it.
  closeSync(openSync(file, "a", 0o600));
  return openSqlite(file);
}
