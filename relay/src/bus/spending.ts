import type { Clock } from "../base/clock.ts";
import type { Limiter } from "../base/limiter.ts";

/** The tokens that a node took from a limit, by the limit's name and the key. */
export type Spent = readonly [name: string, key: string, amount: number];

/** Limits that count across nodes: each node reports the tokens that it took, and the others take them too. */
export type Spending = {
  /** Returns the limiter with shared tokens: the other nodes take them too. @param name the same on every node */
  share: (name: string, limiter: Limiter) => Limiter;
  /** Takes the tokens that another node reported. */
  receive: (spent: readonly Spent[]) => void;
};

/**
 * Interval (ms) at which a node reports the tokens that it took. Until the report, and after a lost one, the limit allows a
 * little more, never less.
 */
const REPORT_MS = 200;
/** Most entries of one hint: a key has at most about 100 characters, and a hint at most 5,000. */
const REPORT_MAX = 30;

/** Creates the shared limits. @param broadcast sends to the other nodes */
export function createSpending({ clock, broadcast }: { clock: Clock; broadcast: (spent: Spent[]) => void }): Spending {
  const limiters = new Map<string, Limiter>();
  /** Tokens that were taken and not reported yet, by limit and key. */
  const unreported = new Map<string, Spent>();

  function report(): void {
    const all = [...unreported.values()];
    unreported.clear();
    for (let from = 0; from < all.length; from += REPORT_MAX) broadcast(all.slice(from, from + REPORT_MAX));
  }

  function record(name: string, key: string, amount: number): void {
    if (unreported.size === 0) clock.after(REPORT_MS, report);
    const id = `${name}\0${key}`;
    unreported.set(id, [name, key, (unreported.get(id)?.[2] ?? 0) + amount]);
  }

  return {
    share(name, limiter) {
      limiters.set(name, limiter);
      return {
        ...limiter,
        take(key, amount = 1) {
          const wait = limiter.take(key, amount);
          if (wait === 0) record(name, key, amount);
          return wait;
        },
      };
    },
    receive(spent) {
      for (const [name, key, amount] of spent) limiters.get(name)?.spend(key, amount);
    },
  };
}
