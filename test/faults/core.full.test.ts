/** The long version of `core.test.ts`: `npm run test:full`. */

import { describe, expect, it } from "vitest";
import { PAIRS, SPECIAL } from "./core/scenario.ts";
import { failures, RELAY, runSeeds } from "./workers.ts";

const SEEDS = 2_000;
const SPECIAL_SEEDS = 20;
const PAIR_SEEDS = 200;

describe("the simulated relay", () => {
  it(`loses nothing, duplicates nothing and keeps the order in ${SEEDS} simulated runs`, {
    timeout: 1_800_000,
  }, async () => {
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

  it.each(Object.entries(PAIRS))("keeps its promises on %s", { timeout: 1_800_000 }, async (_name, given) => {
    const results = await runSeeds({ root: RELAY, from: 1, to: PAIR_SEEDS, given });
    expect(failures(results, given)).toEqual([]);
    expect(results.sum.seeds).toBe(PAIR_SEEDS);
  });
});
