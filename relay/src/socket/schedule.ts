import { HEARTBEAT_MS } from "@porchlight/shared/limits";
import type { Clock } from "../base/clock.ts";

/** One sweep a second serves all connections, so that none of them needs a timer of its own. */
export const SWEEP_MS = 1_000;
/** Seconds of the heartbeat interval. */
const SLOTS = HEARTBEAT_MS / SWEEP_MS;

/** Assigns each item to one of the seconds of the heartbeat interval, at random: the work is spread evenly. */
export type Schedule<Item> = {
  /** Adds an item; it is due once per interval from now on. @returns a function that removes it */
  add: (item: Item) => () => void;
  /** The items that became due since the last call. `late`: the process did not run for longer than two sweeps. */
  due: () => { items: Item[]; late: boolean };
};

/** Creates an empty schedule. @param random a random number from 0 to 1, without 1 */
export function createSchedule<Item>(clock: Pick<Clock, "uptime">, random: () => number): Schedule<Item> {
  const slots = Array.from({ length: SLOTS }, () => new Set<Item>());
  const second = (): number => Math.floor(clock.uptime() / SWEEP_MS);
  let last = second();
  return {
    add(item) {
      const slot = slots[Math.floor(random() * SLOTS) % SLOTS];
      slot?.add(item);
      return () => slot?.delete(item);
    },
    due() {
      const now = second();
      const passed = Math.min(SLOTS, now - last);
      last = now;
      const items: Item[] = [];
      for (let at = now - passed + 1; at <= now; at++) items.push(...(slots[at % SLOTS] ?? []));
      return { items, late: passed > 2 };
    },
  };
}
