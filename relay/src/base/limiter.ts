/** Says yes, or how long to wait. */
export type Limiter = {
  /** 0 when the call may go on, else milliseconds until it may. */
  take: (key: string) => number;
};

/** Buckets kept before full ones are dropped: a full bucket says the same as none. */
const SWEEP_AT = 10_000;

/**
 * A token bucket per key, per process.
 * @param options.burst calls at once
 * @param options.perMinute refill; 0 switches the limit off
 * @param options.uptime milliseconds that only rise
 */
export function createLimiter(options: { burst: number; perMinute: number; uptime: () => number }): Limiter {
  const { burst, perMinute, uptime } = options;
  const perMs = perMinute / 60_000;
  const buckets = new Map<string, { tokens: number; at: number }>();
  const filled = (bucket: { tokens: number; at: number }, now: number): number =>
    Math.min(burst, bucket.tokens + (now - bucket.at) * perMs);

  const sweep = (now: number): void => {
    for (const [key, bucket] of buckets) if (filled(bucket, now) >= burst) buckets.delete(key);
  };

  return {
    take(key) {
      if (perMinute === 0) return 0;
      const now = uptime();
      if (buckets.size >= SWEEP_AT) sweep(now);
      const bucket = buckets.get(key) ?? { tokens: burst, at: now };
      const tokens = filled(bucket, now);
      buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
      return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / perMs);
    },
  };
}
