import {
  type Answered,
  countedSince,
  isClean,
  leaveAt,
  MANY,
  MINUTE,
  type Pace,
  placesInUse,
  REPEATS_MAX,
  type Refusal,
  slotMs,
  span,
  type Trial,
  WINDOW_MAX_MS,
} from "./pace.ts";

/** What answers show about the limit, how long no call is made after a refusal, and checks whether a known limit has risen. */

/** Lowest budget. Below it, the waiting times of refusals limit the pace. */
const BUDGET_MIN = 4;
/** Rounding error of stated waiting times: they are rounded up to seconds, and an HTTP date is rounded twice. */
const ROUNDING_MS = 2_000;
/** A known limit stays known when a refusal shows at least this share of it. */
const CREDIBLE = 0.8;
/** Two numbers count as the same limit when they differ by at most this share. */
const SAME = 0.1;
/** First pause when the service states none. It doubles with each further refusal. */
const PAUSE_MS = 2_000;
/** Longest random addition to a pause, in ms. */
const JITTER_MAX_MS = 500;
/** The share that may go at once shrinks by this much with each window. */
const SPREAD_MORE = 0.03;
/** Calls between two checks of a known limit: keeps their refusals to about one in a hundred calls. */
const TRIAL_CALLS = 100;
/** Longest time between two checks in ms, unless `TRIAL_CALLS` need more. */
const TRIAL_LONGEST_MS = 10 * MINUTE;
/** A check uses an even pace when at most this share of the budget still goes at once. */
const EVEN = 0.6;
/** A check with a small step lasts until it has covered a whole fixed window. A large step fails earlier. */
const CAREFUL = { step: 1.25, windows: 2.1 };
const BOLD = { step: 2, windows: 1.2 };
/** A check proves something when at least this share of its calls was made. */
const PROVEN = 0.85;

/** What else is waiting, and a source of random numbers. */
type Extra = { contended: boolean; random: () => number };

/** Records an answer that is not a refusal. @param current the call was made after the last refusal */
export function accept(
  pace: Pace,
  current: boolean,
  { limit: hint, waitMs = 0 }: Answered,
  time: number,
  extra: Extra,
): void {
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

/** `tookMs`: from the refused call to its answer. */
type Refused = { random: () => number; tookMs: number | undefined };

/** Records a refusal: pauses, and begins a new period. */
export function refuse(
  pace: Pace,
  { waitMs, limit: hint }: Answered,
  time: number,
  { random, tookMs = 0 }: Refused,
): void {
  const isSingle = time - pace.refusedAt >= pace.windowMs;
  pace.refusals++;
  pace.refusedAt = time;
  setWindow(pace, hint?.windowMs ?? MINUTE, time, hint?.limit);
  pace.stray = false;
  // A refusal of the single call after a pause means that the pause was too short. It says nothing about the limit.
  if (pace.refusals === 1) {
    const seen = seenIn(pace, waitMs, time - tookMs);
    const until = time + (waitMs ?? 0);
    pace.pending = { seen, statedLimit: hint?.limit, hasWait: waitMs !== undefined, until };
    pace.stray = isSingle && seen < pace.budget / 2;
  }
  pace.pausedUntil = time + pauseFor(pace, waitMs, time, random);
  pace.grownAt = Math.max(pace.grownAt, pace.pausedUntil);
  pace.period++;
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
export function judge(pace: Pace, time: number): void {
  if (pace.pending === undefined) return;
  const refusal = pace.pending;
  pace.pending = undefined;
  learn(pace, refusal, time);
}

/** Whether two numbers of calls count as the same limit. */
const isSame = (a: number, b: number | undefined): boolean =>
  b !== undefined && Math.abs(a - b) <= Math.max(1, b * SAME);

/** Applies what a refusal shows about the limit. */
function learn(pace: Pace, refusal: Refusal, time: number): void {
  const { seen, statedLimit } = refusal;
  const tried = pace.trial !== undefined;
  pace.trial = undefined;
  if (statedLimit !== undefined && statedLimit > 0 && statedLimit !== pace.distrusted) {
    // When the limit has been known for a whole window, this process stays below it. A refusal then has another cause:
    // another client of the key.
    if (!pace.stated || time - pace.knownAt < span(pace)) return setStatedLimit(pace, statedLimit, time);
    pace.distrusted = statedLimit;
  }
  pace.stated = false;
  if (tried && seen >= pace.budget * (1 - SAME)) failTrial(pace, time);
  // If nothing was accepted, an earlier process or another client has used up the window: nothing is learned.
  else if (seen > 0) lower(pace, refusal, time);
}

/** Spreads the calls until the window has passed. The calls that fill it are not ours, and leave it one by one. */
function spread(pace: Pace, until: number, time: number): void {
  const { budget, spreadMs, spreadUntil, windowMs } = pace;
  pace.spreadMs = Math.min(time < spreadUntil ? 2 * spreadMs : windowMs / budget, windowMs / BUDGET_MIN);
  pace.spreadUntil = until;
}

/** Lowers the budget to the number that a refusal showed, or half-way to it. */
function lower(pace: Pace, { seen, hasWait, until }: Refusal, time: number): void {
  const { budget, known, shown, shownUntil, windowMs } = pace;
  const again = until - windowMs < shownUntil - windowMs * SAME;
  // The next search for the limit begins when the window of the refusal before has passed.
  if (again) pace.grownAt = Math.max(pace.grownAt, shownUntil + windowMs);
  if (again && seen < budget / 2) return spread(pace, shownUntil + windowMs, time);
  const proven = !again && seen >= BUDGET_MIN && isSame(seen, shown);
  const halved = Math.max(seen, Math.ceil(budget / 2));
  // As many calls as expected were accepted, over two fixed windows: the step of the last check was too large.
  const expected = pace.bold && !hasWait && isSame(seen, budget);
  pace.bold = false;
  const next = expected ? budget / CAREFUL.step : proven ? seen : halved;
  pace.shown = seen;
  if (!again) pace.shownUntil = until;
  pace.budget = Math.max(BUDGET_MIN, Math.min(Math.ceil(next), known ? budget - 1 : budget));
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
  pace.shownUntil = time - windowMs;
  pace.spreadUntil = time;
  pace.budget = Math.max(BUDGET_MIN, limit);
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

// ── checks of a known limit ───────────────────────────────────────────────────────────────────────────────────────────

/** Share of a known budget that may go at once. */
export function atOnce(pace: Pace, time: number): number {
  if (pace.stated) return isClean(pace, time) ? 0.5 : pace.stray ? Math.min(0.5, MANY / pace.budget) : 0;
  return Math.max(0.5, 1 - (SPREAD_MORE * (time - pace.knownAt)) / pace.windowMs);
}

/** How long to wait until a higher budget is checked again, in ms. */
function trialPause({ budget, trialsInVain, windowMs, tookMs }: Pace): number {
  const refusals = 1 + (budget * tookMs) / windowMs;
  const least = ((TRIAL_CALLS * refusals) / budget) * windowMs;
  return Math.max(least, Math.min(TRIAL_LONGEST_MS, least * 2 ** Math.min(trialsInVain, 10)));
}

/** Begins a check when the budget is used up and the time has come. */
export function beginTrial(pace: Pace, time: number): void {
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
