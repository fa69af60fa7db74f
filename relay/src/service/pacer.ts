import type { Outcome } from "./outcome.ts";

/**
 * The pace of one account key towards a rate limit that may not be stated (R-801 to R-803, RELIABILITY 3g).
 *
 * The state is a plain object of numbers, so it can be copied, stored and sent to another node. All functions are top level
 * and take the time as an argument. The cost of a call does not depend on the number of calls before it.
 *
 * Counting. The service counts a call at an unknown moment between its departure and its answer. So a call holds a place from
 * its departure until one window after its answer. With at most `budget` places in use, no window of the service, fixed or
 * sliding, can contain more than `budget` calls. A budget of at most the limit is therefore never refused.
 *
 * Learning the limit.
 * - Not refused yet: the budget doubles when it is used up.
 * - Refused: the calls accepted in the window of the refusal show the limit. Fewer than half of the budget do not explain the
 *   refusal (a restart, another client of the key, a stray 429): then the budget is halved. It is never below what was
 *   accepted. Two refusals that show the same number prove the limit.
 * - A proven limit is checked from time to time with a higher budget. Calls above the number that is known to be accepted go
 *   one by one, so a failed check costs about one refusal.
 *
 * After a refusal nothing goes for the time that the service states, then one call goes alone.
 */
export type Pace = {
  /** Calls per window at the start, and again after a time without refusals. */
  start: number;
  /** Upper bound of the budget. */
  ceiling: number;
  /** Length of the service's window in ms. */
  windowMs: number;
  /** Answered calls per slot of the last window: a ring, indexed by slot number modulo its length. */
  counts: number[];
  /** Slot number of the newest counter, and of the oldest one that may hold a call. */
  newest: number;
  oldest: number;
  /** Sum of `counts`. */
  counted: number;
  /** Time of the latest call. */
  lastAt: number;

  budget: number;
  /** Calls per window that are known to be accepted: so many may be under way together. */
  trusted: number;
  /** The limit is proven or stated. */
  known: boolean;
  /** The service states its limit in headers: no checks are needed. */
  stated: boolean;
  /** A stated limit below which calls were refused: it is not believed again. */
  distrusted: number | undefined;
  /** The limit that the previous refusal showed. */
  shown: number | undefined;
  /** A refusal that is judged when the calls before it are answered. */
  pending: Refusal | undefined;
  knownAt: number;
  grownAt: number;

  /** Increases with each refusal: the answers to calls of an older epoch say nothing about the time after it. */
  epoch: number;
  /** Calls without an answer: of this epoch, and of older ones. */
  unanswered: number;
  older: number;
  /** Duration of a call in ms: a moving average. */
  tookMs: number;
  /** Calls accepted in this epoch, and refusals since the last accepted call. */
  accepted: number;
  refusals: number;
  refusedAt: number;
  /** No call goes before these times: after a refusal, or after a success that used up the quota. */
  pausedUntil: number;
  restUntil: number;

  /** A higher budget that is being checked. */
  trial: Trial | undefined;
  nextTrialAt: number;
  trialsInVain: number;
  /** The last check passed: the next one may take a larger step. */
  bold: boolean;

  /** How many repeats may go: see `takeRepeat`. */
  repeats: number;
  repeatsAt: number;
};

/** `seen`: calls accepted in the window of the refusal. `statedLimit`: the stated limit. `hasWait`: the refusal stated a waiting time. */
type Refusal = { seen: number; statedLimit: number | undefined; hasWait: boolean };
type Trial = { budget: number; from: number; count: number; windows: number; even: boolean };
type Settling = { contended?: boolean; random?: () => number; tookMs?: number };
export type Answered = Pick<Outcome, "kind" | "waitMs" | "limit">;

