import type { Outcome } from "./outcome.ts";

/**
 * The pace of one account key towards a rate limit that nobody told us (R-801 to R-803, RELIABILITY 3g).
 *
 * The state is a plain object of numbers and one ring of counters, so it can be copied, stored and handed to another node.
 * All functions are top level and take the time as an argument. Each costs the same however many calls went before.
 *
 * How it works:
 * - It counts its own calls of the last window (a minute unless the service states another length) in 243 slots. No window
 *   holds more than `budget` calls, so no fixed or sliding window of the service does either.
 * - While the limit is not known, the budget doubles whenever it is used up. A refusal that comes after a window's worth of
 *   our own calls shows the limit: the calls that were accepted. A refusal that our own calls do not explain (a restart,
 *   another client of the key, a stray 429) halves the budget at most once per window, never below what was accepted, and
 *   lasts for two and a half clean windows.
 * - After a refusal nothing goes for the time that the service states, then one call goes alone.
 * - A known limit is tried from time to time with a higher, evenly spread rate: kept when nothing was refused.
 */
export type Pace = {
  /** Calls a window to begin with, and to come back to after a clean time. */
  start: number;
  /** Calls a window that are never exceeded. */
  ceiling: number;
  /** Length of the service's window in ms. */
  windowMs: number;
  /** Calls per slot of the last window: a ring, indexed by slot number modulo its length. */
  counts: number[];
  /** Slot number of the newest counter, and of the oldest one that may hold a call. */
  newest: number;
  oldest: number;
  /** Sum of `counts`. */
  total: number;
  /** Time of the first and of the latest call. */
  firstAt: number | undefined;
  lastAt: number;

  budget: number;
  /** A refusal or a header has shown the limit. */
  known: boolean;
  /** The service states its limit in headers: nothing needs to be tried. */
  stated: boolean;
  /** A stated limit under which we were refused: it is not ours alone, or not per window. */
  distrusted: number | undefined;
  /** The limit that the last refusal may have shown: a second one that shows the same proves it. */
  suspect: number | undefined;
  knownAt: number;
  grownAt: number;
  halvedAt: number;

  /** Rises with each refusal: what left under an older number says nothing about the time after it. */
  epoch: number;
  /** Calls without an answer: of this epoch, and all. */
  flying: number;
  open: number;
  /** How long calls take, in ms: a moving average. */
  tookMs: number;
  /** Calls accepted in this epoch, and refusals since the last accepted call. */
  accepted: number;
  refusals: number;
  refusedAt: number;
  /** Nothing goes before these times: a refusal said so, or a success used the last of the quota. */
  pausedUntil: number;
  restUntil: number;

  /** A higher pace that is being tried. */
  trial: Trial | undefined;
  nextTrialAt: number;
  trialsInVain: number;
  /** The last trial was kept: the next one may be bold. */
  bold: boolean;

  /** How many repeats may go: see `takeRepeat`. */
  repeats: number;
  repeatsAt: number;
};

/** `burst`: all of it may go at once, as the calls before it did; else it is evenly spread. */
type Trial = { budget: number; until: number; count: number; windows: number; burst: boolean };
type Settling = { contended?: boolean; random?: () => number; tookMs?: number };
export type Answered = Pick<Outcome, "kind" | "waitMs" | "limit">;

const MINUTE = 60_000;
/** Slots of a window. */
const SLOTS = 240;
/**
 * Slots that a call is counted for. One more because it may stand at the end of its slot; two more (half a second of a
 * minute) because two calls may arrive closer together than they left.
 */
