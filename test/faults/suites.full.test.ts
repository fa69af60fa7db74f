/** The fault suites in a larger version than `npm test` runs, and S5, whose bounds depend on the machine's speed. */

import { expect, it } from "vitest";
import { rateLimit } from "./suites/rate-limit.ts";
import { lossTests, outageTests } from "./suites/tests.ts";

lossTests({
  kill: { starts: 6, messages: 300 },
  sync: { messages: 30 },
  upstream: { visitors: 10, messages: 60 },
  callbacks: { callbacks: 2_500 },
  tabs: { sends: 150 },
  killWhileServiceFails: { seconds: 10, kills: 2 },
});
outageTests({
  drain: { visitors: 60 },
  restartDuringCallbacks: { restarts: 4 },
  bitFlips: { flips: 60 },
});

it("S5 finds an unannounced limit and stays below it, with and without headers", async () => {
  // Real processes whose time passes ten times as fast. The long version (`npm run soak`) and the pacer's own tests in
  // simulated time check the promised bounds. The bounds here are wider, because a real delay counts ten times.
  const { violations, figures } = await rateLimit({
    limits: [30],
    styles: ["ietf6", "none"],
    minutes: 3,
    speed: 10,
    least: 0.6,
    most: 0.1,
  });
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ lost: 0, doubled: 0 });
});
