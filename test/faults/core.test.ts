/**
 * The relay's core in a simulated world: crashes at any await, lost answers, cut connections, full disks, long outages, clock
 * changes; and two nodes on one database that are killed, stand still and lose hints. A seed determines everything that
 * happens. A failure prints its seed and the command that repeats it. `npm test` runs a sample; `core.full.test.ts` runs
 * thousands of seeds.
 */

import { describe, expect, it } from "vitest";
import { loadCore } from "./core/core.ts";
import { REGRESSIONS } from "./core/regressions.ts";
import { PAIRS, SPECIAL } from "./core/scenario.ts";
import { simulate } from "./core/simulate.ts";
import { failures, RELAY, runSeeds } from "./workers.ts";

const SEEDS = 100;
const SPECIAL_SEEDS = 3;
const PAIR_SEEDS = 10;

describe("the simulated relay", () => {
  it(`loses nothing, duplicates nothing and keeps the order in ${SEEDS} simulated runs`, async () => {
    const results = await runSeeds({ root: RELAY, from: 1, to: SEEDS });
    expect(failures(results)).toEqual([]);
    expect(results.sum.seeds).toBe(SEEDS);
    // The runs were not idle.
    expect(results.sum.effects).toBeGreaterThan(10 * SEEDS);
    expect(results.sum.accepted).toBeGreaterThan(5 * SEEDS);
  });

  it.each(Object.entries(SPECIAL))("keeps its promises through %s", async (_name, given) => {
    const results = await runSeeds({ root: RELAY, from: 1, to: SPECIAL_SEEDS, given });
    expect(failures(results, given)).toEqual([]);
    expect(results.sum.seeds).toBe(SPECIAL_SEEDS);
  });

  it.each(Object.entries(PAIRS))("keeps its promises on %s", async (_name, given) => {
    const results = await runSeeds({ root: RELAY, from: 1, to: PAIR_SEEDS, given });
    expect(failures(results, given)).toEqual([]);
    expect(results.sum.effects).toBeGreaterThan(5 * PAIR_SEEDS);
  });

  it("does not repeat an old mistake", async () => {
    const again = REGRESSIONS.map(async ({ seed, given = {}, found }) => {
      const results = await runSeeds({ root: RELAY, from: seed, to: seed, given });
      return failures(results, given).map((failure) => `${found}: ${failure}`);
    });
    expect((await Promise.all(again)).flat()).toEqual([]);
  });

  it("runs identically with the same seed", async () => {
    const core = await loadCore(RELAY);
    const [first, again, other] = [await simulate(core, 7), await simulate(core, 7), await simulate(core, 8)];
    expect(again).toEqual(first);
    expect(other.figures.trace).not.toBe(first.figures.trace);
    const pair = PAIRS["nodes that are killed and stand still"];
    expect(await simulate(core, 7, pair)).toEqual(await simulate(core, 7, pair));
  });
});
