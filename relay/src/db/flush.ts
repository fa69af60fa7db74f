import { closeSync, fdatasync, openSync } from "node:fs";

/** Flushes the write-ahead log of a database to the disk on libuv's threads, without blocking the event loop. */
export type LogFlush = {
  /** Resolves when everything that was committed before the call is on the disk. */
  run: () => Promise<void>;
  /** Call only when no flush is under way. */
  close: () => void;
};

/**
 * Opens the log of a database for flushes. A commit with `synchronous=FULL` blocks the event loop while the disk writes. A commit
 * with `synchronous=NORMAL` that is followed by this flush is as durable: NORMAL differs only in the flush of the log after
 * each commit (sqlite.org/wal.html#performance_considerations).
 * @param file the database, open in WAL mode: its log keeps its file until the last connection closes. SQLite locks
 *   other files, so closing this handle releases no lock.
 */
export function openLogFlush(file: string): LogFlush {
  const log = openSync(`${file}-wal`, "r+");
  return {
    run: () =>
      new Promise((resolve, reject) => {
        fdatasync(log, (error) => (error === null ? resolve() : reject(error)));
      }),
    close: () => closeSync(log),
  };
}
