/** Time of the sandbox: the machine's, or one that stands still until it is advanced (option `clock`). */

import type { SandboxConfig } from "./options.ts";

export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `job` after `ms`; returns what cancels it. Real timers never keep the process alive. */
  after(ms: number, job: () => void): () => void;
  /** Resolves after `ms`; at once when that is 0. */
  wait(ms: number): Promise<void>;
  /** Moves virtual time on and runs what falls due, in order, letting each job's consequences happen before the next. */
  advance(ms: number): Promise<void>;
  /** Cancels everything that waits. */
  clear(): void;
};

/** Longest delay a timer of the platform takes; a longer one is waited for in steps. */
const TIMER_MAX = 2 ** 31 - 1;

type Due = { at: number; job: () => void };

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

export function makeClock(config: Pick<SandboxConfig, "clock">, realNow: () => number): Clock {
  /** How far advancing has moved time ahead of the machine's. */
  let ahead = 0;
  /** Where virtual time stands; undefined while time is real. */
  let frozen: number | undefined;
  let waiting: Due[] = [];
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

  function realAfter(ms: number, job: () => void): () => void {
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

  function virtualAfter(ms: number, job: () => void): () => void {
    const due = { at: now() + ms, job };
    const before = waiting.findIndex((other) => other.at > due.at);
    waiting.splice(before === -1 ? waiting.length : before, 0, due);
    return () => {
      waiting = waiting.filter((other) => other !== due);
    };
  }

  const after = (ms: number, job: () => void) => (config.clock === "real" ? realAfter(ms, job) : virtualAfter(ms, job));

  async function advance(ms: number): Promise<void> {
    const target = now() + ms;
    for (let due = waiting[0]; due !== undefined && due.at <= target; due = waiting[0]) {
      waiting.shift();
      move(Math.max(0, due.at - now()));
      due.job();
      await nextTurn();
    }
    move(Math.max(0, target - now()));
  }

  return {
    now,
    after,
    advance,
    wait: (ms) => (ms > 0 ? new Promise((resolve) => after(ms, resolve)) : Promise.resolve()),
    clear() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      waiting = [];
    },
  };
}
