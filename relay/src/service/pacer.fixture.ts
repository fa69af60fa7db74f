import { openPace, type Pace } from "./pace.ts";
import { settle, take } from "./pacer.ts";
import { statedLimit, statedWait } from "./rate-limit-headers.ts";

/** A simulated service with a hidden rate limit, and a driver that sends calls through the pacer on a fake clock. */

export const MINUTE = 60_000;
/**
 * `clock`: each window begins with a clock minute. `first`: it begins with the first call after the last window. `sliding`: the
 * last minute.
 */
export const WINDOWS = ["clock", "first", "sliding"] as const;
/** `bucket`: a bucket of tokens, full at first, that fills up evenly within a minute. */
export type WindowKind = (typeof WINDOWS)[number] | "bucket";
/** How the service states its limit: in refusals only, or in every answer (ietf6, ietf8, xEpoch). */
export const STYLES = ["none", "retryAfter", "retryDate", "retryMs", "ietf6", "ietf8", "xEpoch", "resetAfter"] as const;
export type Style = (typeof STYLES)[number];
/** Unix time of the simulation's time 0, in ms: not at the start of a minute. */
const EPOCH = Date.UTC(2026, 10, 21, 12, 0, 17);

export type Limit = (time: number) => number;
export type Answer = { status: number; headers: Record<string, string> };
export type Service = (time: number) => Answer;

/** What a window counts: the calls in it, and ms until a call is accepted again. */
type Window = {
  used: (time: number, limit: number) => number;
  count: (time: number) => void;
  freeIn: (time: number, limit: number) => number;
};

/** Fixed windows that begin at `startOf` a call. */
function fixedWindow(startOf: (time: number, start: number) => number): Window {
  let [start, used] = [Number.NEGATIVE_INFINITY, 0];
  return {
    used(time) {
      const now = startOf(time, start);
      if (now !== start) [start, used] = [now, 0];
      return used;
    },
    count: () => void used++,
    freeIn: (time) => start + MINUTE - time,
  };
}

function slidingWindow(): Window {
  let times: number[] = [];
  return {
    used(time) {
      times = times.filter((at) => at > time - MINUTE);
      return times.length;
    },
    count: (time) => void times.push(time),
    freeIn: (time, limit) => (times[Math.max(0, times.length - limit)] ?? time) + MINUTE - time,
  };
}

function bucket(): Window {
  let [used, at] = [0, 0];
  return {
    used(time, limit) {
      used = Math.max(0, used - ((time - at) * limit) / MINUTE);
      at = time;
      return used;
    },
    count: () => void used++,
    freeIn: (_, limit) => (Math.max(0, used + 1 - limit) * MINUTE) / limit,
  };
}

const WINDOW_OF: Record<WindowKind, (phase: number) => Window> = {
  clock: (phase) => fixedWindow((time) => Math.floor((time + phase) / MINUTE) * MINUTE - phase),
  first: () => fixedWindow((time, start) => (time - start >= MINUTE ? time : start)),
  sliding: slidingWindow,
  bucket,
};

/**
 * A service with a hidden limit per minute. It counts in the given kind of window and states the limit in the given style.
 * @param phase ms of the present clock minute that have passed at the start
 */
export function hiddenLimit(kind: WindowKind, style: Style, limitAt: Limit, phase = EPOCH % MINUTE): Service {
  const window = WINDOW_OF[kind](phase);
  return (time) => {
    const limit = limitAt(time);
    const used = window.used(time, limit);
    const refused = used + 1 > limit;
    if (!refused) window.count(time);
    const left = Math.max(0, Math.floor(limit - used - 1));
    const headers = headersOf(style, refused, limit, left, window.freeIn(time, limit), EPOCH + time);
    return { status: refused ? 429 : 200, headers };
  };
}

