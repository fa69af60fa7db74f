import { expect, it } from "vitest";
import { PAIRS, SPECIAL } from "./core/scenario.ts";
import { failures, RELAY, runSeeds } from "./workers.ts";

type Runs = { seeds: number; specialSeeds: number; pairSeeds: number; timeout?: number };

/**
 * Defines the tests that run the simulated relay.
 * @param options.seeds runs of the usual world
 * @param options.specialSeeds runs of each special world
 * @param options.pairSeeds runs of each world with two nodes
 * @param options.timeout of the tests with the usual world and with two nodes, in ms; absent: vitest's
 */
export function simulatedRuns(options: Runs): void {
  const { seeds, specialSeeds, pairSeeds } = options;
  const limit = options.timeout === undefined ? {} : { timeout: options.timeout };

  it(`loses nothing, duplicates nothing and keeps the order in ${seeds} simulated runs`, limit, async () => {
    const results = await runSeeds({ root: RELAY, from: 1, to: seeds });
    expect(failures(results)).toEqual([]);
    expect(results.sum.seeds).toBe(seeds);
    // The runs were not idle.
    expect(results.sum.effects).toBeGreaterThan(10 * seeds);
    expect(results.sum.accepted).toBeGreaterThan(5 * seeds);
  });

  it.each(Object.entries(SPECIAL))("keeps its promises through %s", async (_name, given) => {
    const results = await runSeeds({ root: RELAY, from: 1, to: specialSeeds, given });
    expect(failures(results, given)).toEqual([]);
    expect(results.sum.seeds).toBe(specialSeeds);
  });
  it.each(Object.entries(PAIRS))("keeps its promises on %s", limit, async (_name, given) => {
    const results = await runSeeds({ root: RELAY, from: 1, to: pairSeeds, given });
    expect(failures(results, given)).toEqual([]);
    expect(results.sum.seeds).toBe(pairSeeds);
    expect(results.sum.effects).toBeGreaterThan(5 * pairSeeds);
  });
}
