import type { Clock } from "./clock.ts";

/** A task that runs again and again, never twice at a time. */
export type Poll = {
  /** Begins with a run at once. */
  start: () => void;
  /** Runs at once; while a run is under way, right after it. */
  wake: () => void;
  /** Resolves when no run is under way any more; none begins afterwards. */
  stop: () => Promise<void>;
  /** Whether `stop` was called: a long run ends early then. */
  isStopped: () => boolean;
};

type Options = {
  clock: Clock;
  /** Milliseconds between the end of a run and the beginning of the next one. */
  every: number;
  run: () => Promise<void>;
  onError: (error: unknown) => void;
};

/** Runs a task, waits, and runs it again, until it is stopped. A failure goes to `onError` and ends nothing. */
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
      // A database that fails is not asked again without a pause.
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
