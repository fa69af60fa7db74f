import { networkInterfaces } from "node:os";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Settings } from "../base/config.ts";
import type { Log } from "../base/log.ts";
import { type Bus, createBus } from "../bus/bus.ts";
import { type ClusterBus, createClusterBus, type LaneHint, type NodeLink } from "../bus/cluster.ts";
import { openPostgresLink, openRedisLink } from "../bus/links.ts";
import { signedLink } from "../bus/signed-link.ts";
import type { Spending } from "../bus/spending.ts";
import type { Database } from "../db/database.ts";
import { isShared } from "../db/database-url.ts";
import { accountLease, CHORES_LEASE, MAIL_LEASE } from "../db/lease-names.ts";
import { createLeases, holdsAll, type Leases } from "../db/leases.ts";
import { createNodes } from "../db/nodes.ts";
import { openDatabase } from "../db/open.ts";
import { createPaces, type PaceSource, type Paces } from "../db/paces.ts";
import { refusalsSince } from "../records/leads.ts";
import { ratingOf } from "../records/ratings.ts";
import { threadPositions } from "../records/visitors.ts";

/** The other nodes on the same database. A single process has none: it holds every lease, and its bus is a map. */
export type Cluster = {
  /** Whether other nodes may exist. */
  shared: boolean;
  bus: Bus;
  leases: Leases;
  /** Tells the node that works for an account that a lane has a message to deliver. */
  hintLane: (hint: LaneHint) => void;
  onLaneHint: (listener: (hint: LaneHint) => void) => void;
  onGone: (listener: (visitor: string) => void) => void;
  /** Makes a limit count across nodes. @param name the same on every node */
  share: Spending["share"];
  /** Tells visitors of every node whether the messages of an account are delivered. */
  shareDelivery: ClusterBus["shareDelivery"];
  /** Stores the paces of accounts for the next holders of their leases, and continues with those of earlier holders. */
  sharePaces: (source: PaceSource) => void;
  /** Name of this process among the nodes; absent without other nodes. */
  node: string | undefined;
  /** The address of another node; undefined when it no longer runs. */
  addressOf: (node: string) => Promise<string | undefined>;
  /** @param port on which this relay listens */
  start: (port: number) => Promise<void>;
  /**
   * Stores the paces, and releases the leases of all accounts for the other nodes. Nothing may call the service for an account
   * any more.
   */
  leaveAccounts: () => Promise<void>;
  /** Releases all leases. Nothing that needs a lease may run any more. */
  leave: () => Promise<void>;
  /** Closes the connections. Call it after `leave`. */
  stop: () => Promise<void>;
};

/** Values of HOST that mean all addresses. */
const ALL_ADDRESSES = new Set(["", "0.0.0.0", "::"]);

/** The address of this node for other nodes: HOST, or the machine's first address that is not a loopback address. */
function addressAt({ host }: Pick<Settings, "host">, port: number): string {
  const all = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
  const own =
    all.find(({ internal, family }) => !internal && family === "IPv4") ?? all.find(({ internal }) => !internal);
  const address = ALL_ADDRESSES.has(host) ? (own?.address ?? "127.0.0.1") : host;
  return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** Connections for leases and the list of nodes only: their statements must not wait behind other work. */
const OWN_CONNECTIONS = 2;

/** How far back to look for refused forms (ms). The clocks of nodes differ by less. */
const REFUSALS_MS = 15_000;

type ClusterDeps = { settings: Settings; db: Database; clock: Clock; log: Log; signing: string };

/** The cluster of a single process. */
function singleNode(): Cluster {
  const nothing = async (): Promise<void> => {};
  return {
    shared: false,
    bus: createBus(),
    leases: holdsAll(),
    hintLane: () => {},
    onLaneHint: () => {},
    onGone: () => {},
    share: (_, limiter) => limiter,
    shareDelivery: ({ own, onChange }) => ({ of: own, changed: onChange }),
    sharePaces: () => {},
    node: undefined,
    addressOf: async () => undefined,
    start: nothing,
    leaveAccounts: nothing,
    leave: nothing,
    stop: nothing,
  };
}

/** Opens the link between the nodes: Redis if the settings name one, otherwise PostgreSQL. */
function openLink({ settings, db, log }: Pick<ClusterDeps, "settings" | "db" | "log">): Promise<NodeLink> {
  const { redisUrl, databaseUrl } = settings;
  const cannotListen = db.pooled === true && redisUrl === undefined;
  if (cannotListen) log("cluster.pooled");
  const onState = (state: "lost" | "open", cause?: unknown): void => {
    const details = cause === undefined ? {} : { cause: String(cause) };
    if (state === "lost") log("cluster.link_lost", details);
    else if (!cannotListen) log("cluster.link_open");
  };
  const onTooLong = (bytes: number): void => log("cluster.foreign_text", { bytes });
  return redisUrl === undefined
    ? openPostgresLink(databaseUrl, { onState })
    : openRedisLink(redisUrl, { onState, onTooLong });
}

/** Opens the connections of a node to the other nodes. `start` joins them; a single process has nothing to join. */
export async function openCluster({ settings, db, clock, log, signing }: ClusterDeps): Promise<Cluster> {
  if (!isShared(settings.databaseUrl)) return singleNode();
  const node = randomId(12);
  const onError = (error: unknown): void => log("database.failing", { cause: String(error) });
  const link = signedLink(await openLink({ settings, db, log }), signing, clock);
  const own = await openDatabase(settings.databaseUrl, OWN_CONNECTIONS);
  const heads = (visitors: readonly string[]) => threadPositions(db, visitors);
  const refusals = (isHere: (visitor: string) => boolean) => refusalsSince(db, clock.now() - REFUSALS_MS, isHere);
  const rating = (visitor: string) => ratingOf(db, visitor);
  const bus = createClusterBus({ local: createBus(), link, node, clock, heads, refusals, rating, onError });
  const names = [...settings.accounts.map(({ id }) => accountLease(id)), MAIL_LEASE, CHORES_LEASE];
  const leases = createLeases({ db: own, clock, node, names, onError });
  const onOthers = (): void => {
    if (settings.uploads.bucket === undefined) log("cluster.files_local");
  };
  const nodes = createNodes({ db: own, clock, node, onOthers, onError });
  leases.onAcquired((name) => log("cluster.lease_taken", { lease: name }));
  let paces: Paces | undefined;
  return {
    shared: true,
    bus,
    leases,
    hintLane: bus.hintLane,
    onLaneHint: bus.onLaneHint,
    onGone: bus.onGone,
    share: bus.share,
    shareDelivery: bus.shareDelivery,
    sharePaces(source) {
      paces = createPaces({ db: own, clock, node, source, onError });
      leases.beforeAcquire(paces.resume);
    },
    node,
    addressOf: nodes.addressOf,
    async start(port) {
      bus.start();
      await nodes.start(addressAt(settings, port));
      await leases.start();
      paces?.start();
    },
    async leaveAccounts() {
      await paces?.stop();
      await leases.keepOnly([MAIL_LEASE, CHORES_LEASE]);
    },
    leave: leases.stop,
    async stop() {
      await nodes.stop();
      await own.close();
      await bus.stop();
    },
  };
}
