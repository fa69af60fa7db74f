import { networkOf } from "../base/address.ts";
import type { Clock } from "../base/clock.ts";
import { createLimiter } from "../base/limiter.ts";
import { createRecent } from "../base/recent.ts";

/** Wrong secrets of one address that cost nothing: a callback address that is out of date is called now and then. */
const FREE = 60;
const FREE_PER_MINUTE = 60;
/** An address that guesses more is slow for so long… */
const SLOW_MS = 60_000;
/** …its calls are looked at one after the other, in this interval, and so many may wait. */
const STEP_MS = 100;
const WAITING_MAX = 50;
/** Addresses that have brought the right secret, and those that are slow. */
const ADDRESSES_MAX = 1_000;

export type Guesses = {
  /** @param right whether the call brought a right secret. @returns whether it may come in, at once or after a while */
  admits: (address: string, right: boolean) => Promise<boolean>;
};

/**
 * Limits guessing at callback secrets. A reply is sent once, so the right secret must get in even where others guess from
 * the service's own address: addresses that have brought it are never slow, and others get their turn. Only what finds
 * no place to wait is refused unseen: ten guesses a second from one address, instead of thousands.
 */
export function createGuesses(clock: Clock): Guesses {
  const wrong = createLimiter({ burst: FREE, perMinute: FREE_PER_MINUTE, uptime: clock.uptime });
  const good = createRecent(ADDRESSES_MAX);
  const slowUntil = new Map<string, number>();
  const waiting = new Map<string, number>();

  function slow(address: string): void {
    slowUntil.delete(address);
    slowUntil.set(address, clock.uptime() + SLOW_MS);
    const [oldest] = slowUntil.keys();
    if (slowUntil.size > ADDRESSES_MAX && oldest !== undefined) slowUntil.delete(oldest);
  }

  /** Waits for the address's turn. @returns false when too many wait already */
  async function turn(address: string): Promise<boolean> {
    const before = waiting.get(address) ?? 0;
    if (before >= WAITING_MAX) return false;
    waiting.set(address, before + 1);
    await new Promise<void>((resolve) => void clock.after((before + 1) * STEP_MS, resolve));
    const left = (waiting.get(address) ?? 1) - 1;
    if (left === 0) waiting.delete(address);
    else waiting.set(address, left);
    return true;
  }

  return {
    async admits(whole, right) {
      const address = networkOf(whole);
      const isSlow = (slowUntil.get(address) ?? 0) > clock.uptime() && !good.has(address);
      if (isSlow && !(await turn(address))) return false;
      if (right) good.add(address);
      else if (wrong.take(address) > 0) slow(address);
      return right;
    },
  };
}