const MINUTE = 60_000;
/** Slots of a window. */
const SLOTS = 600;
/** Slots that a call is counted for: one more than a window has, because the call may stand at the end of its slot. */
export const RING = SLOTS + 1;
/** Shortest time between two doublings of the budget, in ms. */
const DOUBLE_MS = 5_000;
/** The share that may go at once shrinks by this much with each window. */
const SPREAD_MORE = 0.03;
/** Lowest budget. Below it, the waiting times of refusals limit the pace. */
const LEAST = 4;
/** After this many windows without a refusal, the search for an unknown limit starts again. */
const CLEAN_WINDOWS = 2.5;
/** Calls that may be under way: after a quiet minute or with a known limit, and when a refusal showed a limit only once. */
const MANY = 8;
const FEW = 3;
/** While nothing is known about the limit, one call may be under way for this many answered ones, up to `MANY`. */
const ANSWERED_PER_FLIGHT = 4;
/** For each group of this many places above the trusted ones, one more call may be under way. */
const PLACES_PER_FLIGHT = 8;
/** When no answer came for this time, and for twice the usual duration, another call may go. */
const NO_ANSWER_MS = 2_000;
/** A refusal is judged when all earlier calls are answered, or after this time. */
const JUDGE_MS = 3_000;
/** Rounding error of stated waiting times: they are rounded up to seconds, and an HTTP date is rounded twice. */
const ROUNDING_MS = 2_000;
/** Weight of one answer in the average duration of calls. */
const LEARN_TOOK = 1 / 8;
/** A known limit stays known when a refusal shows at least this share of it. */
const CREDIBLE = 0.8;
/** Two numbers count as the same limit when they differ by at most this share. */
const SAME = 0.1;
/** Calls between two checks of a known limit: keeps their refusals to about one in a hundred calls. */
const TRIAL_CALLS = 100;
const TRIAL_LONGEST_MS = 10 * MINUTE;
/** A check uses an even pace when at most this share of the budget still goes at once. */
const EVEN = 0.6;
/** A check with a small step lasts until it has covered a whole fixed window. A large step fails earlier. */
const CAREFUL = { step: 1.25, windows: 2.1 };
const BOLD = { step: 2, windows: 1.2 };
/** A check proves something when at least this share of its calls was made. */
const PROVEN = 0.85;
const WINDOW_MAX_MS = 60 * MINUTE;
/** First pause when the service states none. It doubles with each further refusal. */
const PAUSE_MS = 2_000;
const JITTER_MAX_MS = 500;
const REPEATS_A_MINUTE = 10;
const REPEATS_MAX = 100;

/** Outcomes that do not show whether the service counted the call. */
const MAYBE_UNCOUNTED: ReadonlySet<Outcome["kind"]> = new Set(["transient", "unknown", "edge", "unready"]);

/**
 * Creates the pace of one key.
 * @param start calls per minute at first
 * @param time now, in ms of a clock that only rises
 * @param ceiling most calls per minute
 */
export function openPace(start: number, time: number, ceiling = 1_000_000): Pace {
  const newest = Math.floor(time / (MINUTE / SLOTS));
  return {
    start,
    ceiling,
    windowMs: MINUTE,
    counts: Array<number>(RING).fill(0),
    newest,
    oldest: newest,
    counted: 0,

    lastAt: time - MINUTE,
    budget: start,
    trusted: 0,
    known: false,
    stated: false,
    distrusted: undefined,

    shown: undefined,
    pending: undefined,
    knownAt: time,
    grownAt: time - MINUTE,

    epoch: 0,
    unanswered: 0,
    older: 0,
    tookMs: 0,
    accepted: 0,

    refusals: 0,
    refusedAt: time - WINDOW_MAX_MS,
    pausedUntil: time,
    restUntil: time,

    trial: undefined,
    nextTrialAt: time,
    trialsInVain: 0,
    bold: false,

    repeats: REPEATS_A_MINUTE,
    repeatsAt: time,
  };
}

/**
 * Takes a place for one call, if one is free.
 * @returns 0: the call may go now and holds a place; pass the present `pace.epoch` to `settle`. Otherwise ms to wait.
 */
export function take(pace: Pace, time: number): number {
  advance(pace, time);
  const wait = waitFor(pace, time);
  if (wait > 0) return Math.max(1, Math.ceil(wait));
  pace.unanswered++;
  pace.lastAt = time;
  return 0;
}

/** Counts a second call within the turn of another one. Later calls wait for its place. */
export function takeSecondCall(pace: Pace, time: number): void {
  advance(pace, time);
  count(pace);
}

/** Counts an answered call in the newest slot. */
function count(pace: Pace): void {
  countAt(pace, pace.newest, 1);
}

/** Counts `calls` answered calls in a slot of the last window. */
export function countAt(pace: Pace, slot: number, calls: number): void {
  pace.counts[indexOf(slot)] = inSlot(pace, slot) + calls;
  pace.counted += calls;
}

