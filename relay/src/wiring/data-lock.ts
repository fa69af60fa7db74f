import { statSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../base/config.ts";
import { openDataFolder } from "../base/folder.ts";
import { databaseFile, isShared } from "../db/database-url.ts";
import { type Lock, takeLock } from "../db/lock.ts";

/** Path, without file extension, of a data folder's lock and of the file that describes its relay. */
export const relayLock = (dataDir: string): string => join(dataDir, "relay");

/**
 * Refuses a database file with hard links. SQLite names the write-ahead log after the path, so two names of one file lead to
 * two logs and a damaged database (https://sqlite.org/howtocorrupt.html section 2.5). Our lock uses the path, too.
 * @throws Error when the file has hard links
 */
function assertOneName(file: string): void {
  const names = statSync(file, { throwIfNoEntry: false })?.nlink ?? 1;
  if (names > 1)
    throw new Error(
      `DATABASE_URL: ${file} has ${names} hard links but must have one; copy the file, or remove the other links`,
    );
}

/**
 * Ensures that no other relay uses the same data. Locks the data folder and the database, which may be in another folder. Take
 * this lock before any other access to the data: only its holder can distinguish an interrupted call from a running one.
 * @throws Error with one sentence: who holds the lock, or why the folder cannot be used
 */
export function holdData({ dataDir, databaseUrl, host, port }: Settings): Lock {
  openDataFolder(dataDir);
  const address = `http://${host}:${port}`;
  // Several nodes may share a server; each has a data folder of its own, for its spool.
  if (isShared(databaseUrl)) return takeLock(relayLock(dataDir), `DATA_DIR: ${dataDir}`, address);
  const file = databaseFile(databaseUrl);
  assertOneName(file);
  const folder = takeLock(relayLock(dataDir), `DATA_DIR: ${dataDir}`, address);
  try {
    const database = takeLock(`${file}.relay`, `DATABASE_URL: ${file}`, address);
    return {
      describe(more) {
        folder.describe(more);
        database.describe(more);
      },
      release() {
        database.release();
        folder.release();
      },
    };
  } catch (error) {
    folder.release();
    throw error;
  }
}
