import { prefix48Of } from "./address.ts";
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
/** The share of slots that all addresses of one IPv6 /48 may take together. */
const PREFIX_48_PART = 0.5;
/**
 * How often an address may take each of its slots in a minute. Honest clients connect again a few times a minute: after a
 * restart, on a page change, or with backoff from one second.
 */
export const SLOT_USES_PER_MINUTE = 6;

type SlotOptions = {
  /** Open connections of one address; 0: no limit. */
  perAddress: number;
  /** Open connections in total; 0: no limit. */
  total: number;
  /** Monotonic milliseconds. With it, one address may take at most `SLOT_USES_PER_MINUTE` times its slots in a minute. */
  uptime?: () => number;
};

/** Counts by name. A name whose count returns to 0 is removed. */
function createCounts() {
  const counts = new Map<string, number>();
  const add = (name: string, more: 1 | -1): void => {
    const count = (counts.get(name) ?? 0) + more;
    if (count === 0) counts.delete(name);
    else counts.set(name, count);
  };
  return { of: (name: string): number => counts.get(name) ?? 0, add };
}

/**
 * Counts connections of all transports, per address and in total. The last tenth of the slots is reserved for addresses without a
 * connection, so that a flood from a few addresses does not lock others out (RELIABILITY A26). One IPv6 /48 counts as one
 * client for these reserved slots, and may take at most half of all slots.
 */
export function createConnectionSlots({ perAddress, total, uptime }: SlotOptions): ConnectionSlots {
  const most = uptime === undefined ? 0 : perAddress * SLOT_USES_PER_MINUTE;
  const arrivals = createLimiter({ burst: most, perMinute: most, uptime: uptime ?? (() => 0) });
  const held = createCounts();
  let all = 0;

  /** Whether the total leaves no slot for a client. @param name its /48; for IPv4 its address */
  function isFull(name: string): boolean {
    if (total === 0) return false;
    return all >= (held.of(name) > 0 ? Math.floor(total * NEARLY_FULL) : total);
  }

  function count(address: string, prefix: string | undefined, more: 1 | -1): void {
    all += more;
    held.add(address, more);
    if (prefix !== undefined) held.add(prefix, more);
  }

  return {
    taken: () => all,
    take(address) {
      // Without a limit per address, many clients share one address: the proxy's.
      const prefix = perAddress > 0 ? prefix48Of(address) : undefined;
      if (perAddress > 0 && held.of(address) >= perAddress) return undefined;
      if (isFull(prefix ?? address)) return undefined;
      if (prefix !== undefined && total > 0 && held.of(prefix) >= Math.floor(total * PREFIX_48_PART)) return undefined;
      if (arrivals.take(address) > 0) return undefined;
      count(address, prefix, 1);
      let isHeld = true;
      return () => {
        if (isHeld) count(address, prefix, -1);
        isHeld = false;
      };
    },
  };
}
