import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The relay that holds a lock, as the file beside the lock describes it. */
export type Holder = {
  pid: number;
  host: string;
  /** ISO 8601 in UTC. */
  since: string;
  /** Address of the relay, like `http://127.0.0.1:8787`. */
  address: string;
  /** Path of the socket on which the relay accepts commands. */
  control?: string;
};

/** A lock that this process holds. */
export type Lock = {
  /** Adds fields to the file that describes the holder. */
  describe: (more: Partial<Holder>) => void;
  /** Ends the lock and deletes the file about the holder. */
  release: () => void;
};

/** Open connections. A lock ends when its connection is garbage-collected, so they are referenced here. */
const HELD = new Set<DatabaseSync>();
/** SQLITE_BUSY and SQLITE_LOCKED: another process holds the lock. */
const TAKEN_CODES = new Set([5, 6]);

const isBusy = (error: unknown): boolean => TAKEN_CODES.has(((error as { errcode?: number }).errcode ?? 0) % 256);

const lockOf = (base: string): string => `${base}.lock`;
const noteOf = (base: string): string => `${base}.json`;
const unfinishedOf = (base: string): string => `${noteOf(base)}.new`;

/**
 * The information about the holder of a lock; undefined if there is none. The holder may have ended since.
 * @returns `owner`: id of the user who owns the file with this information
 */
export function holderOf(base: string): (Holder & { owner: number }) | undefined {
  try {
    const file = openSync(noteOf(base), "r");
    try {
      const holder = JSON.parse(readFileSync(file, "utf8")) as Holder;
      // Of the open file, because its path may name another file by now.
      return { ...holder, owner: fstatSync(file).uid };
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

function note(base: string, holder: Holder): void {
  writeFileSync(unfinishedOf(base), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  renameSync(unfinishedOf(base), noteOf(base));
}

/**
 * Takes a lock. It lasts until it is released or this process ends in any way: SQLite locks the file by `fcntl`, and the
 * operating system removes the lock. Never open the lock's file in another way: closing it would remove the lock too (POSIX).
 * @param base path of the lock without its extension; `<base>.json` describes the holder
 * @param what the start of an error message, which names what is locked: `DATA_DIR: /var/lib/porchlight`
 * @throws Error that names the holder, or the system's error when the folder cannot be written
 */
export function takeLock(base: string, what: string, address: string): Lock {
  accessSync(dirname(base), constants.R_OK | constants.W_OK | constants.X_OK);
  const db = new DatabaseSync(lockOf(base), { timeout: 0 });
  try {
    // Nothing is ever written to this file, so it needs no journal.
    db.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new Error(`${what} is in use by ${described(holderOf(base))}; stop that relay, or use another folder`);
  }
  HELD.add(db);
  let holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString(), address };
  const lock: Lock = {
    describe(more) {
      holder = { ...holder, ...more };
      note(base, holder);
    },
    release() {
      if (!HELD.delete(db)) return;
      for (const file of [noteOf(base), unfinishedOf(base)]) rmSync(file, { force: true });
      db.close();
    },
  };
  try {
    chmodSync(lockOf(base), 0o600);
    lock.describe({});
  } catch (error) {
    // The disk may be full.
    lock.release();
    throw error;
  }
  return lock;
}

/** Whether a process holds this lock now. Takes no lock, and creates no file. */
export function isTaken(base: string): boolean {
  if (!existsSync(lockOf(base))) return false;
  const db = new DatabaseSync(lockOf(base), { timeout: 0 });
  try {
    db.prepare("SELECT 1 FROM sqlite_master").get();
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    db.close();
  }
}

const described = (holder: Holder | undefined): string =>
  holder === undefined
    ? "another process"
    : `another relay: process ${holder.pid} on ${holder.host}, since ${holder.since}, at ${holder.address}`;
