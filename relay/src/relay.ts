import { getRequestListener } from "@hono/node-server";
import { createAdmin } from "./admin/index.ts";
import { createAdminApp, createApp, routeOfBody } from "./app.ts";
import { chatLimitReason } from "./base/chat-capacity.ts";
import type { Clock } from "./base/clock.ts";
import type { Settings } from "./base/config.ts";
import { createConnectionSlots } from "./base/connection-slots.ts";
import type { Finding } from "./base/finding.ts";
import type { Keys } from "./base/keys.ts";
import type { Log } from "./base/log.ts";
import type { Database } from "./db/database.ts";
import type { Lock } from "./db/lock.ts";
import type { Files } from "./files/store.ts";
import type { Backups } from "./flows/backup/schedule.ts";
import type { Forget } from "./flows/forget.ts";
import type { Retention } from "./flows/retention.ts";
import type { Sampler } from "./flows/sampler.ts";
import type { Send } from "./flows/send/send.ts";
import type { Services } from "./flows/services.ts";
import type { SessionEndings } from "./flows/session-endings.ts";
import { serverApi } from "./http/api/index.ts";
import { createBodyBudget } from "./http/body-budget.ts";
import type { Sites } from "./records/sites.ts";
import { createAdminListener } from "./wiring/admin-listener.ts";
import { adminDeps, apiDeps, appDeps, formReaders, type RouteGroups } from "./wiring/app-deps.ts";
import { type Chores, createChores } from "./wiring/chores.ts";
import { type Core, openCore, type Replacements } from "./wiring/core.ts";
import { holdData } from "./wiring/data-lock.ts";
import { createFileStorage, type FileStorage } from "./wiring/files.ts";
import { type CallbackIntake, createCallbackIntake } from "./wiring/intake.ts";
import { createMonitoring } from "./wiring/monitoring.ts";
import { createOwnerFlows, type OwnerFlows } from "./wiring/owner.ts";
import { createReload, type Reload } from "./wiring/reload.ts";
import { createServer, type RelayServer } from "./wiring/server.ts";
import { createServiceAccess, type ServiceAccess } from "./wiring/service.ts";
import { createVisitorFlows, type VisitorFlows } from "./wiring/visitors.ts";
import { logWarnings } from "./wiring/warnings.ts";

export type Relay = {
  /** Origin under which the relay answers on this machine. */
  url: string;
  port: number;
  callbackSecret: string;
  /** Reads key files and configuration file again. */
  reload: () => void;
  /** The parts that commands work with. */
  internals: RelayInternals;
  /** Writes to the file beside the lock where this relay accepts commands. */
  describe: Lock["describe"];
  log: Log;
  /** Stops in an order that loses nothing. Resolves when the process may exit. */
  stop: () => Promise<void>;
  /** The step of the stop that runs; undefined before it. */
  stopStep: () => string | undefined;
};

/** The parts of the relay that the command line works with. */
export type RelayInternals = {
  /** With the port that the relay listens on. */
  settings: Settings;
  /** Whether these are parts of a running relay. */
  running: boolean;
  db: Database;
  clock: Clock;
  sites: Sites;
  services: Services;
  keys: Keys;
  forget: Forget;
  retention: Retention;
  /** Reads the settings again. */
  reload: Reload;
  backups: Backups | undefined;
  endings: SessionEndings;
  send: Send;
  files: Files;
  signing: string;
  /** Path of a signed link to a file. */
  linkTo: (key: string, type: string) => string;
  callbackSecret: string;
  owner: OwnerFlows;
  /** Stores the spools of a node that does not come back; absent if no relay runs. */
  replaySpools?: CallbackIntake["replaySpools"];
  /** `examine` runs the checks of `porchlight doctor` for the admin pages; the command line sets it. */
  doctor: { examine: () => Promise<Finding[]> };
};

/**
 * Builds the relay from its settings and starts it. No other relay may run on the same data.
 * @param replacements for tests
 * @throws Error that says in one sentence what to change
 */
