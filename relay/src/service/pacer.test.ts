import { describe, expect, it } from "vitest";
import { openPace, type Pace } from "./pace.ts";
import {
  type Answer,
  between,
  type Driven,
  drive,
  hiddenLimit,
  LATENCIES,
  type Latency,
  type Limit,
  MINUTE,
  minutesOf,
  type Profile,
  QUICK,
  restarted,
  restartedUnderLoad,
  STYLES,
  shared,
  steady,
  WINDOWS,
} from "./pacer.fixture.ts";
import { paceOf, settle, take, takeRepeat } from "./pacer.ts";

const perMinute = (times: readonly number[], minutes: number) => minutesOf(times, minutes).join(" ");

/** Shares of calls used and refused after `from`. */
function shares({ accepted, refused }: Driven, limitAt: Limit, from: number, to: number) {
  let possible = 0;
  for (let time = from; time < to; time += MINUTE) possible += limitAt(time);
  const [used, not] = [between(accepted, from, to), between(refused, from, to)];
  return { used: used / possible, refused: not / (used + not) };
}

describe.each([10, 30, 300])("a hidden limit of %i calls a minute", (limit) => {
  describe.each(Object.entries(LATENCIES))("of a service that answers %s", (_, latency) => {
    it.each(STYLES)(
      "and states its limit with %s: the relay uses nine tenths of it, and fewer than 2 in 100 calls are refused",
      (style) => {
        for (const kind of WINDOWS) {
          for (const seed of [1, 2, 3]) {
            const found = steady({ kind, style, limit, latency, seed });
            const figures = `${kind}, seed ${seed}: ${JSON.stringify(found)}`;
            expect(found.used, figures).toBeGreaterThanOrEqual(0.9);
            expect(found.refused, figures).toBeLessThan(0.02);
          }
        }
      },
    );
  });
});

describe.each([10, 30, 60, 300])("in the first hour with a hidden limit of %i calls a minute", (limit) => {
  it.each(["none", "retryAfter", "ietf6"] as const)(
    "that the service states with %s, nine tenths are used, and fewer than 2 in 100 calls are refused",
    (style) => {
      const check = (profile: Omit<Profile, "style" | "limit" | "seed">) => {
        const found = steady({ ...profile, style, limit, seed: 1 }, 0, 60);
        const figures = JSON.stringify({ ...profile, ...found });
        expect(found.used, figures).toBeGreaterThanOrEqual(0.9);
        expect(found.refused, figures).toBeLessThan(0.02);
      };
      for (const latency of Object.values(LATENCIES)) {
        for (const phase of [2_000, 17_000, 32_000, 47_000]) check({ kind: "clock", latency, phase });
        for (const kind of ["first", "sliding"] as const) check({ kind, latency });
      }
      check({ kind: "bucket", latency: QUICK });
    },
  );
});

describe("a key that another client uses too", () => {
  it.each([30, 300])(
    "with a limit of %i: both clients together use nine tenths, and few calls are refused",
    (limit) => {
      for (const style of ["none", "retryAfter", "ietf6"] as const) {
        for (const kind of WINDOWS) {
          const found = shared({ kind, style, limit, latency: QUICK, seed: 1 }, 0.3, true);
          const figures = `${style}, ${kind}: ${JSON.stringify(found)}`;
          expect(found.used, figures).toBeGreaterThanOrEqual(0.9);
          expect(found.refused, figures).toBeLessThan(limit === 300 ? 0.02 : 0.04);
        }
      }
    },
  );
});

const SLOW = LATENCIES["in 0.2 to 3 s, counted before"];

describe("a service that takes up to three seconds for a call", () => {
  it.each([60, 300])(
    "gets four fifths of its limit of %i within two minutes after a restart in an exhausted window",
    (limit) => {
      for (const style of ["none", "retryAfter"] as const) {
        for (const kind of WINDOWS) {
          const answer = hiddenLimit(kind, style, () => limit);
          for (let n = 0; n < limit; n++) answer(-30_000);
          const driven = drive({ answer, waiting: limit * 9, until: 6 * MINUTE, latency: SLOW });
          const figures = `${style}, ${kind}: ${perMinute(driven.accepted, 6)} | ${perMinute(driven.refused, 6)}`;
          expect(between(driven.accepted, 0, 2 * MINUTE), figures).toBeGreaterThanOrEqual(0.8 * limit);
        }
      }
    },
  );
});