const RING = SLOTS + 3;
/** Least time between two doublings of the budget. */
const DOUBLE_MS = 5_000;
/** Share of the budget by which the part that goes at once shrinks with each window. */
const SPREAD_MORE = 0.03;
/** A budget is never lower: refusals bring their own waiting times. */
const LEAST = 8;
/** After so many windows without a refusal, the pace is what it was at the start. */
const CLEAN_WINDOWS = 2.5;
/** Calls without an answer, while the limit is not known and nothing was refused yet. */
const BLIND = 8;
/** After so long without an answer another call may go, whatever the number of calls under way. */
const IMPATIENT_MS = 2_000;
/** Calls under way beside those that the budget needs on average, because some take longer. */
const SPARE = 1.25;
/** So many windows after the first call, the budget is expected to double yet. */
const GROWING_WINDOWS = 2;
/** Weight of one answer in the average of how long calls take. */
const LEARN_TOOK = 1 / 8;
/** A stated limit that refuses us below this share of it is not believed. */
const CREDIBLE = 0.8;
/** Calls between two trials: keeps what they are refused to about one in a hundred. */
const TRIAL_CALLS = 100;
const TRIAL_LONGEST_MS = 10 * MINUTE;
/** An even trial covers a whole window of the service wherever it starts; a bold one is refused in half a window. */
const CAREFUL = { step: 1.25, windows: 2.1 };
const BOLD = { step: 2, windows: 1.2 };
/** Share of a trial's calls that must have been made for it to prove anything. */
const PROVEN = 0.8;
const WINDOW_MAX_MS = 60 * MINUTE;
/** First pause when nothing tells how long it must be; it doubles with each further refusal. */
const PAUSE_MS = 2_000;
const JITTER_MAX_MS = 500;
const REPEATS_A_MINUTE = 10;
const REPEATS_MAX = 100;

/** Outcomes that say nothing about the limit, neither that a call was counted nor that it was not. */
const SILENT: ReadonlySet<Outcome["kind"]> = new Set(["transient", "unknown", "edge", "unready"]);

/**
 * @param start calls a minute to begin with
 * @param time now, in milliseconds that only rise
 * @param ceiling calls a minute that are never exceeded
 */
export function openPace(start: number, time: number, ceiling = 1_000_000): Pace {
  const slot = Math.floor(time / (MINUTE / SLOTS));
  return {
    ...{ start, ceiling, windowMs: MINUTE, counts: Array<number>(RING).fill(0), newest: slot, oldest: slot, total: 0 },
    ...{ firstAt: undefined, lastAt: time - MINUTE, budget: start, known: false, stated: false, distrusted: undefined },
    ...{
      suspect: undefined,
      knownAt: time,
      grownAt: time - MINUTE,
      halvedAt: time - WINDOW_MAX_MS,
      epoch: 0,
      flying: 0,
      open: 0,
      tookMs: 0,
      accepted: 0,
    },
    ...{ refusals: 0, refusedAt: time - WINDOW_MAX_MS, pausedUntil: time, restUntil: time },
    ...{ trial: undefined, nextTrialAt: time, trialsInVain: 0, bold: false },
    ...{ repeats: REPEATS_A_MINUTE, repeatsAt: time },
  };
}

/**
 * Lets one call go, or not.
 * @returns 0: the call may go now and is counted; hand `pace.epoch` of this moment to `settle`. Else ms to wait.
 */
export function take(pace: Pace, time: number): number {
  advance(pace, time);
  const wait = waitFor(pace, time);
  if (wait > 0) return Math.max(1, Math.ceil(wait));
  count(pace);
  pace.flying++;
  pace.open++;
  pace.firstAt ??= time;
  pace.lastAt = time;
  return 0;
}

/** Counts a second call that goes within the turn of another one: those after it wait for its place. */
export function takeBeside(pace: Pace, time: number): void {
  advance(pace, time);
  count(pace);
}

function count(pace: Pace): void {
  pace.counts[pace.newest % RING] = (pace.counts[pace.newest % RING] ?? 0) + 1;
  pace.total++;
}

/**
 * Lets one repeat of a failed call go, or not. Repeats have a budget of their own beside the pace: ten a minute, and one for
 * each accepted call; only a tenth of one while other work waits, so that repeats stay under a tenth of all calls then (3g).
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
 * Notes what came of a call.
 * @param epoch `pace.epoch` when the call was taken
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
  pace.open = Math.max(0, pace.open - 1);
  if (current) pace.flying = Math.max(0, pace.flying - 1);
  if (outcome.kind === "throttle") refuse(pace, current, outcome, time, random);
  else if (!SILENT.has(outcome.kind)) accept(pace, current, outcome, time, { contended, random });
}

/** The pace in words for logs and metrics: calls a minute, the limit if it is known, and ms for which nothing goes. */
export const paceOf = (pace: Pace, time: number): { rate: number; limit: number | undefined; pausedFor: number } => ({
  rate: Math.floor(((pace.trial?.budget ?? pace.budget) * MINUTE) / pace.windowMs),
  limit: pace.known ? pace.budget : undefined,
  pausedFor: Math.max(0, pace.pausedUntil - time, pace.restUntil - time),
});

