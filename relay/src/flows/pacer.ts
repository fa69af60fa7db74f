import type { Outcome } from "../service/outcome.ts";

/**
 * Pace of one account towards a limit that nobody told us (R-801, RELIABILITY 3g).
 *
 * It keeps the times of the calls of the last minute. While no refusal was ever seen, the budget of a minute doubles
 * whenever it is used up. The first refusal, or a header, teaches the limit: what was accepted in the minute before it.
 * From then on no minute holds more calls than that, whatever kind of window the service counts in. The first half of a
 * minute's budget may go at once, so a burst after quiet hours is not delayed; the second half is spread over what is left
 * of the minute, so a new visitor's first message, which goes before all others, soon finds a place.
 *
 * A refusal below the limit lowers it to what was accepted, and halves it when nothing was (multiplicative decrease). Clean
 * for long, it tries a somewhat higher pace, evenly spread, for two minutes: kept when nothing was refused, and taken back
 * at the first refusal, with ever longer times between the tries. A try that is refused costs about one call; the time
 * between two of them is at least two hundred.
 */
export type Kind = "first" | "fresh" | "retry";

type Answered = Pick<Outcome, "kind" | "waitMs" | "limit">;

export type Pacer = {
  /** 0: the call may go now, and counts as sent. Else milliseconds until it is worth asking again. */
  take: (kind: Kind) => number;
  /** What came of a call that was taken. */
  answered: (outcome: Answered) => void;
  snapshot: () => {
    /** Calls a minute that may go now. */
    rate: number;
    /** The limit as learned, if it was. */
    limit: number | undefined;
    /** Milliseconds for which nothing goes, because the service refused. */
    pausedFor: number;
  };
};

/** What says nothing about the limit, neither that a call was counted nor that it was not. */
const SILENT: ReadonlySet<Outcome["kind"]> = new Set(["transient", "unknown", "edge", "unready"]);

const MINUTE = 60_000;
/** Times are taken here, the service counts on its side: two calls may arrive closer than they left. */
const MARGIN = 1.01;
/** How often the budget may double while no limit is known. */
const DOUBLE_MS = 5_000;
/** Clean calls between two tries of a higher pace: keeps what they are refused under one in a hundred. */
const PROBE_CALLS = 200;
const PROBE_LONGEST_MS = 60 * MINUTE;
/** A first try is careful; when one was kept, the next one is bold. */
const STEP = 1.25;
const LEAP = 2;
/** Refusals in a row after which the limit is halved: it fell, or others use the key too. */
const HALVE_AFTER = 4;
/** So long a try lasts, in windows: a whole one of the service's lies within, wherever it starts. */
const TRIAL_WINDOWS = 2.1;
const RETRY_TOKENS = 10;
const RETRY_TOKENS_MAX = 100;
/** First pause when nothing tells how long it must be. */
const PAUSE_MS = 2_000;
/** So many calls may go blind, before the first answer; then as many at once as a tenth of what has gone. */
const BLIND = 20;
/** A stated limit that refuses us below this share of it is not ours alone, or is not a limit per minute. */
const CREDIBLE = 0.8;
/** Work that had to wait so short a time ago wants all there is: repeats keep to their tenth beside it. */
const CONTENDING_MS = 5_000;
/** How soon to ask again while one call is alone under way; its answer comes sooner as a rule. */
const ALONE_MS = 50;

type Options = { start: number; ceiling?: number; now: () => number; random?: () => number };

/**
 * @param options.start calls a minute to begin with
 * @param options.ceiling calls a minute never exceeded
 * @param options.now milliseconds that only rise
 */
