import { describe, expect, it } from "vitest";
import { BOUNDS, judge } from "../bench/bounds.ts";
import { linesOf } from "../bench/figures.ts";
import { summarize } from "../bench/profile.ts";
import { ROWS } from "../bench/rows/index.ts";

/** Three rounds with different ratios of the relay to the bare and to the naive relay. */
const rounds = {
  bare: [{ perSecond: 900 }, { perSecond: 1_200 }, { perSecond: 600 }],
  naive: [{ perSecond: 150 }, { perSecond: 200 }, { perSecond: 100 }],
  relay: [{ perSecond: 300 }, { perSecond: 480 }, { perSecond: 150 }],
};

describe("the bench", () => {
  it("bounds only figures that their row shows", () => {
    const shown = new Map(ROWS.map(({ name, shown }) => [name, shown]));
    expect(BOUNDS.filter(({ row, figure }) => !shown.get(row)?.includes(figure))).toEqual([]);
  });

  it("gives each row a name of its own, and measures the rows of all bounds in the quick run", () => {
    expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
    const quick = new Set(ROWS.filter(({ quick }) => quick).map(({ name }) => name));
    expect(BOUNDS.filter(({ row }) => !quick.has(row))).toEqual([]);
  });

  it("compares each round with the same round of the reference, and shows the lowest and highest ratio", () => {
    const [line] = linesOf({ name: "trip", title: "Round trip", shown: ["perSecond"] }, rounds);
    expect(line).toMatchObject({
      reference: { name: "bare", value: 900 },
      naive: 150,
      ours: { name: "relay", value: 300 },
    });
    expect(line?.ratio?.map((ratio) => Number(ratio.toFixed(2)))).toEqual([0.33, 0.25, 0.4]);
  });

  it("ignores rounds that did not measure a figure", () => {
    const [line] = linesOf(
      { name: "crowd", title: "Sockets", shown: ["waveMs"] },
      { bare: [{ waveMs: 100 }, {}, {}], relay: [{ waveMs: 250 }, {}, {}] },
    );
    expect(line).toMatchObject({ reference: { value: 100 }, ours: { value: 250 }, ratio: [2.5, 2.5, 2.5] });
  });

  it("reports for each measured bound whether it and its goal were reached", () => {
    const verdicts = judge(new Map([["trip", rounds]]));
    const of = (what: string) => verdicts.find((verdict) => verdict.what === what);
    expect(of("Round trip against the bare chain")).toMatchObject({
      bound: "at least 0.3",
      reached: true,
      goal: { value: 0.4, reached: false },
    });
    expect(of("Round trip against the naive relay")).toMatchObject({ reached: true, goal: { reached: true } });
    expect(of("Callback, durable and shown, against bare http to ws")).toBeUndefined();
  });

  it("sums a CPU profile by function, without idle time", () => {
    const frame = (functionName: string) => ({ functionName, url: "", lineNumber: 0 });
    const nodes = ["(idle)", "commit", "parse", "commit"].map((name, id) => ({ id, callFrame: frame(name) }));
    const profile = { nodes, samples: [0, 1, 2, 3], timeDeltas: [500, 30, 20, 10] };
    expect(summarize(profile)).toEqual([
      { name: "commit", us: 40 },
      { name: "parse", us: 20 },
    ]);
  });
});
