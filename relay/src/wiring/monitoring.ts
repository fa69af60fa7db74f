import { freeSpace } from "../base/disk-space.ts";
import type { Gauges } from "../base/metrics.ts";
import { accountLease } from "../db/lease-names.ts";
import { createSampler, type Sampler } from "../flows/sampler.ts";
import { waitingIn } from "../records/outbox.ts";
import type { Gates } from "../service/gates.ts";
import type { Core } from "./core.ts";

/** How often a node stores its running minute for the others to show, in milliseconds. */
const SHARE_MS = 10_000;

/** The values that the metrics read on request, and the sampler that stores them. */
export function createMonitoring(
  { db, clock, log, metrics, settings, cluster }: Core,
  { connections, gates }: { connections: () => number; gates: Gates },
): { gauges: Gauges; sampler: Sampler } {
  const gauges: Gauges = {
    connections,
    async waiting() {
      const { messages, since } = await waitingIn(db, settings.horizon);
      return { messages, oldest: since === undefined ? 0 : Math.max(0, clock.now() - since) / 1_000 };
    },
    diskFree: async () => (await freeSpace(settings.dataDir)).bytes,
    paused: () => Object.fromEntries(settings.accounts.map(({ id }) => [id, gates.heldFor(id)])),
    pace() {
      // Only the node that calls the service for an account learns its limit: the others would show their initial rate.
      const own = settings.accounts.filter(({ id }) => cluster.leases.holds(accountLease(id)));
      return Object.fromEntries(own.map(({ id }) => [id, gates.paceOf(id)]));
    },
  };
  metrics.read(gauges);
  const storeMs = db.dialect === "postgres" ? SHARE_MS : undefined;
  return { gauges, sampler: createSampler({ db, clock, log, metrics, gauges, ...(storeMs && { storeMs }) }) };
}
