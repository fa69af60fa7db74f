import { accept, atOnce, beginTrial, judge, refuse } from "./learned-limit.ts";
import type { Outcome } from "./outcome.ts";
import {
  type Answered,
  advance,
  allowed,
  count,
  isClean,
  MANY,
  MINUTE,
  oldestLeaves,
  type Pace,
  placesInUse,
  REPEATS_A_MINUTE,
  REPEATS_MAX,
} from "./pace.ts";

/** When the next call with a key may go. */

/** As the parameters of `settle`. */
type Settling = { contended?: boolean; random?: () => number; tookMs?: number };

/** Shortest time between two doublings of the budget, in ms. */
const DOUBLE_MS = 5_000;
/** Most calls under way when a refusal showed a limit only once. */
const FEW = 3;
/** While nothing is known about the limit, one call may be under way for every so many answered ones, up to `MANY`. */
const ANSWERED_PER_FLIGHT = 4;
/** For each group of this many places above the trusted ones, one more call may be under way. */
const PLACES_PER_FLIGHT = 4;
/** When no answer came for this time, and for twice the usual duration, another call may go. */
const NO_ANSWER_MS = 2_000;
/** A refusal is judged when all earlier calls are answered, or after this time. */
const JUDGE_MS = 3_000;
/** Weight of one answer in the average duration of calls. */
const LEARN_TOOK = 1 / 8;

/** Outcomes that do not show whether the service counted the call. */
const MAYBE_UNCOUNTED: ReadonlySet<Outcome["kind"]> = new Set(["transient", "unknown", "edge", "unready"]);

/**
 * Takes a place for one call, if one is free.
 * @returns 0: the call may go now and holds a place; pass the present `pace.period` to `settle`. Otherwise ms to wait.
 */
export function take(pace: Pace, time: number): number {
  advance(pace, time);
  const wait = waitFor(pace, time);
  if (wait > 0) return Math.max(1, Math.ceil(wait));
  pace.unanswered++;
  pace.lastAt = time;
  return 0;
}

/** Counts a second call under the permit of another one. Later calls wait for its place. */
export function takeSecondCall(pace: Pace, time: number): void {
  advance(pace, time);
  count(pace);
}

/**
 * Takes a place for one repeat of a failed call, if one is free. Repeats have their own budget: ten a minute, and one more for
 * each accepted call. While other work waits it is only a tenth of that, so that repeats stay below a tenth of all calls (3g).
 */
export function takeRepeat(pace: Pace, time: number): number {
  pace.repeats = Math.min(REPEATS_MAX, pace.repeats + ((time - pace.repeatsAt) * REPEATS_A_MINUTE) / MINUTE);
  pace.repeatsAt = time;
  if (pace.repeats < 1) return Math.ceil(((1 - pace.repeats) * MINUTE) / REPEATS_A_MINUTE);
  const wait = take(pace, time);
  if (wait === 0) pace.repeats--;
  return wait;
}

/**
 * Records the outcome of a call.
 * @param period `pace.period` when the call took its place
 * @param contended other work than repeats is waiting
 * @param tookMs from the call to its answer, if there was one
 */
export function settle(
  pace: Pace,
  period: number,
  outcome: Answered,
  time: number,
  { contended = false, random = Math.random, tookMs }: Settling = {},
): void {
  advance(pace, time);
  if (tookMs !== undefined) pace.tookMs += (tookMs - pace.tookMs) * LEARN_TOOK;
  const current = period === pace.period;
  if (current) pace.unanswered = Math.max(0, pace.unanswered - 1);
  else pace.older = Math.max(0, pace.older - 1);
  if (outcome.kind === "throttle") {
    // Calls that were under way together count as one refusal.
    if (current) refuse(pace, outcome, time, { random, tookMs });
  } else {
    count(pace);
    if (!MAYBE_UNCOUNTED.has(outcome.kind)) accept(pace, current, outcome, time, { contended, random });
  }
  if (pace.older === 0) judge(pace, time);
}

