/** The fault suites with several nodes (RELIABILITY S7 to S9), in their smallest version. */

import { expect, it } from "vitest";
import { nodes } from "./suites/nodes.ts";
import { pausedNodes } from "./suites/paused-nodes.ts";
import { rollingRestart } from "./suites/rolling-restart.ts";

const FLAWLESS = { lost: 0, doubled: 0, disordered: 0 };

it("S7 loses, doubles and reorders nothing when each of three nodes in turn is stopped past its lease", async () => {
  const { violations, figures } = await pausedNodes({ stops: 3, visitors: 12, perSecond: 20 });
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ stops: 3, ...FLAWLESS });
});

it.each([
  ["connections to PostgreSQL are cut before or after a COMMIT", 240],
  ["every connection to PostgreSQL is busy", 120],
] as const)("S8 loses, doubles and reorders nothing while %s", async (fault, messages) => {
  // The soak checks how late messages arrive. Here the machine may be busy with other tests.
  const latest = Number.POSITIVE_INFINITY;
  const { violations, figures } = await nodes({ fault, visitors: 20, messages, perSecond: 60, latest });
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ messages, ...FLAWLESS });
});

it("S9 refuses, loses, doubles and reorders nothing while three nodes are restarted in turn, and keeps every session", async () => {
  const { violations, figures } = await rollingRestart({ visitors: 12, perSecond: 10, timed: false });
  expect(violations).toEqual([]);
  expect(figures).toMatchObject({ connections: 12, refused: 0, ...FLAWLESS });
});
