/** Room for a bounded number of connections. */
export type Places = {
  /** Takes a place. @returns what gives it back, once; or nothing when there is none for this address */
  take: (address: string) => (() => void) | undefined;
  /** Places that are taken. */
  taken: () => number;
};

/** From here on, as a share of all places, only addresses that hold none are let in. */
const NEARLY_FULL = 0.9;

/**
 * Counts connections, whatever their transport, per address and in all. Near the end of all places there is room only for
 * addresses that have none: a flood from a few addresses keeps nobody else out (RELIABILITY A26).
 * @param perAddress 0: no limit
 * @param total 0: no limit
 */
export function createPlaces({ perAddress, total }: { perAddress: number; total: number }): Places {
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
