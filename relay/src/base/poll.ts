import type { Clock } from "./clock.ts";

/** A task that runs repeatedly, one run at a time. */
export type Poll = {
  /** Starts with a run at once. */
  start: () => void;
  /** Runs the task at once; during a run, directly after it. */
  wake: () => void;
  /** Prevents further runs. Resolves when the current run has ended. */
  stop: () => Promise<void>;
  /** Whether `stop` was called. A long run should end early then. */
  isStopped: () => boolean;
};

type Options = {
  clock: Clock;
  /** Milliseconds between the end of a run and the start of the next. */
  every: number;
  run: () => Promise<void>;
  onError: (error: unknown) => void;
};

/** Runs a task repeatedly until it is stopped. Errors go to `onError`; the task goes on. */
export function createPoll({ clock, every, run, onError }: Options): Poll {
  let stopped = false;
  let running: Promise<void> | undefined;
  let awake = false;
  let cancel = (): void => {};

  function schedule(ms: number): void {
    if (stopped) return;
    cancel();
    cancel = clock.after(ms, begin);
  }

  function begin(): void {
    awake = false;
    running = run().then(end, (error: unknown) => {
      onError(error);
      // Pause also after an error: a failing database is not queried in a loop.
      awake = false;
      end();
    });
  }

  function end(): void {
    running = undefined;
    schedule(awake ? 0 : every);
  }

  return {
    start: () => schedule(0),
    wake() {
      awake = true;
      if (running === undefined) schedule(0);
    },
    isStopped: () => stopped,
    async stop() {
      stopped = true;
      cancel();
      await running;
    },
  };
}
