import { expect, it } from "vitest";
import { type Clock, realClock } from "../../relay/src/base/clock.ts";
import { BODY_MS } from "../../relay/src/http/route-table.ts";
import { LINGER_MS } from "../../relay/src/wiring/server.ts";
import { handOver, handOverDuringBackup } from "../faults/suites/hand-over.ts";
import { runAt, runInside } from "../relays.ts";

/** A clock that cuts off no request: a connection stays open until its client ends it. */
const clockWithoutDeadlines: Clock = {
  ...realClock,
  after: (ms, fn) => ([BODY_MS, LINGER_MS].includes(ms) ? () => {} : realClock.after(ms, fn)),
};

it("another node delivers while the last connection of a stopping node is still open", async () => {
  const { violations } = await handOver({ run: (env) => runAt(env, clockWithoutDeadlines) });
  expect(violations).toEqual([]);
});

it("another node delivers while the backup of a stopping node waits for its bucket", async () => {
  const { violations } = await handOverDuringBackup({ run: runInside });
  expect(violations).toEqual([]);
});
