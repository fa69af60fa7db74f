import { expect, it } from "vitest";
import { silentLog } from "../base/log.ts";
import { createMetrics } from "../base/metrics.ts";
import { createMonitoring } from "./monitoring.ts";

const MINUTE = 60_000;

it.each([
  ["postgres", 10_000],
  ["sqlite", MINUTE],
] as const)("stores the running minute on %s for other nodes, if there can be any", (dialect, wanted) => {
  const waits: number[] = [];
  const clock = {
    now: () => 100 * MINUTE,
    uptime: () => 0,
    after(ms: number) {
      waits.push(ms);
      return () => {};
    },
  };
  type Given = Parameters<typeof createMonitoring>;
  const core = { db: { dialect }, clock, log: silentLog, metrics: createMetrics() } as unknown as Given[0];
  createMonitoring(core, { connections: () => 0, gates: {} as Given[1]["gates"] }).sampler.start();
  expect(waits).toEqual([wanted]);
});

it("reports pace and refusal of those accounts only that this node calls the service for", () => {
  const core = {
    db: { dialect: "postgres" },
    settings: { accounts: [{ id: "held" }, { id: "elsewhere" }] },
    cluster: { leases: { holds: (name: string) => name === "account:held" } },
    metrics: createMetrics(),
  };
  const gates = { paceOf: () => 60, heldFor: () => "401: Unknown key" };
  const { gauges } = createMonitoring(core as never, { connections: () => 0, gates: gates as never });
  expect(gauges.pace()).toEqual({ held: 60 });
  expect(gauges.paused()).toEqual({ held: "401: Unknown key" });
});
