/** The fault suites about outages, restarts and damaged files, in their smallest version. */

import { outageTests } from "./suites/tests.ts";

outageTests({
  drain: { visitors: 30 },
  restartDuringCallbacks: { restarts: 2 },
  bitFlips: { flips: 30 },
});
