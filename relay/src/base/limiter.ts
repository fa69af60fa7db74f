/** A rate limit per key. */
export type Limiter = {
  /** Takes `amount` tokens (default 1). @returns 0 when the call may proceed, otherwise the milliseconds to wait */
  take: (key: string, amount?: number) => number;
  /** `left`: tokens that the key has now. `taken`: tokens that were taken and have not returned. Without a limit, `taken` is 0. */
  levels: (key: string) => { left: number; taken: number };
  /** Removes tokens that another node's limiter gave out. Fewer than 0 tokens are never left. */
  spend: (key: string, amount: number) => void;
  /** The number of keys in memory. */
  size: () => number;
};

/** Most keys in memory, about 10 MB. When there are more, the limiter forgets the half that was idle longer. */
const KEYS_MAX = 50_000;

type Bucket = { tokens: number; at: number };

type State = {
  burst: number;
  /** Tokens that return per millisecond. */
  perMs: number;
  /** Milliseconds in which an empty bucket fills: a full bucket equals no bucket. */
  fullMs: number;
  /** The buckets in use, and those that were last used before `rotatedAt`. */
  young: Map<string, Bucket>;
  old: Map<string, Bucket>;
  rotatedAt: number;
};

/**
 * Token buckets by key, in this process. The cost of a call is constant, and there are never more than `KEYS_MAX` keys.
 *
 * There are two maps, because one map in the order of last use would cost 150 µs a call with 20,000 keys: V8 skips every
 * deleted entry before the oldest one.
 * @param options.burst tokens of a full bucket
 * @param options.perMinute refill; 0: no limit
 * @param options.uptime monotonic milliseconds
 */
export function createLimiter(options: { burst: number; perMinute: number; uptime: () => number }): Limiter {
  const { burst, perMinute, uptime } = options;
  const perMs = perMinute / 60_000;
  const state: State = { burst, perMs, fullMs: burst / perMs, young: new Map(), old: new Map(), rotatedAt: uptime() };
  return {
    size: () => state.young.size + state.old.size,
    levels(key) {
      if (perMinute === 0) return { left: Number.POSITIVE_INFINITY, taken: 0 };
      const { tokens } = bucketOf(state, key, uptime());
      return { left: tokens, taken: burst - tokens };
    },
    spend(key, amount) {
      if (perMinute === 0) return;
      const bucket = bucketOf(state, key, uptime());
      bucket.tokens = Math.max(0, bucket.tokens - amount);
    },
    take(key, amount = 1) {
      if (perMinute === 0) return 0;
      const bucket = bucketOf(state, key, uptime());
      const needed = Math.min(amount, burst);
      const { tokens } = bucket;
      if (tokens < needed) return Math.ceil((needed - tokens) / perMs);
      bucket.tokens = Math.max(0, tokens - amount);
      return 0;
    },
  };
}

/** The key's bucket, filled up to now. */
function bucketOf(state: State, key: string, now: number): Bucket {
  if (now - state.rotatedAt >= state.fullMs || state.young.size >= KEYS_MAX / 2) rotate(state, now);
  const { young, old, burst, perMs } = state;
  const known = young.get(key) ?? old.get(key);
  const bucket = known ?? { tokens: burst, at: now };
  bucket.tokens = Math.min(burst, bucket.tokens + (now - bucket.at) * perMs);
  bucket.at = now;
  if (!young.has(key)) {
    old.delete(key);
    young.set(key, bucket);
  }
  return bucket;
}

/** Forgets the old buckets. After `fullMs` each of them is full; after twice that time the young ones are full as well. */
function rotate(state: State, now: number): void {
  state.old = now - state.rotatedAt >= 2 * state.fullMs ? new Map() : state.young;
  state.young = new Map();
  state.rotatedAt = now;
}
