import { join } from "node:path";
import type { Settings } from "../base/config.ts";
import { openDataFolder } from "../base/folder.ts";
import { type Lock, takeLock } from "../db/lock.ts";
import { databaseFile } from "../db/open.ts";

/** Path, without ending, of the lock on a data folder and of what its relay tells of itself. */
export const relayLock = (dataDir: string): string => join(dataDir, "relay");

/**
 * Makes sure that no other relay works on the same data: locks the data folder and the database, which may lie elsewhere. Nothing
 * else may be read or written before: whose calls are under way, and whose process is gone, only the holder can say.
 * @throws Error with one sentence: who holds it, or why the folder cannot be used
 */
export function holdData({ dataDir, databaseUrl, host, port }: Settings): Lock {
  openDataFolder(dataDir);
  const file = databaseFile(databaseUrl);
  const address = `http://${host}:${port}`;
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
