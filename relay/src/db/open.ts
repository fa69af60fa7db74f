import { closeSync, openSync } from "node:fs";
import type { Database } from "./database.ts";
import { databaseFile, isShared } from "./database-url.ts";
import { openSqlite } from "./sqlite.ts";

/**
 * Opens the database of a URL: `sqlite:path/to/file.db`, whose folder must exist (see `openDataFolder`), or `postgres://…`,
 * whose driver is loaded only then.
 * @param connections most connections to a server; default: enough for a relay
 * @throws Error when the file or the server cannot be used
 */
export async function openDatabase(url: string, connections?: number): Promise<Database> {
  if (isShared(url)) return (await import("./postgres.ts")).openPostgres(url, connections);
  const file = databaseFile(url);
  // Created here with a mode that keeps other users from reading visitors' messages. SQLite's other files get the same mode.
  closeSync(openSync(file, "a", 0o600));
  return openSqlite(file);
}
