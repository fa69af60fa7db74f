import { DatabaseSync } from "node:sqlite";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/**
 * Rows written between two checkpoints. A checkpoint writes each changed page once, so a longer pause between two of
 * them saves work; a page of the log is read by nobody but SQLite.
 */
const ROWS = 2_000;

/** On macOS `fsync` leaves data in the disk's own cache; this asks for `F_FULLFSYNC`, as `fdatasync` of Node.js does. */
export const FULL_FLUSH = "fullfsync = ON";

export type Checkpoints = {
  /** Counts rows that a commit wrote, and asks for a checkpoint when there are enough. */
  wrote: (rows: number) => void;
  /** Ends the thread, so that the connection that closes last writes the log back. Nothing where no thread runs. */
  stop: () => Promise<void> | undefined;
};

/**
 * Copies the write-ahead log back into the database on a thread of its own: on the event loop it would be the longest
 * wait of all. The thread starts with the first checkpoint. When it cannot write, nothing is lost: SQLite checkpoints inside
 * a commit once the log is long (`wal_autocheckpoint` of the writer). A flush that failed is another matter (`onError`).
 * @param file the database
 * @param onError is told why the thread ended
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
      // Somebody waits for its end now: a process with nothing else to do must not end before it.
      ending?.ref();
      ending?.postMessage("stop");
      return ending && new Promise<void>((resolve) => ending.once("exit", () => resolve()));
    },
  };
}

/** The thread's side. */
function serve(file: string): void {
  const db = new DatabaseSync(file, { timeout: 0 });
  db.exec(`PRAGMA ${FULL_FLUSH}`);
  parentPort?.on("message", (order: "checkpoint" | "stop") => {
    if (order === "stop") {
      db.close();
      parentPort?.close();
      return;
    }
    // PASSIVE waits for nobody: what a reader or writer holds is left for the next time.
    db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    parentPort?.postMessage("done");
  });
}

const { checkpoint } = (workerData ?? {}) as { checkpoint?: string };
if (!isMainThread && checkpoint !== undefined) serve(checkpoint);
