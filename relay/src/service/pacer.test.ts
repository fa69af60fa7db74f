import { describe, expect, it } from "vitest";
import { openPace, type Pace, paceOf, settle, take, takeRepeat } from "./pacer.ts";
import { limitOf, waitOf } from "./wait.ts";

const MINUTE = 60_000;
const WINDOWS = ["clock", "first", "sliding"] as const;
type WindowKind = (typeof WINDOWS)[number];
const STYLES = ["none", "retryAfter", "retryDate", "retryMs", "ietf6", "ietf8", "xEpoch", "resetAfter"] as const;
type Style = (typeof STYLES)[number];
const EPOCH = Date.UTC(2026, 10, 21, 12, 0, 17);

type Limit = (time: number) => number;
type Answer = { status: number; headers: Record<string, string> };

/** A service with a hidden limit a minute, which counts in the given kind of window and tells it in the given style. */
function hiddenLimit(kind: WindowKind, style: Style, limitAt: Limit): (time: number) => Answer {
  let times: number[] = [];
  let start = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (time) => {
    const limit = limitAt(time);
    if (kind === "sliding") times = times.filter((at) => at > time - MINUTE);
    else if (kind === "clock" ? Math.floor((EPOCH + time) / MINUTE) !== start : time - start >= MINUTE) {
      start = kind === "clock" ? Math.floor((EPOCH + time) / MINUTE) : time;
      used = 0;
    }
    const count = kind === "sliding" ? times.length : used;
    const refused = count >= limit;
    if (!refused) {
      times.push(time);
      used++;
    }
    const freeing = times[Math.max(0, times.length - limit)] ?? time;
    const end = kind === "clock" ? (start + 1) * MINUTE - EPOCH : kind === "first" ? start + MINUTE : freeing + MINUTE;
    const left = Math.max(0, limit - count - 1);
    return { status: refused ? 429 : 200, headers: headersOf(style, refused, limit, left, end - time, EPOCH + time) };
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

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

type Drive = {
  answer: (time: number) => Answer;
  /** Waiting calls at the start, and how many more come at a time. */
  waiting: number;
  from?: number;
  until: number;
  pace?: Pace;
  seed?: number;
  /** The longest time that the service works on a call, in ms. */
  slow?: number;
};
type Driven = { accepted: number[]; refused: number[] };

/** Drives the real pacer through simulated time: calls take 10 to 240 ms, or longer. @returns the times of all answers */
function drive({ answer, waiting, from = 0, until, pace = openPace(60, from), seed = 1, slow = 200 }: Drive): Driven {
  const random = seeded(seed);
  const driven: Driven = { accepted: [], refused: [] };
  let [time, flying, left] = [from, 0, waiting];
  const events: { at: number; fn: () => void }[] = [];
  const later = (ms: number, fn: () => void) => {
    const at = time + ms;
    const i = events.findIndex((other) => other.at > at);
    events.splice(i < 0 ? events.length : i, 0, { at, fn });
  };
  function fly(): void {
    const { epoch } = pace;
    const departed = time;
    flying++;
    left--;
    later(5 + random() * 30, () => {
      const { status, headers } = answer(time);
      (status === 200 ? driven.accepted : driven.refused).push(time);
      later(5 + random() * slow, () => {
        flying--;
        if (status === 429) left++;
        const waitMs = waitOf(status, headers, EPOCH + time);
        const kind = status === 200 ? "ok" : "throttle";
        const outcome = { kind, limit: limitOf(headers), ...(waitMs === undefined ? {} : { waitMs }) } as const;
        settle(pace, epoch, outcome, time, { random, tookMs: time - departed });
      });
    });
  }
  while (time < until) {
    let wait = Number.POSITIVE_INFINITY;
    while (flying < 64 && left > 0) {
      wait = take(pace, time);
      if (wait > 0) break;
      fly();
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

const between = (times: readonly number[], from: number, to: number) =>
  times.filter((time) => time >= from && time < to).length;
const perMinute = (times: readonly number[], minutes: number) =>
  Array.from({ length: minutes }, (_, i) => between(times, i * MINUTE, (i + 1) * MINUTE)).join(" ");

/** Shares of calls used and refused after `from`. */
function shares({ accepted, refused }: Driven, limitAt: Limit, from: number, to: number) {
  let possible = 0;
  for (let time = from; time < to; time += MINUTE) possible += limitAt(time);
  const [used, not] = [between(accepted, from, to), between(refused, from, to)];
  return { used: used / possible, refused: not / (used + not) };
}

describe.each([10, 30, 300])("a hidden limit of %i a minute", (limit) => {
  it.each(STYLES)("told by %s: nine tenths of it are used and under two hundredths of the calls refused", (style) => {
    for (const kind of WINDOWS) {
      for (const seed of [1, 2, 3]) {
        const answer = hiddenLimit(kind, style, () => limit);
        const driven = drive({ answer, waiting: 1e9, until: 20 * MINUTE, seed });
        const found = shares(driven, () => limit, MINUTE, 20 * MINUTE);
        const figures = `${kind}, seed ${seed}: ${JSON.stringify(found)} ${perMinute(driven.accepted, 20)} | ${perMinute(driven.refused, 20)}`;
        expect(found.used, figures).toBeGreaterThanOrEqual(0.9);
        expect(found.refused, figures).toBeLessThan(0.02);
      }
    }
  });
});

describe("a service that takes up to three seconds for a call", () => {
  it.each([30, 300])("is asked nine tenths of its limit of %i a minute", (limit) => {
    for (const style of ["none", "retryAfter"] as const) {
      for (const kind of WINDOWS) {
        const answer = hiddenLimit(kind, style, () => limit);
        const driven = drive({ answer, waiting: 1e9, until: 20 * MINUTE, slow: 3_000 });
        const found = shares(driven, () => limit, 5 * MINUTE, 20 * MINUTE);
        const figures = `${style}, ${kind}: ${perMinute(driven.accepted, 20)} | ${perMinute(driven.refused, 20)}`;
        expect(found.used, figures).toBeGreaterThanOrEqual(0.9);
        expect(found.refused, figures).toBeLessThan(0.02);
      }
    }
  });

  it.each([60, 300])("is asked four fifths of %i within two minutes after a restart into a used-up window", (limit) => {
    for (const style of ["none", "retryAfter"] as const) {
      for (const kind of WINDOWS) {
        const answer = hiddenLimit(kind, style, () => limit);
        for (let n = 0; n < limit; n++) answer(-30_000);
        const driven = drive({ answer, waiting: limit * 9, until: 6 * MINUTE, slow: 3_000 });
        const figures = `${style}, ${kind}: ${perMinute(driven.accepted, 6)} | ${perMinute(driven.refused, 6)}`;
        expect(between(driven.accepted, 0, 2 * MINUTE), figures).toBeGreaterThanOrEqual(0.8 * limit);
      }
    }
  });
});

describe("a limit that changes from 30 to 300 to 10", () => {
  const changing: Limit = (time) => (time < 20 * MINUTE ? 30 : time < 50 * MINUTE ? 300 : 10);
  it.each(STYLES)("told by %s, is followed, with under two hundredths of the calls refused", (style) => {
    for (const kind of WINDOWS) {
      const driven = drive({ answer: hiddenLimit(kind, style, changing), waiting: 1e9, until: 90 * MINUTE, seed: 7 });
      const figures = `${kind}: ${perMinute(driven.accepted, 90)} | ${perMinute(driven.refused, 90)}`;
      const stated = ["ietf6", "ietf8", "xEpoch"].includes(style);
      // A limit that is only told by refusals is found by trials: within a quarter of an hour.
      const after = (stated ? 2 : 15) * MINUTE;
      for (const [from, to] of [
        [0, 20],
        [20, 50],
        [50, 90],
      ] as const)
        expect(shares(driven, changing, from * MINUTE + after, to * MINUTE).used, figures).toBeGreaterThanOrEqual(0.9);
      expect(shares(driven, changing, MINUTE, 90 * MINUTE).refused, figures).toBeLessThan(0.02);
    }
  });
});

describe("after a restart into a used-up window", () => {
  /** Accepted calls per minute of a new life with 540 messages waiting. An earlier life used the window up. */
  function restarted(kind: WindowKind, style: Style, limit: number, before: number) {
    const answer = hiddenLimit(kind, style, () => limit);
    for (let n = 0; n < limit; n++) answer(-before);
    const driven = drive({ answer, waiting: limit * 9, until: 6 * MINUTE });
    return {
      minutes: Array.from({ length: 6 }, (_, n) => between(driven.accepted, n * MINUTE, (n + 1) * MINUTE)),
      figures: `${kind}, ${limit}, ${before}: ${perMinute(driven.accepted, 6)} | ${perMinute(driven.refused, 6)}`,
    };
  }

  it.each(STYLES)(
    "told by %s: four fifths of the limit go out in the second minute, and 95 in 100 from the third",
    (style) => {
      for (const kind of WINDOWS) {
        for (const before of [15_000, 30_000, 50_000]) {
          const { minutes, figures } = restarted(kind, style, 60, before);
          expect(minutes[1], figures).toBeGreaterThanOrEqual(0.8 * 60);
          for (const n of [2, 3, 4, 5]) expect(minutes[n], figures).toBeGreaterThanOrEqual(0.95 * 60);
        }
      }
    },
  );

  it.each(STYLES)("told by %s: as much of a limit above the rate of the start", (style) => {
    for (const kind of WINDOWS) {
      for (const limit of [120, 300]) {
        const { minutes, figures } = restarted(kind, style, limit, 30_000);
        expect(minutes[1], figures).toBeGreaterThanOrEqual(0.8 * limit);
        // Bursts at the edge of two minutes are counted in one of them: what counts is how much went out in all.
        let sum = 0;
        for (const [n, minute] of minutes.entries()) {
          sum += minute;
          if (n >= 2) expect(sum, figures).toBeGreaterThanOrEqual(0.95 * limit * n);
        }
      }
    }
  });
});

describe("a stray refusal of a quiet account", () => {
  /** Refuses the first call at `at`, whatever it is. */
  const stray = (at: number, headers: Record<string, string>) => {
    let met = false;
    return (time: number): Answer => {
      if (met || time < at) return { status: 200, headers: {} };
      met = true;
      return { status: 429, headers };
    };
  };

  it.each([1_000, 3_600_000])(
    "with Retry-After: 2 lets the next six messages out within 10 s, %i ms after the start",
    (at) => {
      const pace = openPace(60, 0);
      const answer = stray(at, { "retry-after": "2" });
      if (at > MINUTE) drive({ answer, pace, waiting: 3, from: 0, until: at });
      const first = drive({ answer, pace, waiting: 1, from: at, until: at + 500 });
      expect(first.refused).toHaveLength(1);
      const { accepted, refused } = drive({ answer, pace, waiting: 7, from: at + 500, until: at + MINUTE });
      expect([accepted.length, refused.length]).toEqual([7, 0]);
      expect(accepted.at(-1)).toBeLessThan(at + 10_000);
      expect(accepted[0]).toBeGreaterThanOrEqual((first.refused[0] ?? 0) + 2_000);
    },
  );

  it("leaves the account as quick as before, however often it comes", () => {
    const pace = openPace(60, 0);
    let time = 0;
    for (let n = 0; n < 12; n++, time += 10 * MINUTE) {
      const answer = stray(time, { "retry-after": "2" });
      drive({ answer, pace, waiting: 2, from: time, until: time + MINUTE });
    }
    const { accepted } = drive({
      answer: () => ({ status: 200, headers: {} }),
      pace,
      waiting: 40,
      from: time,
      until: time + MINUTE,
    });
    expect(accepted).toHaveLength(40);
    expect(accepted.at(-1)).toBeLessThan(time + 5_000);
  });

  it("without a header holds nothing back for more than a minute", () => {
    const pace = openPace(60, 0);
    const answer = stray(0, {});
    const { accepted } = drive({ answer, pace, waiting: 7, from: 0, until: 5 * MINUTE });
    expect(accepted.at(-1)).toBeLessThan(MINUTE);
  });
});

/** A pace with its own clock, whose calls are answered by hand. */
function paceAt(start = 60) {
  const pace = openPace(start, 0);
  const clock = { time: 0 };
  const ask = () => take(pace, clock.time);
  const answer = (outcome: Parameters<typeof settle>[2], epoch = pace.epoch, contended = false) =>
    settle(pace, epoch, outcome, clock.time, { random: () => 0, contended });
  return { pace, clock, ask, answer };
}

describe("a refusal", () => {
  it("holds everything for the time that the service states, to the second", () => {
    const { ask, answer, clock } = paceAt();
    ask();
    answer({ kind: "throttle", waitMs: 37_000 });
    expect(ask()).toBe(37_000);
    clock.time = 36_999;
    expect(ask()).toBe(1);
    clock.time = 37_000;
    expect(ask()).toBe(0);
  });

  it("is one refusal for all calls that were under way together", () => {
    const { pace, ask, answer, clock } = paceAt();
    for (let n = 0; n < 12; n++) expect(ask() === 0 || n >= 8).toBe(true);
    const { epoch } = pace;
    for (let n = 0; n < 8; n++) answer({ kind: "throttle", waitMs: 2_000 }, epoch);
    clock.time = 2_000;
    expect(ask()).toBe(0);
    expect(pace.budget).toBe(60);
  });

  it("lets one call go alone after the pause, also while a call from before it is still under way", () => {
    const { pace, ask, answer, clock } = paceAt();
    const { epoch } = pace;
    ask(); // carries a file: its answer is not there yet
    ask();
    answer({ kind: "throttle", waitMs: 1_000 }, epoch);
    clock.time = 1_000;
    expect(ask()).toBe(0);
    expect(ask()).toBeGreaterThan(0);
    answer({ kind: "ok" });
    expect(ask()).toBe(0);
  });

  it("halves the budget at most once a window and never below what was accepted", () => {
    const { pace, ask, answer, clock } = paceAt(64);
    const burst = (calls: number): void => {
      for (let n = 0; n < calls; n++) {
        clock.time += Math.max(0, ask());
        if (pace.lastAt !== clock.time) ask();
        answer({ kind: "ok" });
      }
    };
    burst(20);
    ask();
    answer({ kind: "throttle", waitMs: 1_000 });
    expect(pace.budget).toBe(32);
    clock.time += 1_000;
    burst(1);
    ask();
    answer({ kind: "throttle", waitMs: 1_000 });
    expect(pace.budget).toBeGreaterThanOrEqual(21);
  });

  it("that states a window of a second holds nobody back for a minute (R-802)", () => {
    const { ask, answer, clock } = paceAt(6_000);
    ask();
    answer({ kind: "throttle", waitMs: 1_000, limit: { limit: 20, windowMs: 1_000 } });
    expect(ask()).toBe(1_000);
    const begun = clock.time;
    for (let done = 0; done < 20; ) {
      const wait = ask();
      clock.time += wait;
      if (wait > 0) continue;
      answer({ kind: "ok" });
      done++;
    }
    expect(clock.time - begun).toBeLessThan(10_000);
  });
});

describe("an account without a known limit", () => {
  it("has few calls without an answer at first, and twenty messages are out within three round trips", () => {
    const { ask, answer } = paceAt();
    let gone = 0;
    for (let trip = 0; trip < 3; trip++) {
      let flying = 0;
      while (gone < 20 && ask() === 0) {
        gone++;
        flying++;
      }
      expect(flying).toBeLessThanOrEqual(8);
      for (; flying > 0; flying--) answer({ kind: "ok" });
    }
    expect(gone).toBe(20);
  });

  it("doubles its budget whenever it is used up, up to the ceiling", () => {
    const pace = openPace(60, 0, 10_000);
    const { accepted } = drive({ answer: () => ({ status: 200, headers: {} }), pace, waiting: 1e9, until: MINUTE });
    expect(accepted.length).toBeGreaterThan(4_000);
    expect(pace.budget).toBeLessThanOrEqual(10_000);
  });

  it("stops after a success that used the last of the quota (vectors: successful but exhausted)", () => {
    const { ask, answer } = paceAt();
    ask();
    answer({ kind: "ok", waitMs: 10_000 });
    expect(ask()).toBe(10_000);
  });
});

describe("repeats", () => {
  it("keep to a budget while nothing succeeds, and flow when the service is back", () => {
    const pace = openPace(600, 0);
    let [taken, time] = [0, 0];
    const go = (kind: "transient" | "ok", until: number) => {
      for (; time < until; time += 100) {
        if (takeRepeat(pace, time) > 0) continue;
        taken++;
        settle(pace, pace.epoch, { kind }, time);
      }
    };
    go("transient", MINUTE);
    expect(taken).toBeLessThanOrEqual(20);
    taken = 0;
    go("ok", 2 * MINUTE);
    expect(taken).toBeGreaterThan(300);
  });

  it("are about a tenth of the calls while other work waits for its turn (3g)", () => {
    const pace = openPace(600, 0);
    let [fresh, repeats] = [0, 0];
    for (let time = 0; time < 10 * MINUTE; time += 50) {
      while (take(pace, time) === 0) {
        fresh++;
        settle(pace, pace.epoch, { kind: "ok", limit: { limit: 600 } }, time, { contended: true });
      }
      if (takeRepeat(pace, time) > 0) continue;
      repeats++;
      settle(pace, pace.epoch, { kind: "transient" }, time);
    }
    expect(fresh).toBeGreaterThan(3_000);
    expect(repeats / (fresh + repeats)).toBeLessThan(0.15);
  });
});

it("is a plain state that goes on the same after it was stored and read", () => {
  const answer = hiddenLimit("first", "retryAfter", () => 30);
  const pace = openPace(60, 0);
  drive({ answer, pace, waiting: 200, until: 3 * MINUTE });
  const copy = JSON.parse(JSON.stringify(pace)) as Pace;
  const ahead = (of: Pace) => Array.from({ length: 200 }, (_, n) => take(of, 3 * MINUTE + n * 500));
  expect(ahead(copy)).toEqual(ahead(pace));
  expect(paceOf(copy, 5 * MINUTE)).toEqual(paceOf(pace, 5 * MINUTE));
});
