import { existsSync, rmSync, statSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/**
 * The check of a database file that was not closed in order. SQLite recovers its log after a crash by itself; what the
 * check finds is damage by the disk or by other programs. A small file is checked before it is used, a large one (a second
 * for 300 MB) on a thread while the relay starts.
 */

/** Files up to this many bytes are checked at once: about 0.1 s. */
export const AT_ONCE_MAX = 32 * 1024 * 1024;

/** Stands beside a file in which a check found damage after the start: the next start checks it before it is used. */
const markOf = (file: string): string => `${file}.damaged`;

const damageOf = (file: string, verdict: string): string =>
  `${file} is damaged (${verdict}). It was left as it is: restore the newest backup beside it`;

/** What `PRAGMA quick_check` says of the whole file's structure; `ok` when it is sound. */
function verdictOf(db: DatabaseSync): string {
  return String(db.prepare("PRAGMA quick_check(1)").get()?.quick_check);
}

/** Whether the file must be checked before it is used. */
export const mustCheckAtOnce = (file: string, atOnceMax: number): boolean =>
  !existsSync(file) || existsSync(markOf(file)) || statSync(file).size <= atOnceMax;

/** Checks a file before it is used. @throws Error when it is damaged */
export function assertSound(db: DatabaseSync, file: string): void {
  const verdict = verdictOf(db);
  if (verdict !== "ok") throw new Error(damageOf(file, verdict));
  rmSync(markOf(file), { force: true });
}

/** A check on a thread of its own. */
export type Check = {
  /** Resolves to the damage in words, to nothing when the file is sound, and never when the check was stopped. */
  damage: Promise<string | undefined>;
  /** Whether the file was found sound. */
  passed: () => boolean;
  /** Ends the thread. */
  stop: () => Promise<void>;
};

/** Checks a file on a thread while it is used. Damage is marked beside the file. */
export function checkAside(file: string): Check {
  const thread = new Worker(new URL(import.meta.url), { workerData: { checkedFile: file } });
  thread.unref();
  let sound = false;
  const damage = new Promise<string | undefined>((resolve) => {
    thread.once("message", (verdict: string) => {
      sound = verdict === "ok";
      if (sound) return resolve(undefined);
      writeFileSync(markOf(file), `${verdict}\n`, { mode: 0o600 });
      resolve(damageOf(file, verdict));
    });
    thread.once("error", (error) => resolve(damageOf(file, String(error))));
  });
  return {
    damage,
    passed: () => sound,
    stop: async () => {
      await thread.terminate();
    },
  };
}

const { checkedFile } = (workerData ?? {}) as { checkedFile?: string };
if (!isMainThread && checkedFile !== undefined) {
  const db = new DatabaseSync(checkedFile, { readOnly: true });
  parentPort?.postMessage(verdictOf(db));
  db.close();
}
