/** The sandbox's clock: real time, or virtual time that changes only when a test advances it (option `clock`). */

import type { SandboxConfig } from "./options.ts";

export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `job` after `ms`. Real timers do not keep the process alive. @returns a function that cancels the job */
  after(ms: number, job: () => void): () => void;
  /** Resolves after `ms`; immediately when `ms` is 0. */
  wait(ms: number): Promise<void>;
  /** Advances virtual time and runs the due jobs in order. The effects of a job happen before the next job. */
  advance(ms: number): Promise<void>;
  /** Cancels all waiting jobs. */
  clear(): void;
};

/** Longest delay of a platform timer, in milliseconds. Longer delays are split. */
const TIMER_MAX = 2 ** 31 - 1;

type Due = { at: number; job: () => void };

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Runs `job` after `ms` of real time.
 * @param timers holds the timers that can be cancelled
 * @returns a function that cancels it
 */
function realAfter(timers: Set<NodeJS.Timeout>, ms: number, job: () => void): () => void {
  let timer: NodeJS.Timeout;
  const start = (left: number) => {
    timer = setTimeout(
      () => {
        timers.delete(timer);
        if (left > TIMER_MAX) start(left - TIMER_MAX);
        else job();
      },
      Math.min(left, TIMER_MAX),
    );
    timer.unref();
    timers.add(timer);
  };
  start(ms);
  return () => {
    clearTimeout(timer);
    timers.delete(timer);
  };
}

/** A queue of jobs, ordered by time. */
function createJobQueue() {
  let waiting: Due[] = [];
  return {
    /** @returns a function that removes the job */
    add(due: Due): () => void {
      const before = waiting.findIndex((other) => other.at > due.at);
      waiting.splice(before === -1 ? waiting.length : before, 0, due);
      return () => {
        waiting = waiting.filter((other) => other !== due);
      };
    },
    /** Removes and returns the next job that is due at `target`. */
    next(target: number): Due | undefined {
      const [first] = waiting;
      return first !== undefined && first.at <= target ? waiting.shift() : undefined;
    },
    clear(): void {
      waiting = [];
    },
  };
}

/**
 * A clock that follows the option `clock` live. Time that was advanced stays advanced when the clock becomes real again.
 * @param realNow milliseconds since the epoch by the machine's clock
 */
export function createClock(config: Pick<SandboxConfig, "clock">, realNow: () => number): Clock {
  /** How far the clock is ahead of the machine's, because it was advanced. */
  let ahead = 0;
  /** The virtual time; undefined while time is real. */
  let frozen: number | undefined;
  const jobs = createJobQueue();
  const timers = new Set<NodeJS.Timeout>();

  function now(): number {
    if (config.clock === "real") frozen = undefined;
    else frozen ??= realNow() + ahead;
    return frozen ?? realNow() + ahead;
  }
  function move(ms: number): void {
    ahead += ms;
    if (frozen !== undefined) frozen += ms;
  }
  const after = (ms: number, job: () => void) =>
    config.clock === "real" ? realAfter(timers, ms, job) : jobs.add({ at: now() + ms, job });

  return {
    now,
    after,
    async advance(ms) {
      const target = now() + ms;
      for (let due = jobs.next(target); due !== undefined; due = jobs.next(target)) {
        move(Math.max(0, due.at - now()));
        due.job();
        await nextTick();
      }
      move(Math.max(0, target - now()));
    },
    wait: (ms) => (ms > 0 ? new Promise((resolve) => after(ms, resolve)) : Promise.resolve()),
    clear() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      jobs.clear();
    },
  };
}
