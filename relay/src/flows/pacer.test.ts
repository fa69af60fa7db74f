import { describe, expect, it } from "vitest";
import { type LimitHint, limitOf, waitOf } from "../service/wait.ts";
import { createPacer } from "./pacer.ts";

type WindowKind = "clock" | "first" | "sliding";
type Style = "none" | "retryAfter" | "retryDate" | "ietf6" | "ietf8" | "xEpoch";
const STYLES: Style[] = ["none", "retryAfter", "retryDate", "ietf6", "ietf8", "xEpoch"];
const EPOCH = Date.UTC(2026, 10, 21, 12, 0, 17);

/** A service with a hidden limit, counting in the given kind of window, telling it in the given style. */
function hiddenLimit(kind: WindowKind, style: Style, limitAt: (time: number) => number) {
  let times: number[] = [];
  let start = Number.NEGATIVE_INFINITY;
  let used = 0;

  return (time: number) => {
    const limit = limitAt(time);
    if (kind === "sliding") times = times.filter((at) => at > time - 60_000);
    else if (kind === "clock" ? Math.floor((EPOCH + time) / 60_000) !== start : time - start >= 60_000) {
      start = kind === "clock" ? Math.floor((EPOCH + time) / 60_000) : time;
      used = 0;
    }
    const count = kind === "sliding" ? times.length : used;
    const refused = count >= limit;
    if (!refused) {
      times.push(time);
      used++;
    }
    const windowEnd =
      kind === "clock" ? (start + 1) * 60_000 - EPOCH : kind === "first" ? start + 60_000 : (times[0] ?? time) + 60_000;
    const status = refused ? 429 : 200;
    const headers = headersOf(style, refused, limit, Math.max(0, limit - count - 1), windowEnd - time, EPOCH + time);
    return { status, headers };
  };
}

