/**
 * The relay's core in a simulated world: crashes at any await, lost answers, cut connections, full disks, long outages, clock
 * changes; and two nodes on one database that are killed, are paused and lose hints. A seed determines everything that
 * happens. A failure prints its seed and the command that repeats it. `npm test` runs a sample; `core.full.test.ts` runs
 * thousands of seeds.
 */

import { describe, expect, it } from "vitest";
import { loadCore } from "./core/core.ts";
import { REGRESSIONS } from "./core/regressions.ts";
import { PAIRS } from "./core/scenario.ts";
import { simulate } from "./core/simulate.ts";
import { simulatedRuns } from "./core-runs.ts";
import { failures, RELAY, runSeeds } from "./workers.ts";

describe("the simulated relay", () => {
  simulatedRuns({ seeds: 30, specialSeeds: 1, pairSeeds: 3 });

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
    const pair = PAIRS["nodes that are killed and paused"];
    expect(await simulate(core, 7, pair)).toEqual(await simulate(core, 7, pair));
  });
});
