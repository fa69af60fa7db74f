import { createLimiter } from "./limiter.ts";

/** A bounded number of connections. */
export type ConnectionSlots = {
  /** Takes a slot for an address. @returns a function that gives it back; `undefined` when none is free for this address */
  take: (address: string) => (() => void) | undefined;
  /** The number of taken slots. */
  taken: () => number;
};

/** The share of slots after which only addresses without a connection are accepted. */
const NEARLY_FULL = 0.9;
/**
 * How often an address may take each of its slots in a minute. Honest clients connect again a few times a minute: after a
 * restart, on a page change, or with backoff from one second.
 */
export const TURNS_PER_MINUTE = 6;

type SlotOptions = {
  /** Open connections of one address; 0: no limit. */
  perAddress: number;
  /** Open connections in total; 0: no limit. */
  total: number;
  /** Monotonic milliseconds. With it, one address may take at most `TURNS_PER_MINUTE` times its slots in a minute. */
  uptime?: () => number;
};

/**
 * Counts connections of all transports, per address and in total. The last slots are for addresses without a connection,
 * so that a flood from a few addresses does not lock others out (RELIABILITY A26).
 */
export function createConnectionSlots({ perAddress, total, uptime }: SlotOptions): ConnectionSlots {
  const most = uptime === undefined ? 0 : perAddress * TURNS_PER_MINUTE;
  const arrivals = createLimiter({ burst: most, perMinute: most, uptime: uptime ?? (() => 0) });
  const held = new Map<string, number>();
  let all = 0;

  function leave(address: string): void {
    all--;
    const left = (held.get(address) ?? 1) - 1;
    if (left === 0) held.delete(address);
    else held.set(address, left);
  }

  return {
    taken: () => all,
    take(address) {
      const count = held.get(address) ?? 0;
      if (perAddress > 0 && count >= perAddress) return undefined;
      if (total > 0 && all >= (count > 0 ? Math.floor(total * NEARLY_FULL) : total)) return undefined;
      if (arrivals.take(address) > 0) return undefined;
      held.set(address, count + 1);
      all++;
      let here = true;
      return () => {
        if (here) leave(address);
        here = false;
      };
    },
  };
}
