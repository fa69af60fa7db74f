import type { Clock } from "../base/clock.ts";
import type { Bus } from "./bus.ts";

/** Which visitors are connected: each connection subscribes to its visitor's news until it ends. */
export type Presence = {
  /** Time of the visitor's last disconnect, in milliseconds since 1970; undefined while the visitor is connected. */
  awaySince: (visitor: string) => number | undefined;
};

/**
 * Disconnects are kept in two generations of this many, about 6 MB each. A visitor whose disconnect was dropped counts as away
 * since the start of this process. Searching all disconnects for old ones would take longer with each disconnect (A27).
 */
const GENERATION_MAX = 50_000;

/** Adds presence to a bus. A visitor who was never connected counts as away since the start of this process. */
export function withPresence(bus: Bus, clock: Clock): Bus & Presence {
  const startedAt = clock.now();
  /** Number of open connections, by visitor. */
  const connections = new Map<string, number>();
  let newer = new Map<string, number>();
  let older = newer;

  function recordDisconnect(visitor: string): void {
    const others = (connections.get(visitor) ?? 1) - 1;
    if (others > 0) return void connections.set(visitor, others);
    connections.delete(visitor);
    if (newer.size >= GENERATION_MAX) {
      older = newer;
      newer = new Map();
    }
    newer.set(visitor, clock.now());
  }

  return {
    ...bus,
    subscribe(visitor, listener) {
      connections.set(visitor, (connections.get(visitor) ?? 0) + 1);
      const end = bus.subscribe(visitor, listener);
      return () => {
        end();
        recordDisconnect(visitor);
      };
    },
    awaySince: (visitor) =>
      connections.has(visitor) ? undefined : (newer.get(visitor) ?? older.get(visitor) ?? startedAt),
  };
}
