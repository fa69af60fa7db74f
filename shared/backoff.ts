/**
 * Milliseconds to wait before try number `attempt` (0 for the first repeat): uniform between 0 and `min(cap, base * 2^attempt)`
 * ("full jitter"). So clients that disconnected at the same time do not reconnect at the same time.
 * @param random uniform in [0, 1)
 */
export function backoff(attempt: number, base: number, cap: number, random: () => number = Math.random): number {
  return Math.floor(random() * Math.min(cap, base * 2 ** Math.min(attempt, 30)));
}
