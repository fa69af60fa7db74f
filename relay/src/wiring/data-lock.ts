import { statSync } from "node:fs";
import { join } from "node:path";
import type { Settings } from "../base/config.ts";
import { openDataFolder } from "../base/folder.ts";
import { type Lock, takeLock } from "../db/lock.ts";
import { databaseFile, isShared } from "../db/open.ts";

/** Path, without ending, of the lock on a data folder and of what its relay tells of itself. */
export const relayLock = (dataDir: string): string => join(dataDir, "relay");

/**
 * SQLite names the write-ahead log after the path that a database was opened by. Two names of one file mean two logs, and a
 * damaged database (https://sqlite.org/howtocorrupt.html section 2.5); our lock, too, goes by the name.
 * @throws Error when the file has hard links
 */
function assertOneName(file: string): void {
  const names = statSync(file, { throwIfNoEntry: false })?.nlink ?? 1;
  if (names > 1)
    throw new Error(
      `DATABASE_URL: ${file} has ${names} names (hard links), and must have one; copy it, or remove the others`,
    );
}

/**
 * Makes sure that no other relay works on the same data: locks the data folder and the database, which may lie elsewhere. Nothing
 * else may be read or written before: whose calls are under way, and whose process is gone, only the holder can say.
 * @throws Error with one sentence: who holds it, or why the folder cannot be used
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
      tell(more) {
        folder.tell(more);
        database.tell(more);
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