function headersOf(style: Style, refused: boolean, limit: number, left: number, ms: number, now: number) {
  const reset = String(Math.ceil(ms / 1_000));
  const styles: Record<Style, () => Record<string, string>> = {
    none: () => ({}),
    retryAfter: () => (refused ? { "retry-after": reset } : {}),
    retryDate: () =>
      refused ? { "retry-after": new Date(now + ms + 999).toUTCString(), date: new Date(now).toUTCString() } : {},
    retryMs: () => (refused ? { "retry-after-ms": String(Math.ceil(ms)) } : {}),
    ietf6: () => ({ "ratelimit-limit": String(limit), "ratelimit-remaining": String(left), "ratelimit-reset": reset }),
    ietf8: () => ({ ratelimit: `"m";r=${refused ? 0 : left};t=${reset}`, "ratelimit-policy": `"m";q=${limit};w=60` }),
    xEpoch: () => ({
      "x-ratelimit-limit": String(limit),
      "x-ratelimit-remaining": String(left),
      "x-ratelimit-reset": String(Math.ceil((now + ms) / 1_000)),
    }),
    resetAfter: () => (refused ? { "x-ratelimit-reset-after": (ms / 1_000).toFixed(3) } : {}),
  };
  return styles[style]();
}

/** Pseudo-random numbers from 0 to 1, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** How long the service takes for a call, in ms, and whether it counts the call before or after that time. */
export type Latency = { least: number; most: number; counts: "before" | "after" };
export const LATENCIES = {
  "at once": { least: 5, most: 205, counts: "before" },
  "in 0.2 to 3 s, counted before": { least: 200, most: 3_000, counts: "before" },
  "in 0.2 to 3 s, counted after": { least: 200, most: 3_000, counts: "after" },
} as const satisfies Record<string, Latency>;
export const QUICK = LATENCIES["at once"];

export type Drive = {
  answer: Service;
  /** Waiting calls at the start. */
  waiting: number;
  from?: number;
  until: number;
  pace?: Pace;
  seed?: number;
  latency?: Latency;
  /** Another client of the same key: its mean calls per minute, and whether they come at random or at an even pace. */
  foreign?: { rate: number; random: boolean };
};
/** Times at which the service decided. */
export type Driven = { accepted: number[]; refused: number[]; foreign: number[] };

/** Most calls of one run. A pacer without a limit would make millions of them, and the test would not end. */
const CALLS_MAX = 20_000;

/**
 * Sends waiting calls through the pacer in simulated time.
 * @returns the times of all answers
 * @throws Error when the pacer lets more than `CALLS_MAX` calls go
 */
export function drive(options: Drive): Driven {
  const { answer, waiting, from = 0, until, pace = openPace(60, from), seed = 1, latency = QUICK, foreign } = options;
  const random = seeded(seed);
  const driven: Driven = { accepted: [], refused: [], foreign: [] };
  let [time, inFlight, left, calls] = [from, 0, waiting, 0];
  const events: { at: number; fn: () => void }[] = [];
  const later = (ms: number, fn: () => void) => {
    const at = time + ms;
    const i = events.findIndex((other) => other.at > at);
    events.splice(i < 0 ? events.length : i, 0, { at, fn });
  };
  function send(): void {
    const { period } = pace;
    const departed = time;
    inFlight++;
    left--;
    if (++calls > CALLS_MAX) throw new Error("The pacer lets calls go without a limit");
    const network = 5 + random() * 30;
    const work = latency.least + random() * (latency.most - latency.least);
    const [before, after] = latency.counts === "before" ? [network, work] : [network + work, 5 + random() * 30];
    later(before, () => {
      const { status, headers } = answer(time);
      (status === 200 ? driven.accepted : driven.refused).push(time);
      later(after, () => {
        inFlight--;
        if (status === 429) left++;
        const waitMs = statedWait(status, headers, EPOCH + time);
        const kind = status === 200 ? "ok" : "throttle";
        const outcome = { kind, limit: statedLimit(headers), ...(waitMs === undefined ? {} : { waitMs }) } as const;
        settle(pace, period, outcome, time, { random, tookMs: time - departed });
      });
    });
  }
  function foreignCall({ rate, random: poisson }: { rate: number; random: boolean }): void {
    later((MINUTE / rate) * (poisson ? -Math.log(1 - random()) : 1), () => {
      if (answer(time).status === 200) driven.foreign.push(time);
      foreignCall({ rate, random: poisson });
    });
  }
  if (foreign !== undefined) foreignCall(foreign);
  while (time < until) {
    let wait = Number.POSITIVE_INFINITY;
    while (inFlight < 64 && left > 0) {
      wait = take(pace, time);
      if (wait > 0) break;
      send();
    }
    const next = events[0];
    if (next === undefined && wait === Number.POSITIVE_INFINITY) break;
    if (next !== undefined && next.at <= time + wait) {
      events.shift();
      time = next.at;
      next.fn();
    } else time += wait;
  }
  return driven;
}

