import { type Clock, realClock } from "../base/clock.ts";
import type { Settings } from "../base/config.ts";
import { createKeys, type Keys } from "../base/keys.ts";
import { createLog, type Log } from "../base/log.ts";
import { createMetrics, type Metrics } from "../base/metrics.ts";
import { createRecent } from "../base/recent.ts";
import { combineRepeatedEvents } from "../base/repeated-events.ts";
import { keepSecrets, loadSecrets } from "../base/secrets.ts";
import type { Bus } from "../bus/bus.ts";
import { type Presence, withPresence } from "../bus/presence.ts";
import type { Database } from "../db/database.ts";
import { databaseFile, isShared } from "../db/database-url.ts";
import { migrate } from "../db/migrate.ts";
import { assertMoved } from "../db/move.ts";
import { openDatabase } from "../db/open.ts";
import { shareSecrets } from "../db/secrets.ts";
import { watchWrites } from "../db/writable.ts";
import { createSites, type Sites } from "../records/sites.ts";
import { questionsBefore } from "../records/threads.ts";
import { type Cluster, openCluster } from "./cluster.ts";
import { countingBus, countingLog } from "./metrics.ts";
import { secretsIn } from "./secrets.ts";

/** Replacements for tests, each with a real default. */
export type Replacements = {
  clock?: Clock;
  log?: Log;
  /** Folder of the built widget. */
  widget?: string;
  open?: typeof openDatabase;
  /** Time for the database to store a callback before it goes to the spool, in ms. */
  intakeTimeout?: number;
};

/** The base of every part of the relay. */
export type Core = {
  settings: Settings;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  db: Database;
  /** Whether the database accepts writes now. */
  takesWrites: () => Promise<boolean>;
  /** Changes when the database is restored from a backup. */
  epoch: string;
  bus: Bus & Presence;
  /** The other nodes on the same database. */
  cluster: Cluster;
  sites: Sites;
  keys: Keys;
  /** The key that signs sessions and visitor ids. */
  signing: string;
  /** Secrets that callback addresses may contain; the relay shows the first one. */
  callbackSecrets: readonly [string, ...string[]];
  /** Token of the admin pages and the metrics. */
  adminToken: string;
  /** Masks a text in the log from now on. */
  hide: (secret: string) => void;
  /** The relay's public origin; undefined while it is not known. */
  publicOrigin: string | undefined;
  /** See `Replacements`. */
  intakeTimeout: number | undefined;
  /** The TCP port: the one of the settings until the server listens. */
  port: number;
};

/** Ids of account owners that are masked in the log: one per account. */
const OWNERS_MAX = 100;

/** Brings the schema up to date. @returns the database's epoch @throws Error that says why no relay may use the database */
async function migrated(db: Database): Promise<string> {
  const epoch = await migrate(db);
  await assertMoved(db);
  return epoch;
}

/**
 * Opens database and log, and reads keys and secrets.
 * @throws Error that says in one sentence what to change
 */
export async function openCore(settings: Settings, replacements: Replacements): Promise<Core> {
  const clock = replacements.clock ?? realClock;
  const own = loadSecrets(settings.dataDir);
  const opened = await (replacements.open ?? openDatabase)(settings.databaseUrl);
  const shared = isShared(settings.databaseUrl);
  const { db, takesWrites } = watchWrites(opened, clock, shared ? undefined : databaseFile(settings.databaseUrl));
  const epoch = await migrated(db).catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
  const secrets = await shareSecrets(db, () => own);
  // Operators look up the admin token in the data folder of any node.
  keepSecrets(settings.dataDir, secrets);
  const keys = createKeys(settings.accounts);
  const callbackSecrets = nonEmpty(settings.callbackSecrets) ?? [secrets.callback];
  // Callbacks name the account's owner by an id that may work as a credential at the service.
  const owners = createRecent(OWNERS_MAX);
  const adminToken = settings.adminToken ?? secrets.admin;
  const fixed = [...callbackSecrets, secrets.signing, adminToken, ...secretsIn(settings)];
  const masked = () => [keys.all(), fixed, owners.all()];
  const metrics = createMetrics();
  const output = replacements.log ?? createLog({ level: settings.logLevel, secrets: masked });
  const log = countingLog(combineRepeatedEvents(output, clock), metrics);

  // Damage is found after the start. The relay then spools callbacks and is not ready until a backup is restored.
  void opened.damage?.then((cause) => {
    if (cause !== undefined) log("database.failing", { cause });
  });
  const cluster = await openCluster({ settings, db, clock, log, signing: secrets.signing });
  const core = {
    settings,
    clock,
    log,
    metrics,
    db,
    takesWrites,
    keys,
    callbackSecrets,
    adminToken,
    epoch,
    cluster,
    bus: countingBus(withPresence(cluster.bus, clock), metrics, clock, (replies) => questionsBefore(db, replies)),
    signing: secrets.signing,
    hide: owners.add,
    publicOrigin: settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl).origin,
    intakeTimeout: replacements.intakeTimeout,
    port: settings.port,
  };
  const { publicOrigin } = core;
  /** Without a public address, the relay's pages are opened on this machine. */
  const local = (): string[] => ["localhost", "127.0.0.1"].map((host) => `http://${host}:${core.port}`);
  const sites = createSites(settings.sites, () => (publicOrigin === undefined ? local() : [publicOrigin]));
  return Object.assign(core, { sites });
}

const nonEmpty = <T>([first, ...rest]: readonly T[]): [T, ...T[]] | undefined =>
  first === undefined ? undefined : [first, ...rest];
