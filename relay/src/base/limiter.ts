/** A rate limit per key. */
export type Limiter = {
  /** Takes `amount` tokens (default 1). @returns 0 when the call may proceed, otherwise the milliseconds to wait */
  take: (key: string, amount?: number) => number;
  /** Takes tokens that were spent elsewhere; the bucket never goes below empty. */
  spend: (key: string, amount: number) => void;
  /** The number of keys in memory. */
  size: () => number;
};

/** The most keys in memory, about 10 MB. Beyond it, the key that was idle for longest is forgotten. */
const KEYS_MAX = 50_000;

type Bucket = { tokens: number; at: number };

/**
 * Token buckets by key, in this process. Keys are ordered by their last use. Each call checks the two oldest keys and
 * forgets those with a full bucket, which equals no bucket. So the cost of a call is constant, and there are never more
 * than `KEYS_MAX` keys.
 * @param options.burst tokens of a full bucket
 * @param options.perMinute refill; 0: no limit
 * @param options.uptime monotonic milliseconds
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

  function tokensOf(key: string, now: number): number {
    const bucket = buckets.get(key);
    return bucket === undefined ? burst : filled(bucket, now);
  }

  function set(key: string, tokens: number, now: number): void {
    // Deleting first moves the key to the end of the order.
    buckets.delete(key);
    buckets.set(key, { tokens: Math.max(0, tokens), at: now });
    forgetOldest(now);
  }

  return {
    size: () => buckets.size,
    spend(key, amount) {
      if (perMinute === 0) return;
      const now = uptime();
      set(key, tokensOf(key, now) - amount, now);
    },
    take(key, amount = 1) {
      if (perMinute === 0) return 0;
      const now = uptime();
      const tokens = tokensOf(key, now);
      const may = tokens >= Math.min(amount, burst);
      set(key, may ? tokens - amount : tokens, now);
      return may ? 0 : Math.ceil((Math.min(amount, burst) - tokens) / perMs);
    },
  };
}
