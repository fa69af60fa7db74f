import { networkOf } from "../base/address.ts";
import { setNewest } from "../base/bounded-map.ts";
import type { Clock } from "../base/clock.ts";
import { createLimiter } from "../base/limiter.ts";
import { createRecent } from "../base/recent.ts";

/** Wrong secrets that one address may send without a delay, because services may still call an outdated callback address. */
const FREE = 60;
const FREE_PER_MINUTE = 60;
/** Time for which an address is delayed after it sent more wrong secrets, in milliseconds. */
const DELAY_MS = 60_000;
/** For a delayed address, one call is checked per interval (in milliseconds); at most `WAITING_MAX` of its calls wait. */
const STEP_MS = 100;
const WAITING_MAX = 50;
/** Most addresses that are remembered of each kind: those that sent a right secret, and those that are delayed. */
const ADDRESSES_MAX = 1_000;

export type Guesses = {
  /** @param right whether the call has a right secret. @returns whether to accept the call; a delayed address waits for it */
  accepts: (address: string, right: boolean) => Promise<boolean>;
};

/**
 * Limits guessing at callback secrets to ten guesses a second for each address. The service sends a reply only once, so a call
 * with the right secret must be accepted even while others guess from the same address. An address that sent the right secret
 * is never delayed; the calls of a delayed address wait in a queue. A call is refused unchecked only when the queue is full.
 */
export function createGuesses(clock: Clock): Guesses {
  const wrongSecrets = createLimiter({ burst: FREE, perMinute: FREE_PER_MINUTE, uptime: clock.uptime });
  const trusted = createRecent(ADDRESSES_MAX);
  /** Delayed addresses, each with the uptime (ms) at which its delay ends. */
  const delayedUntil = new Map<string, number>();
  /** Number of calls that wait, by address. */
  const waiting = new Map<string, number>();

  /** Waits in the queue of the address. @returns false when its queue is full */
  async function waitInQueue(address: string): Promise<boolean> {
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
    async accepts(whole, right) {
      const address = networkOf(whole);
      const isDelayed = (delayedUntil.get(address) ?? 0) > clock.uptime() && !trusted.has(address);
      if (isDelayed && !(await waitInQueue(address))) return false;
      if (right) trusted.add(address);
      else if (wrongSecrets.take(address) > 0)
        setNewest(delayedUntil, address, clock.uptime() + DELAY_MS, ADDRESSES_MAX);
      return right;
    },
  };
}
