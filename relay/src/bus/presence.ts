import type { Clock } from "../base/clock.ts";
import type { Bus } from "./bus.ts";

/** Which visitors are connected: each connection subscribes to its visitor's news until it ends. */
export type Presence = {
  /** Time of the visitor's last disconnect, in milliseconds since 1970; undefined while the visitor is connected. */
  awaySince: (visitor: string) => number | undefined;
};

/** How long (ms) disconnects are remembered. For older ones, the start of this process is a sufficient answer. */
const REMEMBERED_MS = 24 * 3_600_000;
const SWEEP_AT = 10_000;

/** Adds presence to a bus. A visitor who was never connected counts as away since the start of this process. */
export function withPresence(bus: Bus, clock: Clock): Bus & Presence {
  const begun = clock.now();
  const here = new Map<string, number>();
  const left = new Map<string, number>();

  function leave(visitor: string): void {
    const others = (here.get(visitor) ?? 1) - 1;
    if (others > 0) return void here.set(visitor, others);
    here.delete(visitor);
    const now = clock.now();
    if (left.size >= SWEEP_AT) for (const [each, at] of left) if (now - at > REMEMBERED_MS) left.delete(each);
    left.set(visitor, now);
  }

  return {
    publish: bus.publish,
    subscribe(visitor, listener) {
      here.set(visitor, (here.get(visitor) ?? 0) + 1);
      const end = bus.subscribe(visitor, listener);
      return () => {
        end();
        leave(visitor);
      };
    },
    awaySince: (visitor) => (here.has(visitor) ? undefined : (left.get(visitor) ?? begun)),
  };
}
