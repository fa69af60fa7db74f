/** The fault suites about outages, restarts and damaged files, in their smallest version. */

import { endTests } from "./suites/tests.ts";

endTests({
  drain: { visitors: 30 },
  intake: { restarts: 2 },
  flips: { flips: 30 },
});