describe("a limit that changes from 30 to 300 to 10", () => {
  const changing: Limit = (time) => (time < 20 * MINUTE ? 30 : time < 50 * MINUTE ? 300 : 10);
  it.each(STYLES)("is found when the service states it with %s, and fewer than 2 in 100 calls are refused", (style) => {
    for (const kind of WINDOWS) {
      const driven = drive({ answer: hiddenLimit(kind, style, changing), waiting: 1e9, until: 90 * MINUTE, seed: 7 });
      const figures = `${kind}: ${perMinute(driven.accepted, 90)} | ${perMinute(driven.refused, 90)}`;
      const stated = ["ietf6", "ietf8", "xEpoch"].includes(style);
      // A limit that only refusals reveal is found by trials within 15 minutes.
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

describe("after a restart in an exhausted window", () => {
  it.each(STYLES)(
    "with a limit stated by %s: four fifths of it are used in the second minute, and 95 in 100 from the third",
    (style) => {
      for (const kind of WINDOWS) {
        for (const before of [15_000, 30_000, 50_000]) {
          const minutes = restarted({ kind, style, limit: 60, latency: QUICK, seed: 1 }, before);
          const figures = `${kind}, ${before}: ${minutes.join(" ")}`;
          expect(minutes[1], figures).toBeGreaterThanOrEqual(0.8 * 60);
          for (const n of [2, 3, 4, 5]) expect(minutes[n], figures).toBeGreaterThanOrEqual(0.95 * 60);
        }
      }
    },
  );

  // 95 in 100 of ten calls are nine and a half. A client that holds a place for a minute and one answer cannot send ten calls
  // in every minute. So each minute needs at least nine, and all minutes together 95 in 100.
  it.each(STYLES)(
    "with a limit of ten stated by %s: nine calls go in every minute from the third, and 95 in 100 overall",
    (style) => {
      for (const kind of WINDOWS) {
        for (const seed of [1, 2, 3]) {
          const minutes = restarted({ kind, style, limit: 10, latency: QUICK, seed }, 30_000);
          const figures = `${kind}, seed ${seed}: ${minutes.join(" ")}`;
          expect(minutes[1], figures).toBeGreaterThanOrEqual(8);
          expect(Math.min(...minutes.slice(2)), figures).toBeGreaterThanOrEqual(9);
          expect(
            minutes.slice(2).reduce((sum, calls) => sum + calls),
            figures,
          ).toBeGreaterThanOrEqual(0.95 * 60);
        }
      }
    },
  );

  it.each(STYLES)(
    "that the earlier process had used evenly, with a limit stated by %s: the same shares of it are used",
    (style) => {
      for (const kind of [...WINDOWS, "bucket"] as const) {
        for (const limit of [10, 30, 60, 300]) {
          const { minutes, refused } = restartedUnderLoad({ kind, style, limit, latency: QUICK, seed: 1 });
          const figures = `${kind}, ${limit}: ${minutes.join(" ")}`;
          expect(minutes[1], figures).toBeGreaterThanOrEqual(0.8 * limit);
          const later = minutes.slice(2).reduce((sum, calls) => sum + calls);
          expect(later, figures).toBeGreaterThanOrEqual(0.95 * limit * (minutes.length - 2));
          // The first eight calls go together, and eight after the pause. Then calls are spread.
          if (style === "retryAfter" && kind === "sliding") expect(refused, figures).toBeLessThanOrEqual(20);
        }
      }
    },
  );

  it.each(STYLES)("with a limit above the first rate, stated by %s: the same shares of it are used", (style) => {
    for (const kind of WINDOWS) {
      for (const limit of [120, 300]) {
        const minutes = restarted({ kind, style, limit, latency: QUICK, seed: 1 }, 30_000);
        const figures = `${kind}, ${limit}: ${minutes.join(" ")}`;
        expect(minutes[1], figures).toBeGreaterThanOrEqual(0.8 * limit);
        // A burst at the edge of two minutes counts for one of them, so only the total is compared.
        let sum = 0;
        for (const [n, minute] of minutes.entries()) {
          sum += minute;
          if (n >= 2) expect(sum, figures).toBeGreaterThanOrEqual(0.95 * limit * n);
        }
      }
    }
  });
});

describe("a single refusal of a quiet account", () => {
  /** Refuses the first call at `at`, whatever it is. @param usual headers of the other answers */
  const refusedOnce = (at: number, headers: Record<string, string>, usual: Record<string, string> = {}) => {
    let met = false;
    return (time: number): Answer => {
      if (met || time < at) return { status: 200, headers: usual };
      met = true;
      return { status: 429, headers };
    };
  };

  /** `before`: calls in the minute before the refusal. `tookMs`: duration of each call. `usual`: headers of the other answers. */
  type Stray = { at: number; before: number; tookMs: number; usual?: Record<string, string>; pace?: Pace };

  /**
   * Times at which the service gets seven calls, in ms after its refusal of a single call arrives: that call again, and one of each of
   * six visitors.
   */
  function afterRefusal({ at, before, tookMs, usual, pace = openPace(60, 0) }: Stray): number[] {
    const answer = refusedOnce(at, { "retry-after": "2" }, usual);
    const latency: Latency = { least: tookMs, most: tookMs, counts: "before" };
    if (before > 0) drive({ answer, pace, latency, waiting: before, from: Math.max(0, at - 50_000), until: at });
    const answered = at + tookMs + 500;
    const { refused } = drive({ answer, pace, latency, waiting: 1, from: at, until: answered });
    expect(refused).toHaveLength(1);
    const driven = drive({ answer, pace, latency, waiting: 7, from: answered, until: answered + MINUTE });
    expect([driven.accepted.length, driven.refused.length]).toEqual([7, 0]);
    return driven.accepted.map((time) => time - (refused[0] ?? 0) - tookMs);
  }

  describe.each([50, 1_000, 3_000])("by a service that takes %i ms for a call", (tookMs) => {
    it.each([
      [1_000, 0],
      [3_600_000, 3],
      [3_600_000, 20],
    ])(
      "with Retry-After: 2, %i ms after the start and %i calls in the minute before, delays the next six messages by at most 10 s",
      (at, before) => {
        const times = afterRefusal({ at, before, tookMs });
        expect(times.at(-1)).toBeLessThan(10_000);
        expect(times[0]).toBeGreaterThanOrEqual(2_000);
      },
    );

    it("delays them no more a minute and a half after another one", () => {
      const pace = openPace(60, 0);
      afterRefusal({ at: 1_000, before: 0, tookMs, pace });
      expect(afterRefusal({ at: 90_000, before: 3, tookMs, pace }).at(-1)).toBeLessThan(10_000);
    });

    it("delays them no more when the other answers state the limit", () => {
      const usual = { "ratelimit-limit": "30" };
      expect(afterRefusal({ at: 1_000, before: 0, tookMs, usual }).at(-1)).toBeLessThan(10_000);
    });
  });

  it("does not slow the account down, however often it occurs", () => {
    const pace = openPace(60, 0);
    let time = 0;
    for (let n = 0; n < 12; n++, time += 10 * MINUTE) {
      const answer = refusedOnce(time, { "retry-after": "2" });
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

  it("without a header delays nothing for more than a minute", () => {
    const pace = openPace(60, 0);
    const answer = refusedOnce(0, {});
    const { accepted } = drive({ answer, pace, waiting: 7, from: 0, until: 5 * MINUTE });
    expect(accepted.at(-1)).toBeLessThan(MINUTE);
  });
});

/** A pace with its own clock. The test answers its calls. */
function paceAt(start = 60) {
  const pace = openPace(start, 0);
  const clock = { time: 0 };
  const ask = () => take(pace, clock.time);
  const answer = (outcome: Parameters<typeof settle>[2], period = pace.period, contended = false) =>
    settle(pace, period, outcome, clock.time, { random: () => 0, contended });
  return { pace, clock, ask, answer };
}

describe("a refusal", () => {
  it("stops all calls for the time that the service states, to the second", () => {
    const { ask, answer, clock } = paceAt();
    ask();
    answer({ kind: "throttle", waitMs: 37_000 });
    expect(ask()).toBe(37_000);
    clock.time = 36_999;
    expect(ask()).toBe(1);
    clock.time = 37_000;
    expect(ask()).toBe(0);
  });

  it("counts once for all calls that were under way together", () => {
    const { pace, ask, answer, clock } = paceAt();
    for (let n = 0; n < 12; n++) expect(ask() === 0 || n >= 8).toBe(true);
    const { period } = pace;
    for (let n = 0; n < 8; n++) answer({ kind: "throttle", waitMs: 2_000 }, period);
    clock.time = 2_000;
    expect(ask()).toBe(0);
    expect(pace.budget).toBe(60);
  });

  it("is followed by one single call after the pause, even while an earlier call is still under way", () => {
    const { pace, ask, answer, clock } = paceAt();
    const { period } = pace;
    ask(); // a call with a file, which is not answered yet
    ask();
    answer({ kind: "throttle", waitMs: 1_000 }, period);
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

  it("that states a window of one second does not delay calls for a minute (R-802)", () => {
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
  it("has few calls under way at first, and sends twenty messages within six round trips", () => {
    const { ask, answer } = paceAt();
    let gone = 0;
    for (let trip = 0; trip < 6; trip++) {
      let inFlight = 0;
      while (gone < 20 && ask() === 0) {
        gone++;
        inFlight++;
      }
      expect(inFlight).toBeLessThanOrEqual(8);
      for (; inFlight > 0; inFlight--) answer({ kind: "ok" });
    }
    expect(gone).toBe(20);
  });

  it("doubles its budget each time it is exhausted, up to the ceiling", () => {
    const pace = openPace(60, 0, 10_000);
    const { accepted } = drive({ answer: () => ({ status: 200, headers: {} }), pace, waiting: 1e9, until: MINUTE });
    expect(accepted.length).toBeGreaterThan(4_000);
    expect(pace.budget).toBeLessThanOrEqual(10_000);
  });

  it("stops after a success that used up the quota (vectors: successful but exhausted)", () => {
    const { ask, answer } = paceAt();
    ask();
    answer({ kind: "ok", waitMs: 10_000 });
    expect(ask()).toBe(10_000);
  });
});

describe("repeats", () => {
  it("stay within their budget while nothing succeeds, and all go when the service is back", () => {
    const pace = openPace(600, 0);
    let [taken, time] = [0, 0];
    const go = (kind: "transient" | "ok", until: number) => {
      for (; time < until; time += 100) {
        if (takeRepeat(pace, time) > 0) continue;
        taken++;
        settle(pace, pace.period, { kind }, time);
      }
    };
    go("transient", MINUTE);
    expect(taken).toBeLessThanOrEqual(20);
    taken = 0;
    go("ok", 2 * MINUTE);
    expect(taken).toBeGreaterThan(300);
  });

  it("make up about a tenth of the calls while other work waits (3g)", () => {
    const pace = openPace(600, 0);
    let [fresh, repeats] = [0, 0];
    for (let time = 0; time < 10 * MINUTE; time += 50) {
      while (take(pace, time) === 0) {
        fresh++;
        settle(pace, pace.period, { kind: "ok", limit: { limit: 600 } }, time, { contended: true });
      }
      if (takeRepeat(pace, time) > 0) continue;
      repeats++;
      settle(pace, pace.period, { kind: "transient" }, time);
    }
    expect(fresh).toBeGreaterThan(3_000);
    expect(repeats / (fresh + repeats)).toBeLessThan(0.15);
  });
});

it("behaves the same after its state was stored and read back", () => {
  const answer = hiddenLimit("first", "retryAfter", () => 30);
  const pace = openPace(60, 0);
  drive({ answer, pace, waiting: 200, until: 3 * MINUTE });
  const copy = JSON.parse(JSON.stringify(pace)) as Pace;
  const ahead = (of: Pace) => Array.from({ length: 200 }, (_, n) => take(of, 3 * MINUTE + n * 500));
  expect(ahead(copy)).toEqual(ahead(pace));
  expect(paceOf(copy, 5 * MINUTE)).toEqual(paceOf(pace, 5 * MINUTE));
});