/** Calls answered in a slot of the last window. */
export const inSlot = ({ counts }: Pace, slot: number): number => counts[indexOf(slot)] ?? 0;

/** The place of a slot in the ring. Slots before the clock's start have negative numbers. */
const indexOf = (slot: number): number => ((slot % RING) + RING) % RING;

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
 * @param epoch `pace.epoch` when the call took its place
 * @param contended other work than repeats is waiting
 * @param tookMs from the call to its answer, if there was one
 */
export function settle(
  pace: Pace,
  epoch: number,
  outcome: Answered,
  time: number,
  { contended = false, random = Math.random, tookMs }: Settling = {},
): void {
  advance(pace, time);
  if (tookMs !== undefined) pace.tookMs += (tookMs - pace.tookMs) * LEARN_TOOK;
  const current = epoch === pace.epoch;
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

// ── places ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Length of a slot in ms. */
export const slotMs = (pace: Pick<Pace, "windowMs">): number => pace.windowMs / SLOTS;
/** How long a call is counted after its answer, in ms. */
const span = (pace: Pace): number => RING * slotMs(pace);
/** Places in use: calls without an answer, and calls answered within the last window. */
const placesInUse = ({ unanswered, older, counted }: Pace): number => unanswered + older + counted;
/** Most places that may be in use. */
const allowed = ({ trial, budget }: Pace): number => trial?.budget ?? budget;

/** Frees the places of calls that have left the window. */
export function advance(pace: Pace, time: number): void {
  const slot = Math.floor(time / slotMs(pace));
  if (slot - pace.newest >= RING) {
    pace.counts.fill(0);
    pace.counted = 0;
    pace.newest = slot;
    pace.oldest = slot;
  }
  while (pace.newest < slot) {
    pace.newest++;
    const i = indexOf(pace.newest);
    pace.counted -= pace.counts[i] ?? 0;
    pace.counts[i] = 0;
  }
  pace.oldest = Math.max(pace.oldest, pace.newest - RING + 1);
}

/** Time at which the oldest counted call leaves the window. */
function oldestLeaves(pace: Pace): number {
  while (pace.oldest < pace.newest && inSlot(pace, pace.oldest) === 0) pace.oldest++;
  return (pace.oldest + RING) * slotMs(pace);
}

/** Time at which all but `n` of the counted calls have left the window. */
function leaveAt(pace: Pace, n: number): number {
  let sum = 0;
  for (let slot = pace.newest; slot > pace.newest - RING; slot--) {
    sum += inSlot(pace, slot);
    if (sum > n) return (slot + RING) * slotMs(pace);
  }
  return 0;
}

/** Calls answered since `time`, within the last window. */
function countedSince(pace: Pace, time: number): number {
  const first = Math.max(pace.newest - RING + 1, Math.floor(time / slotMs(pace)));
  let sum = 0;
  for (let slot = pace.newest; slot >= first; slot--) sum += inSlot(pace, slot);
  return sum;
}

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

const isClean = (pace: Pace, time: number): boolean => time - pace.refusedAt >= pace.windowMs * CLEAN_WINDOWS;

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
  if (beyond < 0) return Math.max(known ? MANY : FEW, 2 * usual);
  return Math.floor(1 + usual + (known || beyond <= 2 * trusted ? 0 : beyond / PLACES_PER_FLIGHT));
}

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
  if (!known || counted === 0 || used < most * atOnce(pace, time)) return 0;
  return Math.max(0, lastAt + (oldestLeaves(pace) - lastAt) / (most - used + 1) - time);
}

/** Share of a known budget that may go at once. */
function atOnce(pace: Pace, time: number): number {
  if (pace.stated) return isClean(pace, time) ? 0.5 : 0;
  return Math.max(0.5, 1 - (SPREAD_MORE * (time - pace.knownAt)) / pace.windowMs);
}

// ── what an answer shows ──────────────────────────────────────────────────────────────────────────────────────────────

type Extra = { contended: boolean; random: () => number };

/** Records an answer that is not a refusal. @param current the call was made after the last refusal */
function accept(pace: Pace, current: boolean, { limit: hint, waitMs = 0 }: Answered, time: number, extra: Extra): void {
  pace.repeats = Math.min(REPEATS_MAX, pace.repeats + (extra.contended ? 0.11 : 1.1));
  if (waitMs > 0) pace.restUntil = Math.max(pace.restUntil, time + jittered(waitMs, extra.random));
  if (hint?.windowMs !== undefined) setWindow(pace, hint.windowMs, time);
  if (current) {
    pace.refusals = 0;
    pace.accepted++;
  } else if (pace.pending !== undefined) pace.pending.seen++;
  if (hint?.limit !== undefined && hint.limit > 0 && hint.limit !== pace.distrusted)
    setStatedLimit(pace, hint.limit, time);
  if (pace.trial !== undefined) judgeTrial(pace, pace.trial, time);
}

