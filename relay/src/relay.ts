import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { getRequestListener } from "@hono/node-server";
import { createApp } from "./app.ts";
import { addressOf, remoteOf } from "./base/address.ts";
import { type Clock, realClock } from "./base/clock.ts";
import type { Settings, Site } from "./base/config.ts";
import { folding } from "./base/fold.ts";
import { createIdentities } from "./base/identity.ts";
import type { Keys } from "./base/keys.ts";
import { createKeys } from "./base/keys.ts";
import { createLimiter } from "./base/limiter.ts";
import { createLog, type Log } from "./base/log.ts";
import { netsOf } from "./base/nets.ts";
import { createPlaces } from "./base/places.ts";
import { createRecent } from "./base/recent.ts";
import { loadSecrets } from "./base/secrets.ts";
import { createBus } from "./bus/bus.ts";
import { withPresence } from "./bus/presence.ts";
import type { Database } from "./db/database.ts";
import type { Lock } from "./db/lock.ts";
import { migrate } from "./db/migrate.ts";
import { databaseFile, openDatabase } from "./db/open.ts";
import { openSpool } from "./db/spool.ts";
import { watchWrites } from "./db/writable.ts";
import type { Files } from "./files/store.ts";
import { createBudgets } from "./flows/budgets.ts";
import { createCourier } from "./flows/courier.ts";
import { createEnclose } from "./flows/enclose.ts";
import { createFirstNames } from "./flows/first-names.ts";
import type { Forget } from "./flows/forget.ts";
import { createForget } from "./flows/forget.ts";
import { introduce } from "./flows/introduce.ts";
import { createOriginLog } from "./flows/origin-log.ts";
import { createRate } from "./flows/rate.ts";
import { createReceive, type Reply } from "./flows/receive.ts";
import { createRecharges, type Spooled } from "./flows/recharges.ts";
import type { Send } from "./flows/send.ts";
import { createSend } from "./flows/send.ts";
import type { Services } from "./flows/services.ts";
import { createServices } from "./flows/services.ts";
import { createSession } from "./flows/session.ts";
import { createForward } from "./hooks/forward.ts";
import { withAnswers } from "./http/answers.ts";
import { callbackDoor } from "./http/callbacks.ts";
import { withDeadline } from "./http/deadline.ts";
import { createGuesses } from "./http/guesses.ts";
import { watchNewcomers } from "./http/newcomers.ts";
import { limitPeers } from "./http/peers.ts";
import { createHttpServer } from "./http/server.ts";
import type { Sites } from "./records/sites.ts";
import { createSites } from "./records/sites.ts";
import { createGates } from "./service/gates.ts";
import { createConnections } from "./socket/connections.ts";
import { createFrames } from "./socket/frames.ts";
import { serveSockets } from "./socket/socket.ts";
import { holdData } from "./wiring/data-lock.ts";
import { createFilestore } from "./wiring/files.ts";
import { listen } from "./wiring/listen.ts";
import type { Backoffice } from "./wiring/owner.ts";
import { createBackoffice, hookSecrets, mailSecrets } from "./wiring/owner.ts";
import { identitySecret, warn } from "./wiring/warnings.ts";

/** Where the build puts the widget. */
const WIDGET = fileURLToPath(new URL("../../widget/dist/", import.meta.url));
/** Clients asked back per second when the relay stops: no second shall see more than 15 in 100 of two hundred (WIDGET 9). */
const RETURN_RATE = 15;
/** Calls of the server API per token. */
const API_PER_MINUTE = 1_200;
/**
 * TCP connections that each peer may hold for each chat it may have open: a chat takes up to six, uploads and pages some
 * more, and callbacks of the service, which are never to be refused, come from one address and may wait in hundreds
 * while the relay restarts.
 */
const PEER_FACTOR = 5;
const PEER_MIN = 1_000;
/** All TCP connections for each open chat: browsers keep idle ones for files, the service for callbacks. */
const PEERS_FACTOR = 1.5;
/** Ids of account owners that are kept out of the log: there is one for each account. */
const OWNERS_MAX = 100;
/** Who connected before the stop has this long to begin a request. */
const HEARD_MS = 1_000;
/**
 * An idle connection is kept so long after an answer, which tells its client so (`Keep-Alive: timeout=5`). Node ends it a
 * second later.
 */