export function createPacer({ start, ceiling = 1_000_000, now, random = Math.random }: Options): Pacer {
  /** When the calls of the last minute were taken, oldest first; refused ones are taken out again. */
  let sent: number[] = [];
  let flying = 0;
  let budget = start;
  let grownAt = Number.NEGATIVE_INFINITY;
  let learned = false;
  /** The service states its limit: nothing needs to be tried. */
  let stated = false;
  let distrusted: number | undefined;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  /** A success used the last of the quota. */
  let restUntil = Number.NEGATIVE_INFINITY;
  /** Of the calls under way, those that left before the last refusal: they prove nothing about the time after it. */
  let older = 0;
  /** When work that is no repeat last found no room. */
  let freshWaited = Number.NEGATIVE_INFINITY;
  /** Calls accepted since the last pause. */
  let since = 0;
  /** The limit was counted while calls were under way: each of them that is accepted raises it. */
  let counting = false;
  /** Refusals in a row, without an accepted call between them. */
  let refusals = 0;
  let trial: { budget: number; until: number; count: number } | undefined;
  /** When the last try ended, and how often they were refused in a row. */
  let triedAt = Number.POSITIVE_INFINITY;
  let triedInVain = 0;
  let step = STEP;
  /** The limit was lowered by guess: look soon whether more is possible. */
  let unsure = false;
  let windowMs = MINUTE;
  let retryTokens = RETRY_TOKENS;
  let retryFilledAt = now();

  /** A bold try is refused in half a window already. */
  const lasts = (): number => (step === LEAP ? 1.2 : TRIAL_WINDOWS);
  const span = (): number => windowMs * MARGIN;

  function forget(time: number): void {
    let old = 0;
    while (old < sent.length && (sent[old] ?? 0) <= time - span()) old++;
    if (old > 0) sent = sent.slice(old);
  }

  /** How long until one more call fits into the window. */
  function room(time: number): number {
    const last = sent.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (trial !== undefined) return Math.max(0, last + span() / trial.budget - time);
    if (sent.length >= budget) {
      const free = Math.max(1, (sent[sent.length - Math.floor(budget)] ?? time) + span() - time);
      return learned ? free : Math.min(free, Math.max(1, grownAt + DOUBLE_MS - time));
    }
    if (!learned || sent.length < budget / 2) return 0;
    const end = (sent[0] ?? time) + span();
    return Math.max(0, last + (end - last) / (budget - sent.length + 1) - time);
  }

  function grow(time: number): void {
    if (learned || sent.length < budget || time - grownAt < DOUBLE_MS) return;
    grownAt = time;
    budget = Math.min(ceiling, budget * 2);
  }

  function retryWait(time: number): number {
    retryTokens = Math.min(RETRY_TOKENS_MAX, retryTokens + ((time - retryFilledAt) * RETRY_TOKENS) / MINUTE);
    retryFilledAt = time;
    return retryTokens >= 1 ? 0 : ((1 - retryTokens) * MINUTE) / RETRY_TOKENS;
  }

  function waitFor(kind: Kind, time: number): number {
    if (time < Math.max(pausedUntil, restUntil)) return full(kind, time, Math.max(pausedUntil, restUntil) - time);
    // After a pause, one call goes alone to see whether it is over.
    if (refusals > 0 && flying > older) return ALONE_MS;
    if (!learned && sent.length >= BLIND && flying >= Math.max(2, sent.length / 10)) return ALONE_MS;
    if (kind === "retry" && retryWait(time) > 0) return retryWait(time);
    grow(time);
    if (learned && !stated && trial === undefined && time >= triedAt + trialPause()) {
      trial = { budget: Math.ceil(budget * step), until: time + windowMs * lasts(), count: 0 };
    }
    return full(kind, time, room(time));
  }

  /** Repeats may use what nobody else wants: they keep to their tenth only while other work finds no room. */
  function full(kind: Kind, time: number, wait: number): number {
    if (wait > 0 && kind !== "retry") freshWaited = time;
    return wait;
  }

  function learn(limit: number): void {
    learned = true;
    budget = Math.min(ceiling, Math.max(1, Math.floor(limit)));
  }

  /** How long to leave it between two tries of a higher pace. */
  function trialPause(): number {
    if (step === LEAP) return 0;
    if (unsure) return windowMs * TRIAL_WINDOWS;
    return Math.min(PROBE_LONGEST_MS, (PROBE_CALLS / budget) * MINUTE * 2 ** Math.min(triedInVain, 10));
  }

  function endTrial(time: number, kept: boolean): void {
    trial = undefined;
    triedAt = time;
    step = kept ? LEAP : STEP;
  }

  function state(limit: number): void {
    stated = true;
    trial = undefined;
    learn(limit);
  }

  function accepted(time: number, { limit: hint, waitMs = 0 }: Answered): void {
    refusals = 0;
    if (waitMs > 0) restUntil = Math.max(restUntil, time + waitMs * (1 + random() * 0.1));
    if (time < pausedUntil) {
      if (counting) budget++;
    } else {
      since++;
      counting = false;
    }
    retryTokens = Math.min(RETRY_TOKENS_MAX, retryTokens + (time - freshWaited < CONTENDING_MS ? 0.11 : 1.1));
    if (hint?.windowMs !== undefined && hint.windowMs > 0) windowMs = hint.windowMs;
    if (hint?.limit !== undefined && hint.limit > 0 && hint.limit !== distrusted) return state(hint.limit);
    if (trial === undefined) return;
    trial.count++;
    if (time < trial.until) return;
    // Only a pace that was really used proves anything.
    const proven = trial.count >= trial.budget * lasts() * 0.8;
    if (proven) {
      learn(trial.budget);
      triedInVain = 0;
      unsure = false;
    }
    endTrial(time, proven);
  }

  /**
   * The limit that a refusal teaches: what was accepted since the last pause, when that is the larger part of the last
   * minute, because then the rest belongs to an earlier window of the service; else what was accepted in the last minute.
   */
  function lesson(): number {
    // The one call that goes after a pause: its refusal says that the window is not over yet, and nothing of the limit.
    if (learned && trial === undefined && since === 0 && sent.length <= flying) return budget;
    const inMinute = Math.max(1, sent.length - flying);
    // A bold try that was refused half-way has still shown how much is possible.
    if (trial !== undefined) return step === LEAP ? Math.max(budget, inMinute) : budget;
    const known = learned && since >= inMinute / 2 ? since : inMinute;
    counting = !learned || known <= budget;
    return learned ? Math.min(budget, known) : known;
  }

  /**
   * How long the window may still be full. Without a word of the service: until so many of the last calls have left it as
   * the limit holds; for a limit just met, until all have; longer each time when that was not enough.
   */
  function pauseFor(time: number, waitMs: number | undefined, first: boolean): number {
    if (waitMs !== undefined) return Math.max(waitMs, refusals > 1 ? PAUSE_MS * refusals : 0);
    const guess = PAUSE_MS * 2 ** Math.min(refusals - 1, 5);
    if (refusals > 1) return Math.min(MINUTE, guess);
    const leaves = first ? sent.at(-1) : sent[Math.max(0, sent.length - budget)];
    return leaves === undefined ? guess : Math.max(PAUSE_MS / 2, leaves + span() - time);
  }

  function refused(time: number, { waitMs, limit }: Answered): void {
    sent.pop();
    if (limit?.windowMs !== undefined && limit.windowMs > 0) {
      // A limit per second, say: the calls of the minute before are not what it counted.
      windowMs = limit.windowMs;
      forget(time);
    }
    // Calls that were under way together are one refusal.
    if (time < pausedUntil) return;
    refusals++;
    older = flying;
    const first = !learned;
    const tried = trial !== undefined;
    const before = learned ? budget : undefined;
    if (limit?.limit !== undefined && limit.limit > 0 && sent.length >= limit.limit * CREDIBLE) state(limit.limit);
    else {
      stated = false;
      distrusted = limit?.limit;
      const lower = lesson();
      learn(refusals < HALVE_AFTER ? lower : lower / 2);
    }
    if (tried) triedInVain++;
    unsure = !tried && before !== undefined && budget < before;
    endTrial(time, false);
    since = 0;
    pausedUntil = time + pauseFor(time, waitMs, first) * (1 + random() * 0.1);
  }

  return {
    take(kind) {
      const time = now();
      forget(time);
      const wait = waitFor(kind, time);
      if (wait > 0) return Math.max(1, Math.ceil(wait));
      sent.push(time);
      flying++;
      if (kind === "retry") retryTokens--;
      return 0;
    },
    answered(outcome) {
      const time = now();
      flying = Math.max(0, flying - 1);
      older = Math.max(0, older - 1);
      forget(time);
      if (outcome.kind === "throttle") refused(time, outcome);
      else if (!SILENT.has(outcome.kind)) accepted(time, outcome);
    },
    snapshot: () => ({
      rate: Math.floor(((trial?.budget ?? budget) * MINUTE) / windowMs),
      limit: learned ? budget : undefined,
      pausedFor: Math.max(0, pausedUntil - now()),
    }),
  };
}
