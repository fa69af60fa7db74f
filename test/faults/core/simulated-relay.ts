import { DEFAULT_SITE } from "@porchlight/shared/site";
import type { Log } from "../../../relay/src/base/log.ts";
import type { Bus } from "../../../relay/src/bus/bus.ts";
import type { Database } from "../../../relay/src/db/database.ts";
import type { Reply } from "../../../relay/src/flows/intake/replies.ts";
import type { Gates } from "../../../relay/src/service/gates.ts";
import type { Transport } from "../../../relay/src/socket/connection.ts";
import type { Backend } from "./backend.ts";
import type { Core } from "./core.ts";
import { ACCOUNT, joinBackend } from "./member.ts";
import type { Service } from "./service.ts";
import { type Calls, sendMessage } from "./simulated-calls.ts";
import { createSimulatedDatabase } from "./simulated-database.ts";
import { createProcess, guarded, type Machine, NEVER, type SimulatedProcess } from "./simulated-process.ts";
import type { World } from "./world.ts";

const SIGNING = "signing key of the simulated world";
const SITE = {
  public: DEFAULT_SITE,
  account: ACCOUNT,
  origins: ["https://shop.example"],
  channel: "website",
  business: "default",
  campaign: undefined,
} as const;

/** The log of one of several nodes: records deliveries, and finds one that two nodes recorded. */
const watch =
  ({ delivered }: Backend, name: string, violations: string[]): Log =>
  (event, details) => {
    if (event !== "delivery.done") return;
    const message = String(details?.message);
    const other = delivered.get(message);
    if (other !== undefined) violations.push(`fencing: ${name} recorded ${message}, which ${other} had recorded`);
    delivered.set(message, name);
  };

export type SimulatedRelay = {
  alive: () => boolean;
  /** Ends the process at once: everything in memory is lost, and nothing under way continues. */
  crash: () => void;
  /** Stops the process for some milliseconds, like SIGSTOP and SIGCONT. */
  suspend: (ms: number) => void;
  accept: (transport: Transport) => { receive: (text: string) => void; lost: () => void };
  /** Sends a callback's body. Resolves to the status, or to undefined when the process ends before it answers. */
  callback: (body: string) => Promise<number | undefined>;
  /** Violations: things that the relay must never do. */
  violations: string[];
  waiting: () => Promise<number>;
  /** Whether replies wait in the spool. */
  spooled: () => boolean;
  rows: <Row>(sql: string) => Promise<Row[]>;
};

/** The parts of a simulated relay that its flows need. */
type Parts = {
  process: SimulatedProcess;
  core: Core;
  db: Database;
  /** The number of the database's log (see `hello` in shared/protocol.ts). */
  epoch: string;
  /** The connection with the other nodes; undefined: it is alone. */
  shared: ReturnType<typeof joinBackend> | undefined;
  bus: Pick<Bus, "publish" | "subscribe">;
  sites: ReturnType<Core["createSites"]>;
  log: Log;
};

/**
 * Starts a relay's core on the machine's disk, or as one of several nodes on a shared database. It may be ended at any await.
 * @param begun receives the function that ends it, before it has done anything
 * @param backend what it shares with other nodes; absent: it is alone
 * @throws the error that prevents the start; never settles when it was ended before
 */
export async function startSimulatedRelay(
  world: World,
  core: Core,
  machine: Machine,
  service: Service,
  begun: (crash: () => void) => void,
  backend?: Backend,
): Promise<SimulatedRelay> {
  const process = createProcess(world, machine, backend);
  const { suspension, violations } = process;
  const disk =
    backend?.disk ?? core.openSqlite(machine.file, { defer: (fn) => void world.after(1, () => process.alive && fn()) });
  const crash = (): void => {
    process.end();
    if (backend === undefined) void disk.close();
  };
  begun(crash);
  const parts = await createParts(process, core, createSimulatedDatabase(process, core, disk));
  const { courier, connections, replies, gates } = createFlows(parts, service);
  parts.shared?.bus.onGone(courier.drop);
  await replies.receive.start();
  if (parts.shared !== undefined) await parts.shared.start(gates);
  await courier.start();
  connections.start();
  const answered = (body: string): Promise<number> => answer(parts, replies.receive, body);
  return {
    alive: () => process.alive,
    crash,
    suspend: suspension.stop,
    accept(transport) {
      const connection = connections.accept(transport, "https://shop.example", "address");
      return {
        receive: (text) => suspension.run(() => process.alive && connections.receive(connection, text)),
        lost: () => suspension.run(() => process.alive && connections.lost(connection)),
      };
    },
    callback: (body) =>
      Promise.race([
        suspension.isStopped() ? suspension.running().then(() => answered(body)) : answered(body),
        process.ended,
      ]),
    violations,
    waiting: async () => (await disk.all("SELECT 1 FROM outbox")).length,
    spooled: () => replies.spool.waiting,
    rows: (sql) => disk.all(sql),
  };
}

