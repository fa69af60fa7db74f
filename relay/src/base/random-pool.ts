/** Number of bytes in one request to the platform. */
const POOL_BYTES = 1_024;

/**
 * Creates a source of random bytes for ids. A request to the platform takes several microseconds, however many bytes it asks
 * for, so the source requests bytes for many ids at once.
 * @returns a function that returns up to `POOL_BYTES` random bytes, each of them only once
 */
export function createRandomPool(): (count: number) => Uint8Array {
  let pool = new Uint8Array();
  let used = 0;
  return (count) => {
    if (used + count > pool.length) {
      pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES));
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  };
}
