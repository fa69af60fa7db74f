import type { Clock } from "../base/clock.ts";
import type { Bus } from "./bus.ts";

/** Which visitors are connected: each connection subscribes to its visitor's news until it ends. */
export type Presence = {
  /** Time of the visitor's last disconnect, in milliseconds since 1970; undefined while the visitor is connected. */
  awaySince: (visitor: string) => number | undefined;
};

/**
 * Disconnects are kept in two generations of this many, about 6 MB each. For a forgotten one, the start of this process is a
 * sufficient answer. Searching all of them for old ones would cost each disconnect more than the one before (A27).
 */
const GENERATION_MAX = 50_000;

/** Adds presence to a bus. A visitor who was never connected counts as away since the start of this process. */
export function withPresence(bus: Bus, clock: Clock): Bus & Presence {
  const begun = clock.now();
  const here = new Map<string, number>();
  let young = new Map<string, number>();
  let old = young;

  function leave(visitor: string): void {
    const others = (here.get(visitor) ?? 1) - 1;
    if (others > 0) return void here.set(visitor, others);
    here.delete(visitor);
    if (young.size >= GENERATION_MAX) {
      old = young;
      young = new Map();
    }
    young.set(visitor, clock.now());
  }

  return {
    ...bus,
    subscribe(visitor, listener) {
      here.set(visitor, (here.get(visitor) ?? 0) + 1);
      const end = bus.subscribe(visitor, listener);
      return () => {
        end();
        leave(visitor);
      };
    },
    awaySince: (visitor) => (here.has(visitor) ? undefined : (young.get(visitor) ?? old.get(visitor) ?? begun)),
  };
}