// ── when ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const slotMs = (pace: Pace): number => pace.windowMs / SLOTS;
const span = (pace: Pace): number => RING * slotMs(pace);

/** Forgets the calls that have left the window. */
function advance(pace: Pace, time: number): void {
  const slot = Math.floor(time / slotMs(pace));
  if (slot - pace.newest >= RING) {
    pace.counts.fill(0);
    pace.total = 0;
    pace.newest = slot;
    pace.oldest = slot;
  }
  while (pace.newest < slot) {
    pace.newest++;
    const i = pace.newest % RING;
    pace.total -= pace.counts[i] ?? 0;
    pace.counts[i] = 0;
  }
  pace.oldest = Math.max(pace.oldest, pace.newest - RING + 1);
}

/** When the oldest counted call leaves the window. */
function oldestLeaves(pace: Pace): number {
  while (pace.oldest < pace.newest && pace.counts[pace.oldest % RING] === 0) pace.oldest++;
  return (pace.oldest + RING) * slotMs(pace);
}

function waitFor(pace: Pace, time: number): number {
  const closed = Math.max(pace.pausedUntil, pace.restUntil) - time;
  if (closed > 0) return closed;
  recover(pace, time);
  if (pace.flying >= flights(pace, time)) {
    const patience = pace.lastAt + IMPATIENT_MS - time;
    if (patience > 0) return patience;
  }
  const wait = room(pace, time);
  if (wait <= 0 || !beginTrial(pace, time)) return wait;
  return room(pace, time);
}

const isClean = (pace: Pace, time: number): boolean => time - pace.refusedAt >= pace.windowMs * CLEAN_WINDOWS;

/** How many calls may be without an answer: one after a refusal, few while the limit is not known. */
function flights(pace: Pace, time: number): number {
  if (pace.refusals > 0) return 1;
  if (pace.trial !== undefined || !isClean(pace, time)) return Math.max(1, pace.total / 50, neededFlights(pace, time));
  return pace.known ? Number.POSITIVE_INFINITY : Math.max(BLIND, pace.total / 10);
}

/** How many calls must be under way to use up the budget, with a service this slow. A young budget has yet to grow. */
function neededFlights({ budget, tookMs, firstAt, windowMs }: Pace, time: number): number {
  const growing = firstAt === undefined || time - firstAt < windowMs * GROWING_WINDOWS;
  return (budget * SPARE * (growing ? 2 : 1) * tookMs) / windowMs;
}

/** A budget whose limit is not known grows when it is used up, and is what it was after a clean time. */
function recover(pace: Pace, time: number): void {
  if (pace.known) return;
  if (pace.budget < pace.start && isClean(pace, time)) pace.budget = pace.start;
  if (pace.total < pace.budget || time - pace.grownAt < DOUBLE_MS) return;
  pace.grownAt = time;
  pace.budget = Math.min(pace.ceiling, pace.budget * 2);
}

/**
 * Ms until one more call fits into the window. Of a known limit, the first half may go at once, so a burst after quiet hours
 * is not delayed; the second half is spread over what is left of the window, so a new visitor's first message, which goes
 * before all others, soon finds a place. Right after the limit was found nearly all of it may go at once: going from bursts
 * to an even pace in one step would cost half a window.
 */
function room(pace: Pace, time: number): number {
  const { trial, budget, total, lastAt } = pace;
  if (trial?.burst === false) return Math.max(0, lastAt + span(pace) / trial.budget - time);
  if (trial !== undefined && total < trial.budget) return 0;
  if (total >= budget) {
    const free = Math.max(1, oldestLeaves(pace) - time);
    return pace.known ? free : Math.min(free, Math.max(1, pace.grownAt + DOUBLE_MS - time));
  }
  if (!pace.known || total < budget * atOnce(pace, time)) return 0;
  return Math.max(0, lastAt + (oldestLeaves(pace) - lastAt) / (budget - total + 1) - time);
}

/** Share of a known budget that may go at once. */
function atOnce(pace: Pace, time: number): number {
  if (pace.stated) return isClean(pace, time) ? 0.5 : 0;
  return Math.max(0.5, 1 - (SPREAD_MORE * (time - pace.knownAt)) / pace.windowMs);
}

// ── what an answer teaches ────────────────────────────────────────────────────────────────────────────────────────

type Extra = { contended: boolean; random: () => number };

