import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Database } from "./database.ts";

/**
 * Primary codes of SQLite that mean that the store takes no writes: READONLY, IOERR, CORRUPT, FULL, CANTOPEN
 * (sqlite.org/rescode.html).
 * Others say something about the statement, or that somebody else writes just now.
 */
const REFUSALS = new Set([8, 10, 11, 13, 14]);
/** Free bytes below which the log of the database may not grow by a commit any more. */
const FREE_MIN = 1024 * 1024;
/** While the store refuses writes it is tried at most so often, in milliseconds. */
const TRY_EVERY_MS = 1_000;
/** Length of what a trial writes: more than the largest message with its thread, so that its log must grow. */
const TRIAL_LENGTH = 64 * 1024;

/** The same of PostgreSQL: it is away, shuts down, has no room, or is read-only (postgresql.org/docs/current/errcodes-appendix.html). */
const POSTGRES_REFUSALS = /^(08|53|57P0|58)|^25006$|^E[A-Z]+$/;

const isRefusal = (error: unknown): boolean => {
  const { errcode = 0, code = "" } = error as { errcode?: number; code?: unknown };
  return REFUSALS.has(errcode % 256) || (errcode === 0 && POSTGRES_REFUSALS.test(String(code)));
};

/** Whether the disk of a file has no room for another commit; asks the file system and writes nothing. */
async function isFull(file: string): Promise<boolean> {
  const found = await statfs(dirname(file)).catch(() => undefined);
  // A file system without a size, such as one over the network, tells nothing.
  return found !== undefined && found.blocks > 0 && found.bavail * found.bsize < FREE_MIN;
}

/**
 * Writes something and takes it out again, in two commits, because what one commit takes back needs no room.
 * @throws the database's error when it takes no writes
 */
export async function tryWriting(db: Database): Promise<void> {
  const text = randomId(16).repeat(TRIAL_LENGTH / 16);
  const put = `INSERT INTO meta (name, value) VALUES ('trial', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
  await db.run(put, text);
  await db.run("DELETE FROM meta WHERE name = 'trial'");
}

export type Writable = {
  /** The same database; how its writes end is remembered. */
  db: Database;
  /** Whether it takes writes now. Writes only to try again after a refusal, and then once a second at most. */
  takesWrites: () => Promise<boolean>;
};

/**
 * Watches whether a database takes writes: learned from the writes that are made anyway, and from the room on its disk.
 * @param file on the disk that must have room; absent for a database elsewhere
 */
export function watchWrites(inner: Database, clock: Clock, file?: string): Writable {
  let refusing = false;
  let tried = Number.NEGATIVE_INFINITY;

  /** Only refusals teach: a transaction that changes no row succeeds on a full disk too. */
  const learn = <T>(write: Promise<T>): Promise<T> =>
    write.catch((error: unknown) => {
      if (isRefusal(error)) refusing = true;
      throw error;
    });

  async function tryOut(): Promise<void> {
    if (clock.uptime() - tried < TRY_EVERY_MS) return;
    tried = clock.uptime();
    try {
      await tryWriting(inner);
      refusing = false;
    } catch {
      // It still refuses: the next question tries again.
    }
  }

  return {
    db: {
      ...inner,
      run: (sql, ...values) => learn(inner.run(sql, ...values)),
      transaction: (body, key) => learn(inner.transaction(body, key)),
      runEach: (sql, lists) => learn(inner.runEach(sql, lists)),
      append: (work, item, key, patient) => learn(inner.append(work, item, key, patient)),
    },
    async takesWrites() {
      if (file !== undefined && (await isFull(file))) return false;
      if (refusing) await tryOut();
      return !refusing;
    },
  };
}
