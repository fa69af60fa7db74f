import type { Batch } from "./database.ts";

/** An item that waits for its transaction. The items of a batch with the same `work` are passed to it as one list. */
export type Job = {
  work: Batch<unknown, unknown>;
  item: unknown;
  /** The keys that the job locks; absent: everything. */
  key: readonly string[] | undefined;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
};

type Options = {
  /** Runs the jobs of a batch and settles them. Never rejects. */
  run: (jobs: readonly Job[]) => Promise<void>;
  /** Batches under way at the same time. */
  parallel: number;
  /** Jobs in one batch. */
  max: number;
};

/**
 * Collects jobs into batches, several of which may run at a time. Jobs with a common key run in order of arrival: a job waits
 * while a running batch has one of its keys.
 */
export function createQueue({ run, parallel, max }: Options) {
  let waiting: Job[] = [];
  /** Keys of the batches under way. */
  const busy = new Set<string>();
  let running = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || waiting.length === 0 || running >= parallel) return;
    scheduled = true;
    // After this tick of the event loop, so that jobs that arrive together share a batch.
    setImmediate(start);
  }

  /** Takes the oldest jobs whose keys are free; a job behind one that waits for the same key waits too. */
  function take(): Job[] {
    const batch: Job[] = [];
    const blocked = new Set<string>();
    const left: Job[] = [];
    let seen = 0;
    for (const job of waiting) {
      if (batch.length >= max) break;
      seen++;
      const keys = job.key ?? [];
      if (keys.every((key) => !busy.has(key) && !blocked.has(key))) batch.push(job);
      else {
        for (const key of keys) blocked.add(key);
        left.push(job);
      }
    }
    waiting = [...left, ...waiting.slice(seen)];
    return batch;
  }

  function start(): void {
    scheduled = false;
    const batch = take();
    if (batch.length === 0) return;
    const keys = batch.flatMap(({ key }) => key ?? []);
    for (const key of keys) busy.add(key);
    running++;
    void run(batch).finally(() => {
      running--;
      for (const key of keys) busy.delete(key);
      schedule();
    });
    schedule();
  }

  return {
    /** Adds a job to a later batch. */
    add(job: Job): void {
      waiting.push(job);
      schedule();
    },
    /** Removes and returns the jobs that have not begun. */
    drop: (): Job[] => waiting.splice(0),
  };
}
