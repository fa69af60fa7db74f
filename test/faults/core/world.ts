import { seededRandom } from "@porchlight/shared/seeded-random";
import type { Clock } from "../../../relay/src/base/clock.ts";

type Event = { at: number; order: number; fn: () => void };

/**
 * Virtual time. Events run one at a time when they are due; between two events, every promise that can settle has settled.
 * Nothing uses the real clock.
 */
export type World = {
  random: () => number;
  /** Random numbers for newer features, so that the runs of old seeds stay the same. */
  aside: () => number;
  now: () => number;
  /** A whole number from `min` to `max`. */
  pick: (min: number, max: number) => number;
  chance: (probability: number) => boolean;
  /** Calls `fn` after `ms`. @returns a function that cancels it */
  after: (ms: number, fn: () => void) => () => void;
  /** Runs events until `done()` or until `limit` ms have passed. Resolves to whether it was done. */
  run: (done: () => boolean, limit: number) => Promise<boolean>;
};

/** Whether `a` comes before `b`: by time, then by order of arrival. */
const before = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Adds an event to a binary heap. */
function push(heap: Event[], event: Event): void {
  let i = heap.push(event) - 1;
  while (i > 0) {
    const up = (i - 1) >> 1;
    const parent = heap[up] as Event;
    if (!before(event, parent)) break;
    heap[i] = parent;
    i = up;
  }
  heap[i] = event;
}

/** Takes the first event from a binary heap. */
function pop(heap: Event[]): Event | undefined {
  const top = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return top;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1] as Event, heap[child] as Event)) child++;
    if (!before(heap[child] as Event, last)) break;
    heap[i] = heap[child] as Event;
    i = child;
  }
  heap[i] = last;
  return top;
}

/** @param seed decides every random number, so the same code runs the same way again */
export function createWorld(seed: number): World {
  const random = seededRandom(seed);
  const events: Event[] = [];
  let now = 0;
  let order = 0;

  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  return {
    random,
    aside: seededRandom(seed ^ 0xa51de),
    now: () => now,
    pick: (min, max) => min + Math.floor(random() * (max - min + 1)),
    chance: (probability) => random() < probability,
    after(ms, fn) {
      const event: Event = { at: now + Math.max(0, ms), order: order++, fn };
      push(events, event);
      return () => {
        event.fn = () => {};
      };
    },
    async run(done, limit) {
      const end = now + limit;
      while (!done()) {
        const event = pop(events);
        if (event === undefined || event.at > end) return done();
        now = event.at;
        event.fn();
        await settled();
      }
      return true;
    },
  };
}

/** The relay's clock in this world; `shift` moves the wall clock, as when a person sets it. */
export function clockOf(world: World, shift: () => number, alive: () => boolean): Clock {
  const start = Date.UTC(2026, 10, 21);
  return {
    now: () => Math.floor(start + shift() + world.now()),
    uptime: world.now,
    after: (ms, fn) => world.after(ms, () => alive() && fn()),
  };
}
