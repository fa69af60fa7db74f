/**
 * Counts the relay's calls in this process by wrapping SQLite, hashes and JSON. The load driver in the same process
 * uses the original functions (`plain`), so that only the relay is counted.
 */
import crypto from "node:crypto";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { DatabaseSync, StatementSync } from "node:sqlite";

/** The original JSON functions, which are not counted. */
export const plain = { parse: JSON.parse, stringify: JSON.stringify };

export type Counted = {
  /** SQL statements, except those that begin or end a transaction. */
  statements: number;
  /** Commits of writes. */
  commits: number;
  /** Pages that these commits appended to the write-ahead log. */
  walFrames: number;
  /** Calls of `createHash`, `hash` and `createHmac`. */
  hashes: number;
  /** Calls of `JSON.parse` and `JSON.stringify`. */
  json: number;
};

export type Counters = {
  counted: () => Counted;
  /** How often each statement was run, by its text. */
  statements: () => ReadonlyMap<string, number>;
  /** Removes all wrappers. */
  stop: () => void;
};

type Wrapped = (...args: never[]) => unknown;

const TRANSACTION = /^\s*(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|PRAGMA)\b/i;
const COMMIT = /^\s*(COMMIT|END)\b/i;

/** Where the write-ahead log's index holds the number of its last frame (sqlite.org/walformat.html, 2.2). */
const MAX_FRAME_AT = 16;

/** The number of the last frame in the log of a database file; 0 without a log. */
function lastFrame(file: string): number {
  const index = `${file}-shm`;
  if (!existsSync(index)) return 0;
  const bytes = Buffer.alloc(4);
  const fd = openSync(index, "r");
  readSync(fd, bytes, 0, 4, MAX_FRAME_AT);
  closeSync(fd);
  return bytes.readUInt32LE();
}

/** Wraps a method so that `note` is called after each call. @returns a function that restores the method */
function wrap<Name extends string>(
  owner: Record<Name, Wrapped>,
  name: Name,
  note: (self: unknown, args: unknown[]) => void,
): () => void {
  const original = owner[name];
  owner[name] = function (this: unknown, ...args: never[]) {
    const result = original.apply(this, args);
    note(this, args);
    return result;
  };
  return () => {
    owner[name] = original;
  };
}

/** Starts to count. @param file database file whose write-ahead log is watched */
export function startCounting(file: string): Counters {
  const counted: Counted = { statements: 0, commits: 0, walFrames: 0, hashes: 0, json: 0 };
  const bySql = new Map<string, number>();
  let frame = 0;

  function ran(sql: string): void {
    if (COMMIT.test(sql)) {
      const last = lastFrame(file);
      // After a checkpoint the log starts again at its first frame.
      counted.walFrames += last >= frame ? last - frame : last;
      frame = last;
      counted.commits++;
    }
    if (TRANSACTION.test(sql)) return;
    counted.statements++;
    bySql.set(sql, (bySql.get(sql) ?? 0) + 1);
  }

  const statement = (self: unknown): void => ran((self as StatementSync).sourceSQL);
  const restores = [
    ...(["run", "get", "all", "iterate"] as const).map((name) =>
      wrap(StatementSync.prototype as never, name, statement),
    ),
    wrap(DatabaseSync.prototype as never, "exec", (_, [sql]) => ran(String(sql))),
    ...(["createHash", "hash", "createHmac"] as const).map((name) =>
      wrap(crypto as never, name, () => void counted.hashes++),
    ),
    ...(["parse", "stringify"] as const).map((name) => wrap(JSON as never, name, () => void counted.json++)),
  ];
  syncBuiltinESMExports();
  return {
    counted: () => ({ ...counted }),
    statements: () => bySql,
    stop() {
      for (const restore of restores) restore();
      syncBuiltinESMExports();
    },
  };
}
