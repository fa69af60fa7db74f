import { DatabaseSync } from "node:sqlite";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/**
 * Rows written between two checkpoints. A checkpoint writes each changed page once, so longer pauses between checkpoints save
 * work.
 */
const ROWS = 2_000;

/** On macOS `fsync` leaves data in the disk's own cache; this asks for `F_FULLFSYNC`, as `fdatasync` of Node.js does. */
export const FULL_FLUSH = "fullfsync = ON";

/** The thread that makes checkpoints: it copies the write-ahead log into the database file. */
export type Checkpoints = {
  /** Counts rows that a commit wrote, and asks for a checkpoint when there are enough. */
  wrote: (rows: number) => void;
  /** Ends the thread, so that the last closing connection empties the log. @returns undefined when no thread runs */
  stop: () => Promise<void> | undefined;
};

/**
 * Copies the write-ahead log into the database on a separate thread, because it would block the event loop longer than anything
 * else. The thread starts with the first checkpoint. If it cannot write, nothing is lost: SQLite makes a checkpoint inside a
 * commit once the log is long (the writer's `wal_autocheckpoint`).
 * @param file the database
 * @param onError called with the error that ended the thread
 */
export function createCheckpoints(file: string, onError: (error: unknown) => void): Checkpoints {
  let rows = 0;
  let worker: Worker | undefined;
  let busy = false;

  function start(): Worker {
    const thread = new Worker(new URL(import.meta.url), { workerData: { checkpoint: file } });
    thread.unref();
    thread.on("message", () => {
      busy = false;
    });
    thread.on("error", (error) => {
      worker = undefined;
      busy = false;
      onError(error);
    });
    return thread;
  }

  return {
    wrote(more) {
      rows += more;
      if (rows < ROWS || busy) return;
      rows = 0;
      busy = true;
      worker ??= start();
      worker.postMessage("checkpoint");
    },
    stop() {
      const ending = worker;
      worker = undefined;
      busy = true;
      // A caller waits for the thread's end now, so the process must not exit before it.
      ending?.ref();
      ending?.postMessage("stop");
      return ending && new Promise<void>((resolve) => ending.once("exit", () => resolve()));
    },
  };
}

/** Runs on the thread: makes a checkpoint for each message, until `stop`. */
function serve(file: string): void {
  const db = new DatabaseSync(file, { timeout: 0 });
  db.exec(`PRAGMA ${FULL_FLUSH}`);
  parentPort?.on("message", (message: "checkpoint" | "stop") => {
    if (message === "stop") {
      db.close();
      parentPort?.close();
      return;
    }
    // PASSIVE does not wait: pages that a reader or writer holds are left for the next checkpoint.
    db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    parentPort?.postMessage("done");
  });
}

const { checkpoint } = (workerData ?? {}) as { checkpoint?: string };
if (!isMainThread && checkpoint !== undefined) serve(checkpoint);
