import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { isBusy } from "./sqlite-connection.ts";

/**
 * Checks a database file that was not closed properly. SQLite itself recovers its log after a crash; the check finds damage by
 * the disk or by other programs. A small file is checked before it is used. A large file (one second for 300 MB) is checked on
 * a thread while the relay starts.
 */

/** Files up to this many bytes are checked at once: about 0.1 s. */
export const AT_ONCE_MAX = 32 * 1024 * 1024;
/** Wait between two tries while another process holds the file, in ms. */
const RETRY_MS = 1_000;

/** A marker beside a file in which a check found damage after the start. The next start checks this file before it is used. */
const markOf = (file: string): string => `${file}.damaged`;

const damageOf = (file: string, verdict: string): string =>
  `${file} is damaged (${verdict}). The relay did not change it: restore the newest backup beside it`;

/** The result of `PRAGMA quick_check` for the whole file; `ok` when its structure is intact. */
function verdictOf(db: DatabaseSync): string {
  return String(db.prepare("PRAGMA quick_check(1)").get()?.quick_check);
}

/**
 * The verdict once no other process holds the file: a lock is no damage.
 * @param wait resolves when to try again
 * @throws the system's error when the file cannot be read
 */
export async function verdictWhenFree(db: DatabaseSync, wait: () => Promise<unknown>): Promise<string> {
  for (;;) {
    try {
      return verdictOf(db);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await wait();
  }
}

/** Whether the file must be checked before it is used. */
export const mustCheckAtOnce = (file: string, atOnceMax: number): boolean =>
  !existsSync(file) || existsSync(markOf(file)) || statSync(file).size <= atOnceMax;

/** Checks a file before it is used. @throws Error when it is damaged */
export function assertIntact(db: DatabaseSync, file: string): void {
  const verdict = verdictOf(db);
  if (verdict !== "ok") throw new Error(damageOf(file, verdict));
  rmSync(markOf(file), { force: true });
}

/** A check on a separate thread. */
export type Check = {
  /** Resolves to a description of the damage, or to undefined when the file is intact. Never resolves after a stop. */
  damage: Promise<string | undefined>;
  /** Whether the file was found intact. */
  passed: () => boolean;
  /** Ends the thread. */
  stop: () => Promise<void>;
};

/** Checks a file on a thread while it is used. Damage is marked beside the file. */
export function checkInBackground(file: string): Check {
  const thread = new Worker(new URL(import.meta.url), { workerData: { checkedFile: file } });
  thread.unref();
  let intact = false;
  const damage = new Promise<string | undefined>((resolve) => {
    thread.once("message", (verdict: string) => {
      intact = verdict === "ok";
      if (intact) return resolve(undefined);
      writeFileSync(markOf(file), `${verdict}\n`, { mode: 0o600 });
      resolve(damageOf(file, verdict));
    });
    thread.once("error", (error) => resolve(damageOf(file, String(error))));
  });
  return {
    damage,
    passed: () => intact,
    stop: async () => {
      await thread.terminate();
    },
  };
}

const { checkedFile } = (workerData ?? {}) as { checkedFile?: string };
if (!isMainThread && checkedFile !== undefined) {
  const db = new DatabaseSync(checkedFile, { readOnly: true });
  parentPort?.postMessage(await verdictWhenFree(db, () => setTimeout(RETRY_MS)));
  db.close();
}