type Refused = { random: () => number; tookMs: number | undefined };

/** Records a refusal: pauses, and begins a new epoch. */
function refuse(pace: Pace, { waitMs, limit: hint }: Answered, time: number, { random, tookMs = 0 }: Refused): void {
  pace.refusals++;
  pace.refusedAt = time;
  setWindow(pace, hint?.windowMs ?? MINUTE, time, hint?.limit);
  // A refusal of the single call after a pause means that the pause was too short. It says nothing about the limit.
  if (pace.refusals === 1) {
    const seen = seenIn(pace, waitMs, time - tookMs);
    pace.pending = { seen, statedLimit: hint?.limit, hasWait: waitMs !== undefined };
  }
  pace.pausedUntil = time + pauseFor(pace, waitMs, time, random);
  pace.grownAt = Math.max(pace.grownAt, pace.pausedUntil);
  pace.epoch++;
  pace.accepted = 0;
  pace.older += pace.unanswered;
  pace.unanswered = 0;
}

/**
 * Calls accepted in the window of a refusal. The window ends at the stated time; without one, it is the last window.
 * @param time when the refused call was sent: the service decided then or later
 */
function seenIn(pace: Pace, waitMs: number | undefined, time: number): number {
  if (waitMs !== undefined) return countedSince(pace, time + waitMs - pace.windowMs - ROUNDING_MS);
  const { counted, accepted, budget, shown } = pace;
  // Far fewer than expected, and not the number of the last refusal: a fixed window may have begun at the end of the pause.
  const unexpected = counted < budget * (1 - SAME) && !isSame(counted, shown);
  return unexpected && accepted >= counted / 2 ? Math.min(accepted, counted) : counted;
}

/** Learns from a refusal when all earlier calls are answered. */
function judge(pace: Pace, time: number): void {
  if (pace.pending === undefined) return;
  const refusal = pace.pending;
  pace.pending = undefined;
  learn(pace, refusal, time);
}

const isSame = (a: number, b: number | undefined): boolean =>
  b !== undefined && Math.abs(a - b) <= Math.max(1, b * SAME);

/** Applies what a refusal shows about the limit. */
function learn(pace: Pace, { seen, statedLimit, hasWait }: Refusal, time: number): void {
  const tried = pace.trial !== undefined;
  pace.trial = undefined;
  if (statedLimit !== undefined && statedLimit > 0 && statedLimit !== pace.distrusted) {
    // Refused below the stated limit, by no calls from before this process: another client uses the limit too.
    if (!pace.stated || time - pace.knownAt < span(pace)) return setStatedLimit(pace, statedLimit, time);
    pace.distrusted = statedLimit;
  }
  pace.stated = false;
  if (tried && seen >= pace.budget * (1 - SAME)) failTrial(pace, time);
  // Nothing was accepted: an earlier process or another client used the window up.
  else if (seen > 0) lower(pace, seen, hasWait, time);
}

/** Lowers the budget to the number that a refusal showed, or half-way to it. */
function lower(pace: Pace, seen: number, hasWait: boolean, time: number): void {
  const { budget, known, shown } = pace;
  const proven = seen >= LEAST && isSame(seen, shown);
  const halved = Math.max(seen, Math.ceil(budget / 2));
  // As many calls as expected were accepted, over two fixed windows: the step of the last check was too large.
  const expected = pace.bold && !hasWait && isSame(seen, budget);
  pace.bold = false;
  const next = expected ? budget / CAREFUL.step : proven ? seen : halved;
  pace.shown = seen;
  pace.budget = Math.max(LEAST, Math.min(Math.ceil(next), known ? budget - 1 : budget));
  pace.known = proven || (known && seen >= budget * CREDIBLE);
  pace.trusted = pace.known ? pace.budget : seen;
  if (!pace.known) return;
  if (!known) pace.knownAt = time;
  pace.nextTrialAt = time + trialPause(pace);
}

