import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { randomId } from "@porchlight/shared/id";
import { seal } from "./seal.ts";

/**
 * Copies a database into a new file, also while a relay writes to it. The copy is a consistent snapshot without a separate log.
 * It gets a new epoch, so that clients read their threads again after a restore: a number that they know may then belong to another
 * entry.
 * @throws Error when the target exists, or the source does not
 */
export function backupSqlite(file: string, target: string): void {
  if (!existsSync(file)) throw new Error(`${file}: there is no database to copy`);
  if (existsSync(target)) throw new Error(`${target}: exists already, and was not changed`);
  // Created here with a mode that keeps other users from reading visitors' messages. SQLite accepts an empty file.
  closeSync(openSync(target, "wx", 0o600));
  const source = new DatabaseSync(file, { timeout: 5_000 });
  try {
    source.prepare("VACUUM INTO ?").run(target);
  } finally {
    source.close();
  }
  const copy = new DatabaseSync(target);
  try {
    copy.prepare("UPDATE meta SET value = ? WHERE name = 'epoch'").run(randomId(16));
  } finally {
    copy.close();
  }
  const fd = openSync(target, "r+");
  fsyncSync(fd);
  closeSync(fd);
  seal(target);
}

/**
 * Like `backupSqlite`, on a separate thread: copying a large database takes seconds, and the relay must answer meanwhile.
 * @throws Error as `backupSqlite` does
 */
export function backupOnThread(file: string, target: string): Promise<void> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { backupOf: file, target } });
  return new Promise((resolve, reject) => {
    thread.once("error", reject);
    thread.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`The copy ended with ${code}`))));
  });
}

const request = (workerData ?? {}) as { backupOf?: string; target?: string };
if (!isMainThread && request.backupOf !== undefined && request.target !== undefined)
  backupSqlite(request.backupOf, request.target);
