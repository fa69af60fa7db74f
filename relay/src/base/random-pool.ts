/** Bytes that are asked of the platform at once. */
const SIZE = 1_024;

/**
 * A source of random bytes for many ids: asking the platform costs several microseconds, for one id as for fifty.
 * @returns a function that returns up to `SIZE` random bytes, each of them only once
 */
export function createRandomPool(): (count: number) => Uint8Array {
  let pool = new Uint8Array();
  let used = 0;
  return (count) => {
    if (used + count > pool.length) {
      pool = crypto.getRandomValues(new Uint8Array(SIZE));
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  };
}