const KEPT_MS = 5_000;
/** After this, an answer that is still under way is cut off. Kept connections have ended by themselves before. */
const LINGER_MS = KEPT_MS + 2_500;

/** What an upload says of its size; one that says nothing counts as a large one. */
const bytesOf = ({ headers }: IncomingMessage): number => Number(headers["content-length"] ?? 16 * 1024 * 1024);

/** Behind a proxy all connections come from the proxy. */
const peersOf = ({ trustProxy, socketsPerAddress, socketsTotal }: Settings) => ({
  perAddress: trustProxy > 0 || socketsPerAddress === 0 ? 0 : Math.max(PEER_MIN, socketsPerAddress * PEER_FACTOR),
  total: socketsTotal * PEERS_FACTOR,
});

type Parts = { clock?: Clock; log?: Log; widget?: string; open?: typeof openDatabase };

export type Relay = {
  /** Origin under which the relay answers on this machine. */
  url: string;
  port: number;
  callbackSecret: string;
  reload: () => void;
  /** What commands work with. */
  inside: Inside;
  /** Tells beside the lock where this relay takes commands. */
  tell: Lock["tell"];
  log: Log;
  /** Ends everything in the order that loses nothing; resolves when the process may exit. */
  stop: () => Promise<void>;
};

/** The parts of the relay that the command line works with. */
export type Inside = {
  /** With the port that it listens on. */
  settings: Settings;
  /** Whether these are parts of a relay that runs. */
  running: boolean;
  db: Database;
  clock: Clock;
  sites: Sites;
  services: Services;
  keys: Keys;
  forget: Forget;
  send: Send;
  files: Files;
  signing: string;
  /** Path of a signed link to a file. */
  linkTo: (key: string, type: string) => string;
  callbackSecret: string;
  backoffice: Backoffice;
};

/**
 * Builds the relay from its settings and starts it, alone on its data.
 * @param parts stand-ins for tests
 * @throws Error with one sentence that says what to change
 */
export async function createRelay(settings: Settings, parts: Parts = {}): Promise<Relay> {
  const hold = holdData(settings);
  try {
    const relay = await assemble(settings, parts);
    hold.tell({ address: relay.url });
    return { ...relay, tell: hold.tell, stop: () => relay.stop().finally(hold.release) };
  } catch (error) {
    hold.release();
    throw error;
  }
}

