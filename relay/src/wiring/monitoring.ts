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
  /**
   * The accounts that this node calls the service for. The others know neither limit nor refusal: their gates have the initial
   * rate, or what they learned before another node took the lease.
   */
  const ownAccounts = () => settings.accounts.filter(({ id }) => cluster.leases.holds(accountLease(id)));
  const gauges: Gauges = {
    connections,
    async waiting() {
      const { messages, since } = await waitingIn(db, settings.horizon);
      return { messages, oldest: since === undefined ? 0 : Math.max(0, clock.now() - since) / 1_000 };
    },
    diskFree: async () => (await freeSpace(settings.dataDir)).bytes,
    paused: () => Object.fromEntries(ownAccounts().map(({ id }) => [id, gates.heldFor(id)])),
    pace: () => Object.fromEntries(ownAccounts().map(({ id }) => [id, gates.paceOf(id)])),
  };
  metrics.read(gauges);
  const storeMs = db.dialect === "postgres" ? SHARE_MS : undefined;
  return { gauges, sampler: createSampler({ db, clock, log, metrics, gauges, ...(storeMs && { storeMs }) }) };
}
