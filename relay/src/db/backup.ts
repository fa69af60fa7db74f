import { closeSync, existsSync, fsyncSync, openSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { randomId } from "@porchlight/shared/id";
import { seal } from "./seal.ts";

/**
 * Copies a database into a new file, also while a relay writes to it: the copy is one moment of it, without the log
 * beside it. The copy gets an epoch of its own, because a relay that starts from it continues another log than the one
 * that clients resume: they must start anew, not go on at a number that means something else now.
 * @throws Error when the target is there already, or the source is not
 */
export function backupSqlite(file: string, target: string): void {
  if (!existsSync(file)) throw new Error(`${file}: there is no database to copy`);
  if (existsSync(target)) throw new Error(`${target}: is there already, and is left as it is`);
  // Made here, because nobody else on the machine may read what visitors wrote; SQLite takes an empty file for none.
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
 * The same on a thread of its own: the copy of a large database takes seconds, and the relay answers meanwhile.
 * @throws Error as `backupSqlite` does
 */
export function backupOnThread(file: string, target: string): Promise<void> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { backupOf: file, target } });
  return new Promise((resolve, reject) => {
    thread.once("error", reject);
    thread.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`The copy ended with ${code}`))));
  });
}

const order = (workerData ?? {}) as { backupOf?: string; target?: string };
if (!isMainThread && order.backupOf !== undefined && order.target !== undefined)
  backupSqlite(order.backupOf, order.target);