/** The only place where the parts meet. */
async function assemble(settings: Settings, parts: Parts): Promise<Omit<Relay, "tell">> {
  const clock = parts.clock ?? realClock;
  const secrets = loadSecrets(settings.dataDir);
  const keys = createKeys(settings.accounts);
  const callbackSecrets = settings.callbackSecrets.length > 0 ? settings.callbackSecrets : [secrets.callback];
  /** Ids of account owners, as callbacks named them: they may work as credentials at the service. */
  const owners = createRecent(OWNERS_MAX);
  const ours = [...callbackSecrets, secrets.signing, settings.adminToken ?? secrets.admin, ...hookSecrets(settings)];
  const theirs = [
    settings.uploads.bucket?.secret ?? "",
    settings.forwardCallbacks ?? "",
    ...settings.sites.map(identitySecret),
    ...mailSecrets(settings),
  ];
  const hidden = () => [keys.all(), ours, theirs, owners.all()];
  const log = folding(parts.log ?? createLog({ level: settings.logLevel, secrets: hidden }), clock);

  const { db, takesWrites } = watchWrites(
    (parts.open ?? openDatabase)(settings.databaseUrl),
    clock,
    databaseFile(settings.databaseUrl),
  );
  const epoch = await migrate(db);
  let port = settings.port;
  const own = settings.publicUrl === undefined ? undefined : new URL(settings.publicUrl).origin;
  /** Without a public address, the relay's pages are opened on this machine. */
  const local = (): string[] => ["localhost", "127.0.0.1"].map((host) => `http://${host}:${port}`);
  const sites = createSites(settings.sites, () => (own === undefined ? local() : [own]));
  const bus = withPresence(createBus(), clock);
  const base = { db, bus, clock, log };
  const filestore = createFilestore({ settings, db, clock, log, signing: secrets.signing });
  const { files, links, uploads } = filestore;
  const publicLink = (key: string, type: string): string => `${settings.publicUrl ?? ""}${links.to(key, type)}`;
  const enclose = createEnclose({ files, link: settings.uploads.embed ? undefined : publicLink });
  const services = createServices(settings, keys, sites, enclose, {
    ...{ clock, log },
    beside: (account) => gates.beside(account),
  });
  const gates = createGates({
    clock,
    log,
    accounts: settings.accounts,
    keyOf: keys.of,
    reloadKeys: keys.reload,
    onDelivery: (account) => connections.tellDelivery(account),
    onOpen: (account, why) =>
      void backoffice.hasten(account, why).catch((error: unknown) => log("database.failing", { cause: String(error) })),
  });

  const courier = createCourier({
    ...base,
    gates,
    carry: async (head) => backoffice.detain(head) ?? introduce({ db, log }, head, services.carry),
    onFailed: (...about) => backoffice.tellFailed(...about),
  });
  const backoffice = createBackoffice({
    ...base,
    settings,
    services,
    sites,
    gates,
    signing: secrets.signing,
    presence: bus,
  });
  const identities = createIdentities(settings.sites, clock, log);
  const spool = openSpool<Reply>(settings.dataDir, "replies");
  const receive = createReceive({
    ...base,
    sites,
    spool,
    signing: secrets.signing,
    tell: backoffice.tell,
    keepFile: uploads.takeHeld,
  });
  const forward = settings.forwardCallbacks === undefined ? undefined : createForward(settings.forwardCallbacks);
  const recharges = createRecharges({
    clock,
    log,
    spool: openSpool<Spooled>(settings.dataDir, "recharges"),
    take: backoffice.credits.recharge,
  });
  const sessions = createSession({
    db,
    bus,
    sites,
    signing: secrets.signing,
    epoch,
    clock,
    log,
    identity: (site) => identities.get(site),
    nameOf: createFirstNames({ find: backoffice.contacts.find, clock }),
    wake: courier.wake,
  });
  const { horizon } = settings;
  const send = createSend({ db, bus, clock, horizon, wake: courier.wake, tell: backoffice.tell, onHeld });
  const forget = createForget({ db, bus, clock, cleared: uploads.sweepSoon });
  const budgets = createBudgets({ limits: settings.perAddress, uptime: clock.uptime });
  const handleFrame = createFrames({
    db,
    bus,
    log,
    send,
    forget,
    logout: sessions.logout,
    capture: backoffice.capture,
    mail: backoffice.mail,
    rate: createRate({ db, bus, clock, tell: backoffice.tell }),
    admits: backoffice.gate.admits,
    messages: createLimiter({ burst: 10, perMinute: settings.messagesPerMinute, uptime: clock.uptime }),
    budgets,
  });
  const originLog = createOriginLog(sites, log);
  const connections = createConnections({
    db,
    bus,
    clock,
    log,
    open: originLog.watching(sessions.open),
    handleFrame,
    link: links.to,
    delivery: (account, site) => (send.isHeld(site) ? "delayed" : gates.delivery(account)),
    isBlocked: backoffice.gate.refuses,
    exceedsBudget: (hello, address) => budgets.session({ site: hello.site, address }, hello.token !== undefined) > 0,
  });
  backoffice.gate.onChange(connections.closeBlocked);
  /** Visitors hear at once that messages wait for another day's budget, and that they go again. */
  function onHeld({ account, public: { id } }: Site, until: number): void {
    log("budget.reached", { site: id });
    clock.after(0, () => connections.tellDelivery(account));
    clock.after(until - clock.now(), () => connections.tellDelivery(account));
  }

  let stopping = false;
  const remote = (incoming: IncomingMessage): string => remoteOf(incoming, settings.trustProxy);
  const network = (incoming: IncomingMessage): string => addressOf(incoming, settings.trustProxy);
  const { socketsPerAddress: perAddress, socketsTotal: total } = settings;
  const places = createPlaces({ perAddress, total });
  const mayCall = settings.callbackAllow.length === 0 ? () => true : netsOf(settings.callbackAllow);
  const uploading = createLimiter({ burst: 10, perMinute: settings.uploads.perMinute, uptime: clock.uptime });
  const guesses = createGuesses(clock);
  const called = { secrets: () => callbackSecrets, from: { address: remote, allowed: mayCall }, guesses, log };
  const door = callbackDoor({
    ...called,
    clock,
    receive,
    recharges,
    agencies: backoffice.agencies,
    unknownContact: settings.unknownContact,
    forward: forward?.post,
    hide: owners.add,
  });
  const app = createApp({
    sites,
    connections,
    clock,
    allows: originLog.allows,
    addressOf: network,
    places,
    mail: backoffice.mail,
    api: {
      db,
      clock,
      sites,
      limiter: createLimiter({ burst: 100, perMinute: API_PER_MINUTE, uptime: clock.uptime }),
      log,
      flows: { db, clock, send, forget, linkTo: publicLink, ...backoffice },
    },
    media: {
      db,
      files,
      uploads,
      links,
      log,
      allows: originLog.allows,
      who: backoffice.wanted(sessions.who),
      wait: (incoming, site) =>
        uploading.take(network(incoming)) || budgets.upload({ site, address: remote(incoming) }, bytesOf(incoming)),
    },
    called,
    ready: async () => !stopping && (await takesWrites()),
    log,
    relay: own ?? "",
    address: () => own ?? `http://localhost:${port}`,
    widget: parts.widget ?? WIDGET,
    formerBuilds: join(settings.dataDir, "assets"),
  });

  const framework = withDeadline(clock, getRequestListener(app.fetch));
  function handle(request: IncomingMessage, response: ServerResponse): void {
    // The last answer on each connection says that it is the last one.
    if (stopping) response.shouldKeepAlive = false;
    if (!door(request, response)) framework(request, response);
  }
  const server = createHttpServer(withAnswers(clock, handle));
  server.keepAliveTimeout = KEPT_MS;
  limitPeers(server, createPlaces(peersOf(settings)));
  const newcomers = watchNewcomers(server, clock);
  const stopSockets = serveSockets({
    server,
    connections,
    log,
    allows: originLog.allows,
    addressOf: network,
    remoteOf: remote,
    places,
    clock,
  });

  await filestore.start();
  await receive.start();
  await recharges.start();
  connections.start();
  port = await listen(server, settings);
  // Not before replies can come in: the answer to a message may be here within milliseconds, and comes only once.
  await courier.start();
  await backoffice.start();
  log("relay.started", { port, sites: settings.sites.length });
  warn(settings, keys.of, log);

  async function stop(): Promise<void> {
    stopping = true;
    log("relay.stopping", { connections: connections.count() });
    connections.shut();
    // What is on its way lands, and its reply may follow at once: callbacks are let in until then (RELIABILITY 3a).
    await courier.stop();
    const closed = newcomers.close();
    stopSockets();
    connections.drain(RETURN_RATE);
    await newcomers.heard(HEARD_MS);
    newcomers.closeIdle();
    const cancel = clock.after(LINGER_MS, () => server.closeAllConnections());
    await closed;
    cancel();
    await receive.stop();
    await recharges.stop();
    await forward?.close();
    await filestore.stop();
    gates.stop();
    await backoffice.stop();
    await db.transaction(async () => undefined);
    await db.close();
    await services.close();
    log("relay.stopped");
  }

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    callbackSecret: callbackSecrets[0] ?? "",
    reload() {
      log("settings.reloaded", { changed: gates.reload() });
    },
    inside: {
      settings: { ...settings, port },
      running: true,
      ...{ db, clock, sites, services, keys, forget, send, files, backoffice },
      signing: secrets.signing,
      linkTo: links.to,
      callbackSecret: callbackSecrets[0] ?? "",
    },
    log,
    stop,
  };
}
