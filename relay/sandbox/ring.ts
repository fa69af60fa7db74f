/** A list of the newest entries. The cost of adding does not depend on its length. */
export type Ring<T> = {
  add(entry: T): void;
  /** Oldest first. */
  list(): T[];
  /** Number of all entries ever added. */
  readonly total: number;
  clear(): void;
};

/** @param size number of entries; it is read at each addition, so that an option can change it */
export function createRing<T>(size: () => number): Ring<T> {
  let entries: T[] = [];
  let total = 0;
  return {
    add(entry) {
      total += 1;
      entries.push(entry);
      // Cutting only at twice the size makes an addition cheap on average.
      if (entries.length > 2 * size()) entries = size() === 0 ? [] : entries.slice(-size());
    },
    list: () => (size() === 0 ? [] : entries.slice(-size())),
    get total() {
      return total;
    },
    clear() {
      entries = [];
      total = 0;
    },
  };
}
