import { expect, it } from "vitest";
import { openPace, type Pace } from "./pace.ts";
import { between, drive, hiddenLimit, MINUTE, QUICK, STYLES, WINDOWS } from "./pacer.fixture.ts";
import { paceOf, settle, take } from "./pacer.ts";
import { resumePace, savePace } from "./saved-pace.ts";

/** A pace on another node, whose clock shows `now` when this node's pace of `time` is `age` ms old. */
function continued(pace: Pace, time: number, age: number, now: number, rate = 60): Pace {
  const next = openPace(rate, now);
  resumePace(next, savePace(pace, time), age, now);
  return next;
}

it("waits as long as the service demanded of the earlier node, also on a node whose clock shows another time", () => {
  const pace = openPace(60, 1_000_000);
  take(pace, 1_000_000);
  settle(pace, pace.period, { kind: "throttle", waitMs: 30_000 }, 1_000_100, { random: () => 0 });
  const next = continued(pace, 1_000_100, 4_000, 5_000);
  expect(take(next, 5_000)).toBe(26_000);
  expect(take(next, 31_000)).toBe(0);
  // After a refusal one call goes alone.
  expect(take(next, 31_000)).toBeGreaterThan(0);
});

it("continues with a limit that the service stated, and with the calls of the last minute", () => {
  const pace = openPace(60, 0);
  for (let n = 0; n < 8; n++) expect(take(pace, 1_000)).toBe(0);
  for (let n = 0; n < 8; n++) settle(pace, pace.period, { kind: "ok", limit: { limit: 8 } }, 1_000);
  const next = continued(pace, 2_000, 3_000, 905_000);
  expect(paceOf(next, 905_000)).toMatchObject({ limit: 8, rate: 8 });
  // All eight places stay in use until a minute after the calls: for at least 56 s, and for less than half a second more.
  const wait = take(next, 905_000);
  expect(wait).toBeGreaterThanOrEqual(56_000);
  expect(wait).toBeLessThan(56_500);
});

it("counts calls without an answer at the moment of saving as made", () => {
  const pace = openPace(4, 0);
  for (let n = 0; n < 4; n++) take(pace, 1_000);
  const next = continued(pace, 1_000, 3_000, 4_000, 4);
  expect([pace.unanswered, next.counted, next.unanswered]).toEqual([4, 4, 0]);
});

it("counts no call of the earlier node after a minute", () => {
  const pace = openPace(10, 0);
  for (let n = 0; n < 10; n++) {
    take(pace, 0);
    settle(pace, pace.period, { kind: "ok" }, 0);
  }
  expect(continued(pace, 0, 70_000, 70_000).counted).toBe(0);
});

it.each(STYLES)("continues after a takeover as one node would, with a limit that is stated with %s", (style) => {
  for (const kind of WINDOWS) {
    for (const seed of [1, 2, 3]) {
      const limit = 300;
      const answer = hiddenLimit(kind, style, () => limit);
      const pace = openPace(60, 0);
      // The first half minute uses more than half of a window, then the node dies.
      const died = 5.5 * MINUTE;
      drive({ answer, waiting: 1e9, until: died, seed, latency: QUICK, pace });
      const taken = died + 3_500;
      const next = continued(pace, died, 3_500, taken);
      const driven = drive({ answer, waiting: 1e9, from: taken, until: 11 * MINUTE, seed, latency: QUICK, pace: next });
      const refused = between(driven.refused, taken, 11 * MINUTE);
      const used = between(driven.accepted, 6 * MINUTE, 11 * MINUTE) / (limit * 5);
      const figures = `${kind}, seed ${seed}: ${used} used, ${refused} refused`;
      expect(used, figures).toBeGreaterThanOrEqual(0.9);
      expect(refused / (refused + driven.accepted.length), figures).toBeLessThan(0.02);
    }
  }
});

it("ignores the pace of a release that stores it in another format", () => {
  const next = openPace(60, 1_000);
  resumePace(next, JSON.stringify({ format: 0, budget: 1 }), 0, 1_000);
  expect(next).toEqual(openPace(60, 1_000));
});

it("keeps a later refusal that this node received when it held the lease before", () => {
  const saved = openPace(60, 0);
  take(saved, 1_000);
  settle(saved, saved.period, { kind: "ok" }, 1_000);
  const own = openPace(60, 0);
  take(own, 1_000);
  settle(own, own.period, { kind: "throttle", waitMs: 30_000 }, 3_000, { random: () => 0 });
  resumePace(own, savePace(saved, 2_000), 2_000, 4_000);
  expect([own.refusals, take(own, 4_000)]).toEqual([1, 29_000]);
});
