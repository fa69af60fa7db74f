/** The long version of `core.test.ts`: `npm run test:full`. */

import { describe } from "vitest";
import { simulatedRuns } from "./core-runs.ts";

describe("the simulated relay", () =>
  simulatedRuns({ seeds: 2_000, specialSeeds: 20, pairSeeds: 200, timeout: 1_800_000 }));
