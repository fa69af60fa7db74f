import type { Clock } from "../base/clock.ts";
import type { Bus } from "./bus.ts";

/** Who listens: a connection of a visitor subscribes to their news for as long as it lives. */
export type Presence = {
  /** Since when nobody listens for the visitor, milliseconds since 1970; nothing while somebody does. */
  awaySince: (visitor: string) => number | undefined;
};

/** Those who left are remembered for so long: afterwards "since this process began" says as much. */
const REMEMBERED_MS = 24 * 3_600_000;
const SWEEP_AT = 10_000;

/** A bus that knows who listens. Nobody has been away for longer than this process lives, as far as it can know. */
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
