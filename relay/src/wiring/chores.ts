import { CHORES_LEASE } from "../db/lease-names.ts";
import { type Backups, createBackups } from "../flows/backup/schedule.ts";
import { createRetention, type Retention } from "../flows/retention.ts";
import { createUnfinishedDeletions } from "../flows/unfinished-deletions.ts";
import type { Gates } from "../service/gates.ts";
import { createOperatorAlerts } from "./alerts.ts";
import type { Core } from "./core.ts";
import type { OwnerFlows } from "./owner.ts";
import type { VisitorFlows } from "./visitors.ts";

/** Jobs that the relay runs for the operator. */
export type Chores = {
  retention: Retention;
  backups: Backups | undefined;
  start: () => void;
  stop: () => Promise<void>;
};

/** Creates the jobs: retention, interrupted deletions, scheduled backups, alerts. */
export function createChores(core: Core, { forget }: VisitorFlows, parts: { gates: Gates; owner: OwnerFlows }): Chores {
  const { settings, db, clock, log, sites, cluster } = core;
  const works = (): boolean => cluster.leases.holds(CHORES_LEASE);
  const retention = createRetention({ db, clock, log, sites, seriesDays: settings.seriesDays, forget, works });
  const { shared } = cluster;
  const deletions = createUnfinishedDeletions({ db, clock, log, forget, works, shared });
  const backups = createBackups({ db, clock, log, settings, works });
  const alerts = createOperatorAlerts(core, parts.gates, parts.owner, backups);
  return {
    retention,
    backups,
    start(): void {
      deletions.start();
      retention.start();
      backups?.start();
      alerts.start();
    },
    async stop(): Promise<void> {
      await alerts.stop();
      await deletions.stop();
      await retention.stop();
      await backups?.stop();
    },
  };
}