/** Stores a limit that the service stated. No checks are needed. */
function setStatedLimit(pace: Pace, limit: number, time: number): void {
  if (!pace.known) pace.knownAt = time;
  pace.stated = true;
  pace.known = true;
  pace.distrusted = undefined;
  pace.trial = undefined;
  pace.budget = Math.min(pace.ceiling, Math.max(1, Math.floor(limit)));
  pace.trusted = pace.budget;
}

/** Changes the length of the window. Counts of a window of another length are meaningless, so it starts again. */
function setWindow(pace: Pace, windowMs: number, time: number, limit = pace.start): void {
  if (windowMs === pace.windowMs || windowMs < 1_000 || windowMs > WINDOW_MAX_MS) return;
  pace.windowMs = windowMs;
  pace.counts.fill(0);
  pace.counted = 0;
  pace.newest = Math.floor(time / slotMs(pace));
  pace.oldest = pace.newest;
  pace.known = false;
  pace.trial = undefined;
  pace.trusted = 0;
  pace.shown = undefined;
  pace.budget = Math.max(LEAST, limit);
}

/**
 * Ms for which no call goes after a refusal: the stated time. If the service states none and our own calls explain the refusal,
 * until the first of them leaves the window. Otherwise short at first, and longer with each further refusal.
 */
function pauseFor(pace: Pace, statedMs: number | undefined, time: number, random: () => number): number {
  const { refusals, pending, shown, budget, known, trusted } = pace;
  const growing = Math.min(MINUTE, PAUSE_MS * 2 ** (refusals - 1));
  // When a service states "0" or "1" again and again, the pauses get longer.
  if (statedMs !== undefined) return jittered(Math.max(statedMs, refusals > 2 ? growing / 4 : 0), random);
  const pause = jittered(growing, random);
  const seen = pending?.seen ?? shown ?? 0;
  // A few calls do not explain one refusal, which may be a stray. They explain three in a row.
  const explained = seen > 0 && (refusals === 1 ? seen >= budget / 4 : refusals > 2);
  return explained ? Math.max(pause, leaveAt(pace, (known ? Math.min(seen, trusted) : seen) - 1) - time) : pause;
}

/** Adds a random delay; never shortens the stated time. */
const jittered = (ms: number, random: () => number): number => ms + random() * Math.min(JITTER_MAX_MS, ms / 10);

// ── checks of a known limit ───────────────────────────────────────────────────────────────────────────────────────

/** How long to wait until a higher budget is checked again. */
function trialPause({ budget, trialsInVain, windowMs, tookMs }: Pace): number {
  const refusals = 1 + (budget * tookMs) / windowMs;
  const least = ((TRIAL_CALLS * refusals) / budget) * windowMs;
  return Math.max(least, Math.min(TRIAL_LONGEST_MS, least * 2 ** Math.min(trialsInVain, 10)));
}

/** Begins a check when the budget is used up and the time has come. */
function beginTrial(pace: Pace, time: number): void {
  if (pace.trial !== undefined || time < pace.nextTrialAt || placesInUse(pace) < pace.budget) return;
  const even = atOnce(pace, time) <= EVEN;
  // A check at an even pace shows more, so the relay waits for it, unless the limit is suspiciously low.
  if (!even && pace.budget >= pace.start) return;
  const { step, windows } = pace.bold ? BOLD : CAREFUL;
  const budget = Math.min(pace.ceiling, Math.ceil(pace.budget * step));
  pace.trial = { budget, from: time, count: 0, windows, even };
}

/** Ends a check when its windows are over. */
function judgeTrial(pace: Pace, trial: Trial, time: number): void {
  trial.count++;
  if (time < trial.from + trial.windows * pace.windowMs) return;
  // A pace proves something only when it was really used.
  const proven = trial.count >= trial.budget * trial.windows * PROVEN;
  pace.trial = undefined;
  pace.bold = proven;
  if (proven) {
    pace.budget = trial.budget;
    pace.trusted = trial.budget;
    pace.trialsInVain = 0;
  }
  pace.nextTrialAt = proven ? time : time + trialPause(pace);
}

/** Ends a check that was refused. */
function failTrial(pace: Pace, time: number): void {
  // A large step went too far; a small one may still be right.
  pace.trialsInVain = pace.bold ? 0 : pace.trialsInVain + 1;
  pace.bold = false;
  pace.nextTrialAt = time + trialPause(pace);
}