function accept(pace: Pace, current: boolean, { limit: hint, waitMs = 0 }: Answered, time: number, extra: Extra): void {
  pace.repeats = Math.min(REPEATS_MAX, pace.repeats + (extra.contended ? 0.11 : 1.1));
  if (waitMs > 0) pace.restUntil = Math.max(pace.restUntil, time + jittered(waitMs, extra.random));
  if (hint?.windowMs !== undefined) setWindow(pace, hint.windowMs, time);
  if (current) {
    pace.refusals = 0;
    pace.accepted++;
  } else if (pace.known && !pace.stated && time < pace.pausedUntil) pace.budget++;
  if (hint?.limit !== undefined && hint.limit > 0 && hint.limit !== pace.distrusted) state(pace, hint.limit, time);
  if (pace.trial !== undefined) judgeTrial(pace, pace.trial, time);
}

function refuse(pace: Pace, current: boolean, answer: Answered, time: number, random: () => number): void {
  uncount(pace);
  // Calls that were under way together are one refusal.
  if (!current) return;
  pace.refusals++;
  pace.refusedAt = time;
  setWindow(pace, answer.limit?.windowMs ?? MINUTE, time, answer.limit?.limit);
  const seen = acceptedInWindow(pace);
  const explained = seen >= pace.budget / 4;
  learn(pace, seen, answer.limit?.limit, time);
  pace.pausedUntil = time + pauseFor(pace, answer.waitMs, explained, time, random);
  pace.grownAt = Math.max(pace.grownAt, pace.pausedUntil);
  pace.epoch++;
  pace.flying = 0;
  pace.accepted = 0;
}

/** A refused call does not count at the service: it is taken out of the newest slot that holds one. */
function uncount(pace: Pace): void {
  for (let slot = pace.newest; slot >= pace.oldest; slot--) {
    const count = pace.counts[slot % RING] ?? 0;
    if (count === 0) continue;
    pace.counts[slot % RING] = count - 1;
    pace.total--;
    return;
  }
}

/** Calls of the last window, without the margin, that the service accepted. */
function acceptedInWindow({ total, open, counts, newest }: Pace): number {
  let margin = 0;
  for (let slot = newest - RING + 1; slot < newest - SLOTS; slot++) margin += counts[(slot + RING) % RING] ?? 0;
  return Math.max(0, total - margin - open);
}

/**
 * The limit that a refusal shows. Our last window may reach into an earlier window of the service: then the limit may be
 * what was accepted since the last refusal. One such refusal may be chance; two that show the same are proof.
 */
function shown(pace: Pace, seen: number): { limit: number; sure: boolean } {
  const { accepted, suspect } = pace;
  const doubtful = accepted >= seen / 2 && accepted < seen * 0.9;
  pace.suspect = doubtful ? accepted : seen;
  if (!doubtful) return { limit: seen, sure: true };
  const again = [accepted, seen].find((limit) => Math.abs(limit - (suspect ?? 0)) <= Math.max(1, limit / 10));
  if (again !== undefined) return { limit: again, sure: true };
  return !pace.known && accepted >= seen * 0.75 ? { limit: accepted, sure: true } : { limit: seen, sure: false };
}

function learn(pace: Pace, seen: number, said: number | undefined, time: number): void {
  const { trial, budget } = pace;
  pace.trial = undefined;
  if (said !== undefined && said > 0 && said !== pace.distrusted) {
    // Refused well below what it states, and not because of calls before our life: the limit is not ours alone.
    if (seen >= said * CREDIBLE || !pace.stated) return state(pace, said, time);
    pace.distrusted = said;
  }
  pace.stated = false;
  if (trial !== undefined) return failTrial(pace, time);
  // The call that goes alone after a pause says that the pause was too short, and nothing about the limit.
  if (pace.refusals > 1 || seen === 0) return;
  const { limit, sure } = shown(pace, seen);
  if (limit >= budget / 2) explain(pace, limit, sure, time);
  else if (time - pace.halvedAt >= pace.windowMs * 0.9) {
    pace.known = false;
    pace.budget = Math.max(LEAST, limit, Math.ceil(budget / 2));
    pace.halvedAt = time;
  }
}

/** Within the first window of our life others may have used it up before us: an earlier life, for one. */
const isYoung = (pace: Pace, time: number): boolean => pace.firstAt === undefined || time - pace.firstAt < span(pace);