/** Migrates the database, joins the other nodes, and creates what the flows share. */
async function createParts(process: SimulatedProcess, core: Core, db: Database): Promise<Parts> {
  const { world, machine, backend, name, suspension, clock, violations } = process;
  const epoch = await core.migrate(db);
  const loss = (): number => machine.hintLoss;
  const shared =
    backend &&
    joinBackend({
      core,
      backend,
      member: { node: name, alive: () => process.alive, suspension },
      db,
      clock,
      guarded: (work) => guarded(process, work),
      loss,
      onError(error) {
        if (!String(error).includes("disk full")) violations.push(`error: ${String(error)}`);
      },
    });
  const inner = core.createBus();
  const bus = shared?.bus ?? {
    publish: (news: Parameters<typeof inner.publish>[0]) => void (world.chance(loss()) || inner.publish(news)),
    subscribe: inner.subscribe,
  };
  const sites = core.createSites([{ ...SITE, public: { ...SITE.public, suggestions: [] } }], () => []);
  const log = backend === undefined ? core.silentLog : watch(backend, name, violations);
  return { process, core, db, epoch, shared, bus, sites, log };
}

/** Creates the flows, the connections and the gate of the account. Nothing is started. */
function createFlows(parts: Parts, service: Service) {
  const { process, core, db, shared, bus, log } = parts;
  const { clock, world, machine } = process;
  const calls: Calls = { process, core, service, key: machine.key, inFlight: new Set() };
  const gates = core.createGates({
    clock,
    log,
    accounts: [{ id: "main", url: "https://service.example/v1", rate: 600 }],
    keyOf: () => calls.key,
    reloadKeys: () => {
      const changed = calls.key !== machine.key;
      calls.key = machine.key;
      return changed;
    },
    onDelivery: (account) => connections.sendDelivery(account),
    onOpen: () => {},
    random: world.random,
  });
  const courier = core.createCourier({
    db,
    bus,
    clock,
    log,
    gates,
    ...(shared && { leases: shared.leases, nodes: shared.bus }),
    deliver: (head) => sendMessage(calls, { sid: head.sid, fromId: head.sender, text: head.text }),
    random: world.random,
  });
  const replies = createReplies(parts);
  const connections = createConnections(parts, courier, gates);
  return { gates, courier, replies, connections };
}

/** Creates the intake of replies, and its spool, whose writes fail while the machine says so. */
function createReplies({ process, core, db, shared, bus, sites, log }: Parts) {
  const { machine, clock } = process;
  const kept = core.openSpool<Reply>(machine.folder, "replies");
  const spool = {
    get waiting() {
      return kept.waiting;
    },
    append(reply: Reply) {
      if (machine.spoolFull) throw new Error("disk full");
      kept.append(reply);
    },
    replay: kept.replay,
  };
  const isShared = shared !== undefined;
  return { spool, receive: core.createReplies({ db, bus, clock, sites, spool, log, signing: SIGNING, isShared }) };
}

/** Creates the visitors' sessions and connections, with limits that no run reaches. */
function createConnections(
  { process, core, db, epoch, bus, sites, log }: Parts,
  courier: ReturnType<Core["createCourier"]>,
  gates: Pick<Gates, "delivery">,
) {
  const { clock, world } = process;
  const { wake } = courier;
  const unlimited = () => core.createLimiter({ burst: 10, perMinute: 0, uptime: clock.uptime });
  const sessions = core.createSession({
    db,
    bus,
    sites,
    epoch,
    clock,
    wake,
    signing: SIGNING,
    identity: () => undefined,
    nameOf: async () => undefined,
  });
  return core.createConnections({
    db,
    bus,
    clock,
    log,
    open: sessions.open,
    handleFrame: core.createFrames({
      db,
      bus,
      clock,
      log,
      send: core.createSend({ db, bus, clock, horizon: 12 * 3_600_000, wake }),
      forget: core.createForget({ db, bus, clock, deleted: courier.drop }),
      logout: sessions.logout,
      capture: async () => ({ verdict: Promise.resolve(undefined) }),
      mail: undefined,
      rate: async () => true,
      passesGuard: async () => true,
      messages: unlimited(),
      freeFrames: unlimited(),
      budgets: { message: () => 0, visitor: () => 0, lead: () => 0 },
    }),
    link: (key) => key,
    delivery: gates.delivery,
    random: world.random,
  });
}

/** Answers a reply callback as the relay's route does. @returns the status */
async function answer(
  { process, core }: Parts,
  receive: ReturnType<Core["createReplies"]>,
  body: string,
): Promise<number> {
  const callback = core.parseCallback(body);
  if (callback.kind !== "reply") return 400;
  const outcome = await receive.receive(callback);
  if (!process.alive) return NEVER;
  receive.answered(callback);
  return outcome === "unknown" ? 404 : outcome === "lost" ? 503 : 200;
}