function headersOf(
  style: Style,
  refused: boolean,
  limit: number,
  left: number,
  ms: number,
  now: number,
): Record<string, string> {
  const reset = Math.ceil(ms / 1_000);
  switch (style) {
    case "none":
      return {};
    case "retryAfter":
      return refused ? { "retry-after": String(reset) } : {};
    case "retryDate":
      return refused ? { "retry-after": new Date(now + ms).toUTCString(), date: new Date(now).toUTCString() } : {};
    case "ietf6":
      return {
        "ratelimit-limit": String(limit),
        "ratelimit-remaining": String(left),
        "ratelimit-reset": String(reset),
      };
    case "ietf8":
      return { ratelimit: `"m";r=${refused ? 0 : left};t=${reset}`, "ratelimit-policy": `"m";q=${limit};w=60` };
    case "xEpoch":
      return {
        "x-ratelimit-limit": String(limit),
        "x-ratelimit-remaining": String(left),
        "x-ratelimit-reset": String(Math.ceil((now + ms) / 1_000)),
      };
  }
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

type Result = { perMinute: number[]; refused: number[]; used: number; share: number };

/** As many messages as the pace lets go, for `minutes`; figures leave the first minute out. */
function saturate(
  kind: WindowKind,
  style: Style,
  limitAt: (time: number) => number,
  seed: number,
  minutes = 20,
): Result {
  const random = seeded(seed);
  let time = 0;
  const pacer = createPacer({ start: 60, now: () => time, random });
  const answer = hiddenLimit(kind, style, limitAt);
  const accepted = Array<number>(minutes).fill(0);
  const refused = Array<number>(minutes).fill(0);
  type Event = { at: number; fn: () => void };
  const events: Event[] = [];
  const later = (ms: number, fn: () => void) => {
    const event = { at: time + ms, fn };
    const i = events.findIndex((other) => other.at > event.at);
    events.splice(i < 0 ? events.length : i, 0, event);
  };
  let flying = 0;
  const fly = () => {
    flying++;
    later(5 + random() * 30, () => {
      const { status, headers } = answer(time);
      const minute = Math.min(minutes - 1, Math.floor(time / 60_000));
      const counts = status === 200 ? accepted : refused;
      counts[minute] = (counts[minute] ?? 0) + 1;
      later(5 + random() * 200, () => {
        flying--;
        const waitMs = waitOf(status, headers, EPOCH + time);
        const limit: LimitHint = limitOf(headers);
        pacer.answered({
          kind: status === 200 ? "ok" : "throttle",
          limit,
          ...(waitMs === undefined ? {} : { waitMs }),
        });
      });
    });
  };
  while (time < minutes * 60_000) {
    let wait = 0;
    while (flying < 64) {
      wait = pacer.take("fresh");
      if (wait > 0) break;
      fly();
    }
    const next = events.shift();
    const step = time + Math.max(1, wait);
    if (next === undefined || (wait > 0 && flying < 64 && step < next.at)) {
      if (next !== undefined) events.unshift(next);
      time = step;
    } else {
      time = next.at;
      next.fn();
    }
  }
  const late = (counts: number[]) => counts.slice(1).reduce((sum, count) => sum + count, 0);
  const possible = accepted.slice(1).reduce((sum, _, i) => sum + limitAt((i + 1.5) * 60_000), 0);
  return {
    perMinute: accepted,
    refused,
    used: late(accepted) / possible,
    share: late(refused) / (late(accepted) + late(refused)),
  };
}

describe.each([10, 30, 300])("a hidden limit of %i a minute", (limit) => {
  it.each(STYLES)(
    "told by %s: at least nine tenths used and under two hundredths refused after the first minute",
    { timeout: 120_000 },
    (style) => {
      for (const kind of ["clock", "first", "sliding"] as const) {
        for (const seed of [1, 2, 3, 4]) {
          const result = saturate(kind, style, () => limit, seed);
          const figures = `${kind}, seed ${seed}: used ${result.used.toFixed(3)}, refused ${result.share.toFixed(4)}; ${result.perMinute} | ${result.refused}`;
          expect(result.used, figures).toBeGreaterThanOrEqual(0.9);
          expect(result.share, figures).toBeLessThan(0.02);
        }
      }
    },
  );
});

describe("a limit that changes from 30 to 300 to 10", () => {
  const changing = (time: number) => (time < 10 * 60_000 ? 30 : time < 30 * 60_000 ? 300 : 10);
  it.each(STYLES)("told by %s, is followed within a quarter of an hour", { timeout: 120_000 }, (style) => {
    for (const kind of ["clock", "first", "sliding"] as const) {
      const { perMinute, refused } = saturate(kind, style, changing, 7, 60);
      const between = (from: number, to: number) =>
        perMinute.slice(from, to).reduce((sum, count) => sum + count, 0) / (to - from);
      const figures = `${kind}: ${perMinute} | ${refused}`;
      expect(between(26, 30), figures).toBeGreaterThanOrEqual(0.9 * 300);
      expect(between(40, 60), figures).toBeGreaterThanOrEqual(0.9 * 10);
    }
  });
});

describe("an account without a known limit", () => {
  it("lets the first twenty messages after a quiet time go at once", () => {
    const pacer = createPacer({ start: 60, now: () => 5_000 });
    expect(Array.from({ length: 20 }, () => pacer.take("fresh"))).toEqual(Array(20).fill(0));
  });

  it("doubles its budget whenever it is used up, up to the ceiling", () => {
    let time = 0;
    const pacer = createPacer({ start: 60, ceiling: 10_000, now: () => time });
    let count = 0;
    while (time < 60_000) {
      const wait = pacer.take("fresh");
      if (wait > 0) time += wait;
      else {
        count++;
        pacer.answered({ kind: "ok" });
      }
    }
    expect(count).toBeGreaterThan(9_000);
    expect(count).toBeLessThanOrEqual(10_000);
  });
});

it("keeps repeats on a budget while nothing succeeds, and lets them flow when the service is back", () => {
  let time = 0;
  const pacer = createPacer({ start: 600, now: () => time });
  let taken = 0;
  for (; time < 60_000; time += 100) {
    if (pacer.take("retry") === 0) {
      taken++;
      pacer.answered({ kind: "transient" });
    }
  }
  expect(taken).toBeLessThanOrEqual(20);
  let flowing = 0;
  for (; time < 120_000; time += 100) {
    if (pacer.take("retry") === 0) {
      flowing++;
      pacer.answered({ kind: "ok" });
    }
  }
  expect(flowing).toBeGreaterThan(300);
});

function pacerAt(start = 60) {
  const clock = { time: 0 };
  return { clock, pacer: createPacer({ start, now: () => clock.time, random: () => 0 }) };
}

describe("the pace", () => {
  it("lets twenty calls of a quiet account go at once, and not a whole minute's worth blind", () => {
    const { pacer } = pacerAt();
    let gone = 0;
    while (gone < 100 && pacer.take("fresh") === 0) gone++;
    expect(gone).toBeGreaterThanOrEqual(20);
    expect(gone).toBeLessThanOrEqual(32);
  });

  it("stops after a success that used the last of the quota (vectors: successful but exhausted)", () => {
    const { pacer } = pacerAt();
    pacer.take("fresh");
    pacer.answered({ kind: "ok", waitMs: 10_000 });
    expect(pacer.take("fresh")).toBeGreaterThanOrEqual(10_000);
  });

  it("does not wait after a pause for a call that was under way before it: files take a minute", () => {
    const { clock, pacer } = pacerAt();
    const limit = { limit: 13 };
    /** Milliseconds until a call may go; it has gone then. */
    const taken = (): number => {
      const from = clock.time;
      while (pacer.take("fresh") > 0 && clock.time < from + 120_000) clock.time += 100;
      return clock.time - from;
    };
    for (let i = 0; i < 10; i++) {
      taken();
      pacer.answered({ kind: "ok", limit });
    }
    taken(); // carries a file: its answer is not there yet
    taken();
    pacer.answered({ kind: "throttle", limit, waitMs: 1_000 });
    expect(taken()).toBeLessThan(62_000);
  });

  it("keeps the limit it knows when the call after a pause came a little too early", () => {
    const { clock, pacer } = pacerAt();
    /** As many calls as go until `end`, answered at once: ten of them are accepted. */
    const use = (end: number, limit: number): number => {
      let accepted = 0;
      for (; clock.time < end; clock.time += 100) {
        while (pacer.take("fresh") === 0) {
          pacer.answered({ kind: accepted < limit ? "ok" : "throttle" });
          if (accepted < limit) accepted++;
        }
      }
      return accepted;
    };
    expect(use(60_000, 10)).toBe(10);
    while (pacer.take("fresh") > 0) clock.time += 100;
    pacer.answered({ kind: "throttle" });
    const later = clock.time + 60_000;
    expect(use(later, 10)).toBeGreaterThanOrEqual(9);
  });

  it("keeps repeats to about a tenth of what is sent while other work waits for its turn (3g)", () => {
    const { clock, pacer } = pacerAt(600);
    let [fresh, retries] = [0, 0];
    for (; clock.time < 10 * 60_000; clock.time += 50) {
      while (pacer.take("fresh") === 0) {
        fresh++;
        pacer.answered({ kind: "ok", limit: { limit: 600 } });
      }
      if (pacer.take("retry") === 0) {
        retries++;
        pacer.answered({ kind: "transient" });
      }
    }
    expect(fresh).toBeGreaterThan(3_000);
    expect(retries / (fresh + retries)).toBeLessThan(0.15);
  });

  it("repeats at once what fails now and then while there is room for everything", () => {
    const { clock, pacer } = pacerAt(6_000);
    let [calls, waiting, most] = [0, 0, 0];
    /** Every third call fails, whatever it carries. */
    const call = (): void => {
      const fails = calls++ % 3 === 0;
      pacer.answered({ kind: fails ? "transient" : "ok" });
      if (fails) waiting++;
    };
    for (; clock.time < 10 * 60_000; clock.time += 200) {
      if (pacer.take("fresh") === 0) call();
      if (waiting > 0 && pacer.take("retry") === 0) {
        waiting--;
        call();
      }
      most = Math.max(most, waiting);
    }
    expect(calls).toBeGreaterThan(4_000);
    expect(most).toBeLessThan(10);
  });

  it("takes a refusal that states a window of a second for that: it holds nobody back for a minute (R-802)", () => {
    const { clock, pacer } = pacerAt(6_000);
    /** How long it takes until so many calls were accepted, in milliseconds. */
    const timeFor = (calls: number): number => {
      const began = clock.time;
      for (let done = 0; done < calls; ) {
        const wait = pacer.take("fresh");
        if (wait === 0) {
          pacer.answered({ kind: "ok" });
          done++;
        }
        clock.time += Math.max(wait, 500);
      }
      return clock.time - began;
    };
    timeFor(7);
    expect(pacer.take("fresh")).toBe(0);
    pacer.answered({ kind: "throttle", waitMs: 1_000, limit: { limit: 20, windowMs: 1_000 } });
    expect(pacer.take("fresh")).toBeGreaterThanOrEqual(1_000);
    expect(timeFor(20)).toBeLessThan(30_000);
  });
});
