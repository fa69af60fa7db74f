import type { World } from "./world.ts";

/** Stops a process for a time, like SIGSTOP and SIGCONT: data still arrives, but waits. Other processes and clocks go on. */
export type Suspension = {
  isStopped: () => boolean;
  /** Stops the process for `ms` from now, or for longer if it is stopped already. */
  stop: (ms: number) => void;
  /** Resolves when the process runs. */
  running: () => Promise<void>;
  /** Calls `fn` at once, or when the process runs again. */
  run: (fn: () => void) => void;
};

/** @returns the suspension of one process, which runs until `stop` is called */
export function createSuspension(world: World): Suspension {
  let until = 0;
  const isStopped = (): boolean => world.now() < until;
  function run(fn: () => void): void {
    if (isStopped()) world.after(until - world.now(), () => run(fn));
    else fn();
  }
  return {
    isStopped,
    stop(ms) {
      until = Math.max(until, world.now() + ms);
    },
    running: () => new Promise((resolve) => run(resolve)),
    run,
  };
}
