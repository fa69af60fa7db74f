import { describe, expect, it } from "vitest";
import type { Clock } from "./clock.ts";
import { createPoll } from "./poll.ts";

/** A clock that shows its timers, and fires the oldest one on demand. */
function clockOfTimers() {
  const timers: { ms: number; fn: () => void }[] = [];
  const after = (ms: number, fn: () => void) => {
    const timer = { ms, fn };
    timers.push(timer);
    return () => void timers.splice(timers.indexOf(timer), 1);
  };
  const clock: Clock = { now: () => 0, uptime: () => 0, after };
  return { clock, timers, fire: () => timers.shift()?.fn() };
}

/** A run that ends on demand. */
function manualRun() {
  let resolve = (): void => {};
  const run = (): Promise<void> =>
    new Promise((done) => {
      resolve = done;
    });
  return { run, end: () => resolve() };
}

describe("a poll", () => {
  it("runs at once, then after each interval, and continues after a failure", async () => {
    const { clock, timers, fire } = clockOfTimers();
    const errors: unknown[] = [];
    let runs = 0;
    const run = async (): Promise<void> => {
      runs++;
      throw new Error("no database");
    };
    const poll = createPoll({ clock, every: 500, run, onError: (error) => errors.push(error) });
    poll.start();
    expect(timers[0]?.ms).toBe(0);
    fire();
    await expect.poll(() => timers[0]?.ms).toBe(500);
    fire();
    await expect.poll(() => errors.length).toBe(2);
    expect(runs).toBe(2);
  });

  it("waits for the current run when it is stopped, and starts no other", async () => {
    const { clock, timers, fire } = clockOfTimers();
    const { run, end } = manualRun();
    const poll = createPoll({ clock, every: 500, run, onError: () => {} });
    poll.start();
    fire();
    const stopped = poll.stop();
    expect(poll.isStopped()).toBe(true);
    end();
    await stopped;
    expect(timers).toEqual([]);
  });

  it("runs at once when it is woken, and once again when it is woken during a run", async () => {
    const { clock, timers, fire } = clockOfTimers();
    const { run, end } = manualRun();
    const poll = createPoll({ clock, every: 500, run, onError: () => {} });
    poll.start();
    fire();
    end();
    await expect.poll(() => timers.map(({ ms }) => ms)).toEqual([500]);
    poll.wake();
    expect(timers.map(({ ms }) => ms)).toEqual([0]);
    fire();
    poll.wake();
    expect(timers).toEqual([]);
    end();
    await expect.poll(() => timers.map(({ ms }) => ms)).toEqual([0]);
  });
});