/** Number of the times that are at least `from` and less than `to`. */
export const between = (times: readonly number[], from: number, to: number): number =>
  times.filter((time) => time >= from && time < to).length;

/** Calls in each of the first minutes. */
export const minutesOf = (times: readonly number[], minutes: number): number[] =>
  Array.from({ length: minutes }, (_, i) => between(times, i * MINUTE, (i + 1) * MINUTE));

/** One simulated service. */
export type Profile = { kind: WindowKind; style: Style; limit: number; latency: Latency; seed: number; phase?: number };
/** Shares of the limit that was used, and of the calls that were refused. */
export type Shares = { used: number; refused: number };

/** Shares from minute `from` to minute `to`, while more calls wait than the limit allows. */
export function steady({ kind, style, limit, latency, seed, phase }: Profile, from = 1, to = 11): Shares {
  const answer = hiddenLimit(kind, style, () => limit, phase);
  const driven = drive({ answer, waiting: 1e9, until: to * MINUTE, seed, latency });
  return sharesOf(driven, limit, from, to);
}

function sharesOf({ accepted, refused }: Driven, limit: number, from: number, to: number): Shares {
  const [used, not] = [between(accepted, from * MINUTE, to * MINUTE), between(refused, from * MINUTE, to * MINUTE)];
  return { used: used / (limit * (to - from)), refused: not / (used + not) };
}

/** Accepted calls in each of the first eight minutes. An earlier run used the window up `before` ms ago. */
export function restarted({ kind, style, limit, latency, seed }: Profile, before: number): number[] {
  const answer = hiddenLimit(kind, style, () => limit);
  for (let n = 0; n < limit; n++) answer(-before);
  return minutesOf(drive({ answer, waiting: 1e9, until: 8 * MINUTE, seed, latency }).accepted, 8);
}

/**
 * Accepted calls in each of the first eight minutes, and refused calls in the first one. An earlier run used the whole limit, evenly
 * over the minute before: the places of a sliding window and of a bucket become free one by one.
 */
export function restartedUnderLoad({ kind, style, limit, latency, seed }: Profile) {
  const answer = hiddenLimit(kind, style, () => limit);
  for (let n = 0; n < limit; n++) answer(((n + 0.5) * MINUTE) / limit - MINUTE);
  const { accepted, refused } = drive({ answer, waiting: 1e9, until: 8 * MINUTE, seed, latency });
  return { minutes: minutesOf(accepted, 8), refused: between(refused, 0, MINUTE) };
}

/**
 * Shares over half an hour, while another client of the same key sends `share` of the limit.
 * @returns `used`: by both clients
 */
export function shared({ kind, style, limit, latency, seed }: Profile, share: number, random: boolean): Shares {
  const foreign = { rate: limit * share, random };
  const answer = hiddenLimit(kind, style, () => limit);
  const driven = drive({ answer, waiting: 1e9, until: 31 * MINUTE, seed, latency, foreign });
  const { used, refused } = sharesOf(driven, limit, 1, 31);
  return { used: used + between(driven.foreign, MINUTE, 31 * MINUTE) / (limit * 30), refused };
}
