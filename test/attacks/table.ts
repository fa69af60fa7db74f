import type { Attack } from "./attack.ts";
import { halfMessages, hugePosts, manyLines, manyMessages, neverReads } from "./floods.ts";

const ROWS = 40;

const filled: readonly Attack[] = [
  {
    number: 3,
    defence: ["relay/src/http/callbacks.ts", "relay/src/http/guesses.ts"],
    tests: ["relay/src/http/guesses.test.ts", "test/callbacks.test.ts"],
  },
  { number: 7, defence: ["relay/src/records/sites.ts"], tests: ["relay/src/records/sites.test.ts"] },
  { number: 8, defence: ["relay/src/flows/session.ts"], tests: ["relay/src/flows/session.test.ts"] },
  { number: 21, defence: ["relay/src/socket/socket.ts"], tests: ["relay/src/socket/upgrade.test.ts"] },
  {
    number: 22,
    defence: ["relay/src/socket/socket.ts", "relay/src/base/unfinished.ts"],
    tests: ["relay/src/socket/upgrade.test.ts"],
    run: halfMessages,
  },
  { number: 23, defence: ["relay/src/socket/socket.ts"], tests: ["relay/src/socket/upgrade.test.ts"] },
  {
    number: 24,
    defence: [
      "relay/src/http/body.ts",
      "relay/src/http/doors.ts",
      "relay/src/http/deadline.ts",
      "relay/src/http/server.ts",
    ],
    tests: ["relay/src/http/body.test.ts", "relay/src/http/server.test.ts", "test/house/doors.test.ts"],
    run: hugePosts,
  },
  {
    number: 26,
    defence: ["relay/src/base/places.ts", "relay/src/base/address.ts", "relay/src/http/peers.ts"],
    tests: ["relay/src/base/places.test.ts", "relay/src/http/lines.test.ts", "relay/src/base/address.test.ts"],
    run: manyLines,
  },
  {
    number: 27,
    defence: ["relay/src/flows/budgets.ts", "relay/src/records/budget.ts", "relay/src/socket/frames.ts"],
    tests: ["relay/src/flows/budgets.test.ts", "relay/src/socket/frames.test.ts", "test/guard.test.ts"],
    run: manyMessages,
  },
  {
    number: 28,
    defence: ["relay/src/socket/connections.ts", "relay/src/http/lines.ts"],
    tests: ["relay/src/socket/limits.test.ts", "relay/src/http/lines.test.ts"],
    run: neverReads,
  },
  {
    number: 36,
    defence: ["relay/src/http/page.ts", "relay/src/http/stop.ts", "relay/src/http/api/index.ts"],
    tests: ["relay/src/http/framing.test.ts"],
  },
  {
    number: 40,
    defence: ["relay/src/flows/capture.ts", "relay/src/flows/budgets.ts"],
    tests: ["relay/src/flows/leads.test.ts", "relay/src/flows/budgets.test.ts"],
  },
];

/** Every attack of the list, by its number; a row without a defence says nothing yet. */
export const ATTACKS: readonly Attack[] = Array.from(
  { length: ROWS },
  (_, i) => filled.find(({ number }) => number === i + 1) ?? { number: i + 1, defence: [], tests: [] },
);
