import type { Clock } from "../base/clock.ts";
import type { Limiter } from "../base/limiter.ts";

/** What was taken from a limit of this name under a key, in tokens. */
export type Spent = readonly [name: string, key: string, amount: number];

/** Limits that count across nodes: each node tells the others what it took, and takes what they tell. */
export type Spending = {
  /** The same limiter, whose tokens the other nodes take too. @param name the same on every node */
  share: (name: string, limiter: Limiter) => Limiter;
  /** Takes what another node has told. */
  hear: (spent: readonly Spent[]) => void;
};

/**
 * What was taken is told so often: until then the other nodes do not know of it. A hint that is lost lets a little more pass,
 * never less.
 */
const TELL_MS = 200;
/** Entries of one hint: a key is at most about 100 characters long, and a hint has room for 5,000. */
const TELL_MAX = 30;

/** @param tell sends to the other nodes */
export function createSpending({ clock, tell }: { clock: Clock; tell: (spent: Spent[]) => void }): Spending {
  const limiters = new Map<string, Limiter>();
  /** What was taken and not told yet, by limit and key. */
  const untold = new Map<string, Spent>();

  function flush(): void {
    const all = [...untold.values()];
    untold.clear();
    for (let from = 0; from < all.length; from += TELL_MAX) tell(all.slice(from, from + TELL_MAX));
  }

  function note(name: string, key: string, amount: number): void {
    if (untold.size === 0) clock.after(TELL_MS, flush);
    const id = `${name}\0${key}`;
    untold.set(id, [name, key, (untold.get(id)?.[2] ?? 0) + amount]);
  }

  return {
    share(name, limiter) {
      limiters.set(name, limiter);
      return {
        ...limiter,
        take(key, amount = 1) {
          const wait = limiter.take(key, amount);
          if (wait === 0) note(name, key, amount);
          return wait;
        },
      };
    },
    hear(spent) {
      for (const [name, key, amount] of spent) limiters.get(name)?.spend(key, amount);
    },
  };
}
