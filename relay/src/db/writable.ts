import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Database } from "./database.ts";

/**
 * Primary codes of SQLite that mean that the store accepts no writes: READONLY, IOERR, CORRUPT, FULL, CANTOPEN
 * (sqlite.org/rescode.html). Other codes are about the statement, or mean that another process is writing.
 */
const REFUSALS = new Set([8, 10, 11, 13, 14]);
/** With fewer free bytes than this, the database's log may have no room for another commit. */
const COMMIT_ROOM = 1024 * 1024;
/** Shortest time between two trial writes while the store refuses writes, in milliseconds. */
const TRY_EVERY_MS = 1_000;
/** Length of a trial write: more than the largest message with its thread, so that the log must grow. */
const TRIAL_LENGTH = 64 * 1024;

/**
 * The same codes of PostgreSQL: unreachable, shutting down, full, or read-only
 * (postgresql.org/docs/current/errcodes-appendix.html).
 */
const POSTGRES_REFUSALS = /^(08|53|57P0|58)|^25006$|^E[A-Z]+$/;

/** Whether an error means that the database accepts no writes or, for PostgreSQL, that it cannot be reached. */
export const isRefusal = (error: unknown): boolean => {
  const { errcode = 0, code = "" } = error as { errcode?: number; code?: unknown };
  return REFUSALS.has(errcode % 256) || (errcode === 0 && POSTGRES_REFUSALS.test(String(code)));
};

/** Whether the disk of a file has no room for another commit; asks the file system and writes nothing. */
async function isFull(file: string): Promise<boolean> {
  const found = await statfs(dirname(file)).catch(() => undefined);
  // Some file systems, such as those over a network, report no size.
  return found !== undefined && found.blocks > 0 && found.bavail * found.bsize < COMMIT_ROOM;
}

/**
 * Makes a trial write and deletes it, in two commits, because a row that is written and deleted in one commit needs no room.
 * @throws the database's error when it accepts no writes
 */
export async function tryWriting(db: Database): Promise<void> {
  const text = randomId(16).repeat(TRIAL_LENGTH / 16);
  const put = `INSERT INTO meta (name, value) VALUES ('trial', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
  await db.run(put, text);
  await db.run("DELETE FROM meta WHERE name = 'trial'");
}

/** A database whose acceptance of writes is observed. */
export type Writable = {
  /** The database, with its writes observed. */
  db: Database;
  /** Whether the database accepts writes now. Makes a trial write only after a refusal, at most once in `TRY_EVERY_MS`. */
  takesWrites: () => Promise<boolean>;
};

/**
 * Observes whether a database accepts writes, from the relay's own writes and from the free space on its disk.
 * @param file on the disk that must have free space; absent for a database on another machine
 */
export function watchWrites(inner: Database, clock: Clock, file?: string): Writable {
  let refusing = false;
  let tried = Number.NEGATIVE_INFINITY;

  /** Only refusals count: a transaction that changes no row succeeds even on a full disk. */
  const observe = <T>(write: Promise<T>): Promise<T> =>
    write.catch((error: unknown) => {
      if (isRefusal(error)) refusing = true;
      throw error;
    });

  async function probe(): Promise<void> {
    if (clock.uptime() - tried < TRY_EVERY_MS) return;
    tried = clock.uptime();
    try {
      await tryWriting(inner);
      refusing = false;
    } catch {
      // It still refuses. The next call tries again.
    }
  }

  return {
    db: {
      ...inner,
      run: (sql, ...values) => observe(inner.run(sql, ...values)),
      transaction: (body, key) => observe(inner.transaction(body, key)),
      runEach: (sql, lists) => observe(inner.runEach(sql, lists)),
      append: (work, item, key, mayWait) => observe(inner.append(work, item, key, mayWait)),
    },
    async takesWrites() {
      if (file !== undefined && (await isFull(file))) return false;
      if (refusing) await probe();
      return !refusing;
    },
  };
}
