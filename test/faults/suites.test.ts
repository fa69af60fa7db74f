/** The fault suites about lost and doubled messages, in their smallest version. */

import { lossTests } from "./suites/tests.ts";

lossTests({
  kill: { starts: 3, messages: 120 },
  sync: { messages: 15 },
  upstream: { visitors: 10, messages: 60 },
  callbacks: { callbacks: 800 },
  tabs: { sends: 60 },
  killWhileServiceFails: { seconds: 4, kills: 1 },
});
