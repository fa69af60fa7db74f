/** The fault suites in their smallest version. */

import { suiteTests } from "./suites/tests.ts";

suiteTests({
  kill: { lives: 3, messages: 120 },
  sync: { messages: 15 },
  upstream: { visitors: 10, messages: 60 },
  callbacks: { callbacks: 800 },
  tabs: { sends: 60 },
  minute: { seconds: 4, kills: 1 },
  drain: { visitors: 30 },
  intake: { restarts: 2 },
  flips: { flips: 30 },
});