/** The pace for logs and metrics: calls per minute, the limit if it is known, and ms for which no call goes. */
export const paceOf = (pace: Pace, time: number): { rate: number; limit: number | undefined; pausedFor: number } => ({
  rate: Math.floor((allowed(pace) * MINUTE) / pace.windowMs),
  limit: pace.known ? pace.budget : undefined,
  pausedFor: Math.max(0, pace.pausedUntil - time, pace.restUntil - time),
});

// ── timing ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Ms until the next call may go. */
function waitFor(pace: Pace, time: number): number {
  const closed = Math.max(pace.pausedUntil, pace.restUntil) - time;
  if (closed > 0) return closed;
  if (time >= pace.refusedAt + JUDGE_MS) judge(pace, time);
  if (pace.pending === undefined) grow(pace, time);
  if (pace.unanswered >= maxUnderWay(pace, time)) {
    const wait = pace.lastAt + NO_ANSWER_MS + 2 * pace.tookMs - time;
    if (wait > 0) return wait;
  }
  return waitForPlace(pace, time);
}

/**
 * Most calls that may be without an answer. When the limit is reached, all of them are refused, so they are few compared with
 * the calls that were accepted before.
 */
function maxUnderWay(pace: Pace, time: number): number {
  const { counted, known, stated, refusals, trusted, tookMs, windowMs } = pace;
  if (refusals > 0) return 1;
  if (stated) return Number.POSITIVE_INFINITY;
  const used = placesInUse(pace);
  if (!known && isClean(pace, time))
    return Math.max(MANY - counted, Math.min(MANY, counted / ANSWERED_PER_FLIGHT), used / PLACES_PER_FLIGHT);
  const usual = (trusted * tookMs) / windowMs;
  const beyond = used - trusted;
  const searching = known || beyond <= 2 * trusted ? 0 : beyond / PLACES_PER_FLIGHT;
  const most = beyond < 0 ? Math.max(known ? MANY : FEW, 2 * usual) : Math.floor(1 + usual + searching);
  return Math.max(most, mostAfterStray(pace));
}

/**
 * Most calls under way after a stray refusal, until `MANY` are accepted. With many calls in the minute before, a limit may be the
 * cause: then one more than were accepted since.
 */
const mostAfterStray = ({ stray, accepted, trusted }: Pace): number =>
  stray ? Math.min(MANY - accepted, trusted < MANY ? MANY : accepted + 1) : 0;

/** Raises a budget that is exhausted: to search for an unknown limit, or to check a known one. */
function grow(pace: Pace, time: number): void {
  if (pace.stated) return;
  if (pace.known) return beginTrial(pace, time);
  if (isClean(pace, time)) {
    pace.budget = Math.max(pace.budget, pace.start);
    pace.shown = undefined;
  }
  if (placesInUse(pace) < pace.budget || time - pace.grownAt < DOUBLE_MS) return;
  pace.grownAt = time;
  pace.budget = Math.min(pace.ceiling, pace.budget * 2);
}

/**
 * Ms until one more call fits into the window. For a known limit, the first half of the budget may go at once, so that a burst
 * after quiet hours is not delayed. The second half is spread over the rest of the window, so that a new visitor's first
 * message, which goes before all others, soon finds a place. Right after the limit was found, nearly all of it may go at once:
 * an abrupt change from bursts to an even pace would cost half a window.
 */
function waitForPlace(pace: Pace, time: number): number {
  const { lastAt, grownAt, known, counted } = pace;
  const [used, most] = [placesInUse(pace), allowed(pace)];
  if (pace.trial?.even === true) return Math.max(0, lastAt + pace.windowMs / most - time);
  if (used >= most) {
    const free = counted === 0 ? NO_ANSWER_MS : Math.max(1, oldestLeaves(pace) - time);
    return known ? free : Math.min(free, Math.max(1, grownAt + DOUBLE_MS - time));
  }
  if (time < pace.spreadUntil) return Math.max(0, lastAt + pace.spreadMs - time);
  if (!known || counted === 0 || used < most * atOnce(pace, time)) return 0;
  return Math.max(0, lastAt + (oldestLeaves(pace) - lastAt) / (most - used + 1) - time);
}
