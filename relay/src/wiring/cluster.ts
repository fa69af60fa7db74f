import { networkInterfaces } from "node:os";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Settings } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { type Bus, createBus } from "../bus/bus.ts";
import { createClusterBus, type Nudge } from "../bus/cluster.ts";
import { openPostgresLink, openRedisLink } from "../bus/links.ts";
import type { Spending } from "../bus/spending.ts";
import type { Database } from "../db/database.ts";
import { accountLease, CHORES_LEASE, createLeases, holdsAll, type Leases, MAIL_LEASE } from "../db/leases.ts";
import { createNodes } from "../db/nodes.ts";
import { isShared, openDatabase } from "../db/open.ts";
import { newestAmong } from "../records/visitors.ts";

/** The other nodes on the same database. In one process there are none: it holds every lease, and its bus is a map. */
export type Cluster = {
  /** Whether other nodes may be about. */
  shared: boolean;
  bus: Bus;
  leases: Leases;
  /** Tells the node that works for an account that a lane has something to deliver. */
  nudge: (nudge: Nudge) => void;
  onNudge: (listener: (nudge: Nudge) => void) => void;
  onGone: (listener: (visitor: string) => void) => void;
  /** Lets a limit count across nodes. @param name the same on every node */
  share: Spending["share"];
  /** Name of this process among the nodes; nothing where there are none. */
  node: string | undefined;
  /** Where another node is reached; nothing when it is gone. */
  addressOf: (node: string) => Promise<string | undefined>;
  /** @param port on which this relay listens */
  start: (port: number) => Promise<void>;
  stop: () => Promise<void>;
};

/** Addresses on which a relay listens without naming one. */
const ANY = new Set(["", "0.0.0.0", "::"]);

/** Where other nodes reach this one: at HOST, or at the first address of this machine that is not for itself. */
function addressAt({ host }: Pick<Settings, "host">, port: number): string {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  const own =
    all.find(({ internal, family }) => !internal && family === "IPv4") ?? all.find(({ internal }) => !internal);
  const address = ANY.has(host) ? (own?.address ?? "127.0.0.1") : host;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** Connections for leases and for the list of nodes, which must not wait behind other work. */
const OWN_CONNECTIONS = 2;

type ClusterDeps = { settings: Settings; db: Database; clock: Clock; log: Log };

export async function joinCluster({ settings, db, clock, log }: ClusterDeps): Promise<Cluster> {
  if (!isShared(settings.databaseUrl)) {
    const alone = async (): Promise<void> => {};
    return {
      shared: false,
      bus: createBus(),
      leases: holdsAll(),
      nudge: () => {},
      onNudge: () => {},
      onGone: () => {},
      share: (_, limiter) => limiter,
      node: undefined,
      addressOf: async () => undefined,
      start: alone,
      stop: alone,
    };
  }
  const node = randomId(12);
  const onError = (error: unknown): void => log("database.failing", { cause: String(error) });
  const onState = (state: "lost" | "open", cause?: unknown): void =>
    log(
      state === "lost" ? "cluster.link_lost" : "cluster.link_open",
      cause === undefined ? {} : { cause: String(cause) },
    );
  const { redisUrl, databaseUrl } = settings;
  const link = await (redisUrl === undefined
    ? openPostgresLink(databaseUrl, { onState })
    : openRedisLink(redisUrl, { onState }));
  const own = await openDatabase(databaseUrl, OWN_CONNECTIONS);
  const heads = (visitors: readonly string[]) => newestAmong(db, visitors);
  const bus = createClusterBus({ local: createBus(), link, node, clock, heads, onError });
  const names = [...settings.accounts.map(({ id }) => accountLease(id)), MAIL_LEASE, CHORES_LEASE];
  const leases = createLeases({ db: own, clock, node, names, onError });
  const onOthers = (): void => {
    if (settings.uploads.bucket === undefined) log("cluster.files_local");
  };
  const nodes = createNodes({ db: own, clock, node, onOthers, onError });
  leases.onTaken((name) => log("cluster.lease_taken", { lease: name }));
  return {
    ...{ shared: true, bus, leases, nudge: bus.nudge, onNudge: bus.onNudge, onGone: bus.onGone, share: bus.share },
    node,
    addressOf: nodes.addressOf,
    async start(port) {
      bus.start();
      await nodes.start(addressAt(settings, port));
      await leases.start();
    },
    async stop() {
      await leases.stop();
      await nodes.stop();
      await own.close();
      await bus.stop();
    },
  };
}
