/** The fault suites about outages, restarts and damaged files, in their smallest version. */

import { outageTests } from "./suites/tests.ts";

outageTests({
  drain: { visitors: 30 },
  intake: { restarts: 2 },
  bitFlips: { flips: 30 },
});