/** Our own calls explain a refusal: they were as many as the limit is. */
function explain(pace: Pace, limit: number, sure: boolean, time: number): void {
  const { budget, known } = pace;
  pace.known = limit >= LEAST && (known || (sure && !isYoung(pace, time)));
  pace.budget = Math.max(LEAST, Math.min(budget, limit));
  if (pace.known && !known) pace.knownAt = time;
  // Another window shows whether it was chance.
  if (!sure) pace.grownAt = time + pace.windowMs;
  // A known limit that was lowered may have been lowered by chance: it is tried soon.
  pace.nextTrialAt = time + (known && pace.budget < budget * CREDIBLE ? 2 * pace.windowMs : trialPause(pace));
}

/** The service states its limit: it is known, and no trial is needed. */
function state(pace: Pace, limit: number, time: number): void {
  if (!pace.known) pace.knownAt = time;
  pace.stated = true;
  pace.known = true;
  pace.distrusted = undefined;
  pace.trial = undefined;
  pace.budget = Math.min(pace.ceiling, Math.max(1, Math.floor(limit)));
}

/** The service counts in windows of another length: what was counted so far is not what it counted. */
function setWindow(pace: Pace, windowMs: number, time: number, limit = pace.start): void {
  if (windowMs === pace.windowMs || windowMs < 1_000 || windowMs > WINDOW_MAX_MS) return;
  pace.windowMs = windowMs;
  pace.counts.fill(0);
  pace.total = 0;
  pace.newest = Math.floor(time / slotMs(pace));
  pace.oldest = pace.newest;
  pace.known = false;
  pace.trial = undefined;
  pace.budget = Math.max(LEAST, limit);
}

/**
 * Ms for which nothing goes after a refusal: what the service says. When it says nothing and our own calls explain the
 * refusal, until the oldest of them has left the window; else short at first, and longer with each further refusal.
 */
function pauseFor(pace: Pace, told: number | undefined, explained: boolean, time: number, random: () => number) {
  const insisting = Math.min(MINUTE, PAUSE_MS * 2 ** (pace.refusals - 1));
  // A service that says "0" or "1" again and again is asked less and less often.
  if (told !== undefined) return jittered(Math.max(told, pace.refusals > 2 ? insisting / 4 : 0), random);
  if (pace.refusals > 1 || !explained) return jittered(insisting, random);
  return Math.max(PAUSE_MS / 2, oldestLeaves(pace) - time);
}

/** A little later than told, never earlier. */
const jittered = (ms: number, random: () => number): number => ms + random() * Math.min(JITTER_MAX_MS, ms / 10);

// ── trials of a higher pace ───────────────────────────────────────────────────────────────────────────────────────

/** How long to leave it until a higher pace is tried again. */
function trialPause({ budget, trialsInVain, windowMs }: Pace): number {
  const least = (TRIAL_CALLS / budget) * windowMs;
  return Math.max(least, Math.min(TRIAL_LONGEST_MS, least * 2 ** Math.min(trialsInVain, 10)));
}

/** A call found no room: time to try whether there is more? */
function beginTrial(pace: Pace, time: number): boolean {
  if (!pace.known || pace.stated || pace.trial !== undefined || time < pace.nextTrialAt) return false;
  const burst = atOnce(pace, time) > 0.5;
  // An even trial tells more and costs less: it is worth waiting for, unless the limit is suspiciously low.
  if (burst && pace.budget >= pace.start) return false;
  const { step, windows } = pace.bold ? BOLD : burst ? { ...CAREFUL, windows: BOLD.windows } : CAREFUL;
  const budget = Math.min(pace.ceiling, Math.ceil(pace.budget * step));
  pace.trial = { budget, until: time + pace.windowMs * windows, count: 0, windows, burst };
  return true;
}

function judgeTrial(pace: Pace, trial: Trial, time: number): void {
  trial.count++;
  if (time < trial.until) return;
  // Only a pace that was really used proves anything.
  const proven = trial.count >= trial.budget * trial.windows * PROVEN;
  pace.trial = undefined;
  pace.bold = proven;
  if (proven) {
    pace.budget = trial.budget;
    pace.trialsInVain = 0;
  }
  pace.nextTrialAt = proven ? time : time + trialPause(pace);
}

function failTrial(pace: Pace, time: number): void {
  // A bold trial went too far; a careful one from here may still be right.
  pace.trialsInVain = pace.bold ? 0 : pace.trialsInVain + 1;
  pace.bold = false;
  pace.nextTrialAt = time + trialPause(pace);
}
