/** Says yes, or how long to wait. */
export type Limiter = {
  /** Takes `amount` (default 1). @returns 0 when the call may go on, else milliseconds until it may */
  take: (key: string, amount?: number) => number;
  /** Keys that are remembered. */
  size: () => number;
};

/** Keys remembered at most, about 10 MB: whoever uses more addresses than this gets the longest idle ones anew. */
const KEYS_MAX = 50_000;

type Bucket = { tokens: number; at: number };

/**
 * A token bucket per key, per process. Keys stand in the order of their last use. Each call looks at the two oldest and
 * forgets those whose bucket is full again, because a full bucket says the same as none: so the cost of a call does not
 * grow with the number of keys, and neither do the keys beyond `KEYS_MAX`.
 * @param options.burst calls at once
 * @param options.perMinute refill; 0 switches the limit off
 * @param options.uptime milliseconds that only rise
 */
export function createLimiter(options: { burst: number; perMinute: number; uptime: () => number }): Limiter {
  const { burst, perMinute, uptime } = options;
  const perMs = perMinute / 60_000;
  const buckets = new Map<string, Bucket>();
  const filled = (bucket: Bucket, now: number): number => Math.min(burst, bucket.tokens + (now - bucket.at) * perMs);

  function forgetOldest(now: number): void {
    let looked = 0;
    for (const [key, bucket] of buckets) {
      if (looked++ === 2) return;
      if (buckets.size <= KEYS_MAX && filled(bucket, now) < burst) return;
      buckets.delete(key);
    }
  }

  return {
    size: () => buckets.size,
    take(key, amount = 1) {
      if (perMinute === 0) return 0;
      const now = uptime();
      const bucket = buckets.get(key);
      const tokens = bucket === undefined ? burst : filled(bucket, now);
      const may = tokens >= Math.min(amount, burst);
      // Deleted first, so that the key goes to the end of the order.
      buckets.delete(key);
      buckets.set(key, { tokens: may ? Math.max(0, tokens - amount) : tokens, at: now });
      forgetOldest(now);
      return may ? 0 : Math.ceil((Math.min(amount, burst) - tokens) / perMs);
    },
  };
}
