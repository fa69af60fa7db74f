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
 *   refusal (a restart, another client of the key, a stray 429): then the budget is halved, but never below what was accepted,
 *   and at most once a window. After a second such refusal in one window, calls are spread evenly until the window has passed.
 *   Refusals of two windows that show the same number prove the limit.
 * - A proven limit is checked from time to time with a higher budget. Calls above the number that is known to be accepted go
 *   one by one, so a failed check costs about one refusal.
 *
 * After a refusal, no call is made for the time that the service states; then one call goes alone. If it is accepted after a
 * refusal that nothing explains, calls go together again as at the start, so that slow answers do not delay other visitors.
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

  /** Most places that may be in use. */
  budget: number;
  /** Calls per window that are known to be accepted: so many may be under way together. */
  trusted: number;
  /** The limit is proven or stated. */
  known: boolean;
  /** The service states its limit in headers: no checks are needed. */
  stated: boolean;
  /** A stated limit below which calls were refused: it is not believed again. */
  distrusted: number | undefined;
  /** The limit that the previous refusal showed, and the end of the window in which it did. */
  shown: number | undefined;
  shownUntil: number;
  /** Until this time, calls are at least `spreadMs` apart: others have used a part of the window. */
  spreadUntil: number;
  spreadMs: number;
  /** A refusal that is judged when the calls before it are answered. */
  pending: Refusal | undefined;
  /** The last refusal was the only one of its window, and too few calls were accepted before to explain it. */
  stray: boolean;
  knownAt: number;
  grownAt: number;

  /** Each refusal begins a new period: the answers to calls of an older one say nothing about the time after it. */
  period: number;
  /** Calls without an answer: of this period, and of older periods. */
  unanswered: number;
  older: number;
  /** Duration of a call in ms: a moving average. */
  tookMs: number;
  /** Calls accepted in this period, and refusals since the last accepted call. */
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

/**
 * `seen`: calls accepted in the window of the refusal. `statedLimit`: the stated limit. `hasWait`: the refusal stated a waiting
 * time. `until`: end of the window: the stated time, or else the time of the refusal.
 */
export type Refusal = { seen: number; statedLimit: number | undefined; hasWait: boolean; until: number };
/**
 * A check. `from`: when it began. `count`: answers so far. `windows`: its length in windows. `even`: its calls are spread
 * evenly.
 */
export type Trial = { budget: number; from: number; count: number; windows: number; even: boolean };
/** The part of an outcome that the pace learns from. */
export type Answered = Pick<Outcome, "kind" | "waitMs" | "limit">;

/** In ms. */
export const MINUTE = 60_000;
/** Most calls that go together after a quiet minute, after a stray refusal, or with a known limit. */
export const MANY = 8;
/** After this many windows without a refusal, the search for an unknown limit starts again. */
const CLEAN_WINDOWS = 2.5;
/** A longer stated window is ignored. */
export const WINDOW_MAX_MS = 60 * MINUTE;
/** Repeats that may go in a minute without a success, and most repeats that may go at once. */
export const REPEATS_A_MINUTE = 10;
export const REPEATS_MAX = 100;
/** Slots of a window. */
const SLOTS = 600;
/** Slots that a call is counted for: one more than a window has, because the call may stand at the end of its slot. */
export const RING = SLOTS + 1;

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
    shownUntil: time - WINDOW_MAX_MS,
    spreadUntil: time,
    spreadMs: 0,
    pending: undefined,
    stray: false,
    knownAt: time,
    grownAt: time - MINUTE,

    period: 0,
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

/** Whether no call was refused for `CLEAN_WINDOWS` windows. */
export const isClean = (pace: Pace, time: number): boolean => time - pace.refusedAt >= pace.windowMs * CLEAN_WINDOWS;

// ── places ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Counts an answered call in the newest slot. */
export function count(pace: Pace): void {
  countAt(pace, pace.newest, 1);
}

/** Counts `calls` answered calls in a slot of the last window. */
export function countAt(pace: Pace, slot: number, calls: number): void {
  pace.counts[indexOf(slot)] = inSlot(pace, slot) + calls;
  pace.counted += calls;
}

/** Calls answered in a slot of the last window. */
export const inSlot = ({ counts }: Pace, slot: number): number => counts[indexOf(slot)] ?? 0;

/** The index of a slot in the ring. Slots before the clock's start have negative numbers. */
const indexOf = (slot: number): number => ((slot % RING) + RING) % RING;

/** Length of a slot in ms. */
export const slotMs = (pace: Pick<Pace, "windowMs">): number => pace.windowMs / SLOTS;
/** How long a call is counted after its answer, in ms. */
export const span = (pace: Pace): number => RING * slotMs(pace);
/** Places in use: calls without an answer, and calls answered within the last window. */
export const placesInUse = ({ unanswered, older, counted }: Pace): number => unanswered + older + counted;
/** Most places that may be in use. */
export const allowed = ({ trial, budget }: Pace): number => trial?.budget ?? budget;

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
export function oldestLeaves(pace: Pace): number {
  while (pace.oldest < pace.newest && inSlot(pace, pace.oldest) === 0) pace.oldest++;
  return (pace.oldest + RING) * slotMs(pace);
}

/** Time at which all but `n` of the counted calls have left the window. */
export function leaveAt(pace: Pace, n: number): number {
  let sum = 0;
  for (let slot = pace.newest; slot > pace.newest - RING; slot--) {
    sum += inSlot(pace, slot);
    if (sum > n) return (slot + RING) * slotMs(pace);
  }
  return 0;
}

/** Calls answered since `time`, within the last window. */
export function countedSince(pace: Pace, time: number): number {
  const first = Math.max(pace.newest - RING + 1, Math.floor(time / slotMs(pace)));
  let sum = 0;
  for (let slot = pace.newest; slot >= first; slot--) sum += inSlot(pace, slot);
  return sum;
}