export async function createRelay(settings: Settings, replacements: Replacements = {}): Promise<Relay> {
  const lock = holdData(settings);
  try {
    const groups = await build(settings, replacements);
    await start(groups);
    const relay = relayOf(groups);
    lock.describe({ address: relay.url });
    let step: string | undefined;
    const onStep = (name: string): void => {
      step = name;
    };
    return {
      ...relay,
      describe: lock.describe,
      stop: () => stop(groups, onStep).finally(lock.release),
      stopStep: () => step,
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

type Groups = {
  core: Core;
  files: FileStorage;
  service: ServiceAccess;
  owner: OwnerFlows;
  visitors: VisitorFlows;
  intake: CallbackIntake;
  server: RelayServer;
  sampler: Sampler;
  chores: Chores;
  doctor: RelayInternals["doctor"];
  adminListener: ReturnType<typeof createAdminListener>;
};

/**
 * Builds the groups, each from those before it. Two events go the other way: changes of delivery, and a key that works again.
 */
async function build(settings: Settings, replacements: Replacements): Promise<Groups> {
  const core = await openCore(settings, replacements);
  const { log } = core;
  const files = createFileStorage(core);
  const service = createServiceAccess(core, files, {
    onDelivery: (account) => visitors.connections.sendDelivery(account),
    onOpen: (account, why) =>
      void owner.resume(account, why).catch((error: unknown) => log("database.failing", { cause: String(error) })),
  });
  const owner = createOwnerFlows({ ...core, ...service, presence: core.bus });
  const visitors: VisitorFlows = createVisitorFlows(core, files, service, owner);
  const intake = createCallbackIntake(core, files, owner);
  const { uptime } = core.clock;
  const slots = createConnectionSlots({
    perAddress: settings.socketsPerAddress,
    total: settings.socketsTotal,
    uptime,
  });
  const open = (): boolean => !server.stopping();
  const { widget } = replacements;
  const { count } = visitors.connections;
  const doctor = { examine: async (): Promise<Finding[]> => [] };
  const { sampler, gauges } = createMonitoring(core, { connections: count, gates: service.gates });
  const { currentMinute } = sampler;
  const examine = () => doctor.examine();
  const routes = { core, files, owner, visitors, intake, slots, gauges, currentMinute, open, widget, doctor: examine };
  const { framework, adminListener } = createApps(routes);
  const server: RelayServer = createServer(core, {
    handleCallback: intake.handleCallback,
    framework,
    routeOfBody,
    visitors,
    slots,
  });
  const chores = createChores(core, visitors, { gates: service.gates, owner });
  return { core, files, service, owner, visitors, intake, server, sampler, chores, doctor, adminListener };
}

/** The public application, and the listener of the operator's pages if the settings name one. */
function createApps(groups: RouteGroups) {
  const { core } = groups;
  const bodies = createBodyBudget();
  const isPublic = core.settings.adminListen === undefined;
  const admin = createAdmin(adminDeps(groups), formReaders(isPublic ? bodies : createBodyBudget()));
  const adminListener = createAdminListener(
    core,
    getRequestListener(createAdminApp(admin, core.log).fetch),
    routeOfBody,
  );
  const api = serverApi(apiDeps(groups));
  const app = createApp(appDeps(groups, { api, admin: isPublic ? admin : undefined, bodies }));
  return { framework: getRequestListener(app.fetch), adminListener };
}

async function start({
  core,
  files,
  owner,
  visitors,
  intake,
  server,
  sampler,
  chores,
  adminListener,
}: Groups): Promise<void> {
  const { settings, keys, log } = core;
  // First: blocked visitors must not connect, and none of their waiting messages may leave.
  await owner.access.start();
  await files.start();
  await intake.start();
  visitors.connections.start();
  core.port = await server.listen();
  await adminListener?.start();
  await core.cluster.start(core.port);
  // The budgets may have been changed before this start.
  await visitors.send.release(core.sites.all);
  // Last, because the reply to a message may follow within milliseconds, and the service sends it only once.
  await visitors.courier.start();
  await owner.start();
  sampler.start();
  chores.start();
  log("relay.started", {
    port: core.port,
    sites: settings.sites.length,
    chats: settings.socketsTotal,
    chatsFrom: chatLimitReason(settings),
  });
  logWarnings(settings, keys.of, log);
}

/** Ends the other work that needs a lease, and returns the remaining leases. @param accounts resolves when those of accounts are returned */
async function leave({ core, owner, chores }: Groups, accounts: Promise<void>): Promise<void> {
  // First, because alerts are mailed.
  await chores.stop();
  await owner.stopErrands();
  await accounts;
  await core.cluster.leave();
}

/** The steps of a stop, in an order that loses nothing. */
function stopSteps(groups: Groups): [name: string, step: () => Promise<unknown> | undefined][] {
  const { core, files, service, owner, visitors, intake, server, sampler, adminListener } = groups;
  const { db, log } = core;
  let accounts = Promise.resolve();
  return [
    // Calls under way end, and their replies may follow at once, so callbacks are accepted until then (RELIABILITY 3a).
    [
      "calls to the service",
      () => {
        const courier = visitors.courier.stop();
        // Begun here and awaited by the next step: another node can deliver while connections, backups and mails end, which
        // may take as long as the servers that they wait for.
        accounts = Promise.all([courier, owner.stopCalls()]).then(core.cluster.leaveAccounts);
        return courier;
      },
    ],
    ["connections and leases", () => Promise.all([server.close(), leave(groups, accounts)])],
    ["admin pages", () => adminListener?.stop()],
    ["callbacks", () => intake.stop()],
    ["files", () => files.stop()],
    ["gates", async () => service.gates.stop()],
    ["series", () => sampler.stop()],
    ["the owner's calls", () => owner.stop()],
    ["cluster", () => core.cluster.stop()],
    // After pending writes. A database that refuses writes does not prevent an orderly stop.
    [
      "writes",
      () =>
        db
          .transaction(async () => undefined, [])
          .catch((error: unknown) => log("database.failing", { cause: String(error) })),
    ],
    ["database", () => db.close()],
    ["connections to the service", () => service.services.close()],
  ];
}

/** Stops the relay. @param onStep called with the name of each step */
async function stop(groups: Groups, onStep: (step: string) => void): Promise<void> {
  const { core, visitors, server } = groups;
  core.log("relay.stopping", { connections: visitors.connections.count() });
  server.shut();
  for (const [name, step] of stopSteps(groups)) {
    onStep(name);
    await step();
  }
  core.log("relay.stopped");
}

function relayOf({
  core,
  files,
  service,
  owner,
  visitors,
  intake,
  chores,
  doctor,
}: Groups): Omit<Relay, "describe" | "stop" | "stopStep"> {
  const { settings, db, clock, sites, keys, signing, log, port } = core;
  const { send, forget, endings } = visitors;
  const { services, gates } = service;
  const [callbackSecret] = core.callbackSecrets;
  const reload = createReload({ settings, sites, log, reloadKeys: gates.reload });
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    callbackSecret,
    log,
    reload: () => void reload(false),
    internals: {
      settings: { ...settings, port },
      running: true,
      db,
      clock,
      sites,
      services,
      keys,
      forget,
      endings,
      send,
      owner,
      signing,
      callbackSecret,
      reload,
      retention: chores.retention,
      backups: chores.backups,
      doctor,
      files: files.files,
      linkTo: files.links.to,
      replaySpools: intake.replaySpools,
    },
  };
}
