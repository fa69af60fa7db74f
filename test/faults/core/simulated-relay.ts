import { DEFAULT_SITE } from "@porchlight/shared/site";
import type { Log } from "../../../relay/src/base/log.ts";
import type { Batch, Database } from "../../../relay/src/db/database.ts";
import type { Reply } from "../../../relay/src/flows/intake/replies.ts";
import type { Outcome } from "../../../relay/src/service/outcome.ts";
import type { Transport } from "../../../relay/src/socket/connection.ts";
import type { Backend } from "./backend.ts";
import type { Core } from "./core.ts";
import { ACCOUNT, joinBackend } from "./member.ts";
import type { Sent, Service } from "./service.ts";
import { createStandstill } from "./standstill.ts";
import { clockOf, type World } from "./world.ts";

/** What outlives a process: its disk and the operator's settings. */
export type Machine = {
  file: string;
  /** Folder of the spool's files. */
  folder: string;
  /** All writes fail. */
  full: boolean;
  /** Writes to the spool fail too. */
  spoolFull: boolean;
  /** Share of hints that are lost: of the bus, or between nodes. */
  hintLoss: number;
  key: string;
  shift: number;
  /** Name of the machine, and how many processes it has started. */
  name: string;
  starts: number;
};

const SIGNING = "signing key of the simulated world";
const SITE = {
  public: DEFAULT_SITE,
  account: ACCOUNT,
  origins: ["https://shop.example"],
  channel: "website",
  business: "default",
  campaign: undefined,
} as const;

/** Violations of a call that begins now, among several nodes. */
function wrongCall(world: World, core: Core, backend: Backend, name: string, { text }: Sent): string[] {
  const holder = backend.heldElsewhere(core.accountLease(ACCOUNT), name);
  return [
    ...(holder === undefined ? [] : [`claim: ${name} sends "${text}", but ${holder} holds the lease`]),
    ...(world.now() >= backend.waitUntil
      ? []
      : [`pace: ${name} sends "${text}" before the end of the wait that the service stated`]),
  ];
}

/** Whether an item of a batch records the answer to a call (`Conclusion` of relay/src/flows/courier). */
const isConclusion = (item: unknown): boolean => typeof item === "object" && item !== null && "entry" in item;

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
  standStill: (ms: number) => void;
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
  const name = `${machine.name}-${machine.starts++}`;
  let alive = true;
  const isAlive = () => alive;
  const never = new Promise<never>(() => {});
  const end = Promise.withResolvers<undefined>();

  const standstill = createStandstill(world);
  const violations: string[] = [];
  /** Between two steps, time passes, the process stops for a time, or it ends. */
  const pause = async (): Promise<void> => {
    if (!alive) return never;
    if (!world.chance(0.6)) await new Promise<void>((resolve) => void world.after(world.pick(0, 6), resolve));
    if (standstill.isStopped()) await standstill.running();
    if (!alive) return never;
  };
  /** Whether this node stops now, between a decision and its execution. Meanwhile other nodes decide again. */
  const stalls = (): boolean => backend !== undefined && backend.stalls > 0 && world.chance(0.04);
  const stall = async (shared = backend): Promise<void> => {
    if (shared !== undefined) shared.stalls--;
    standstill.stop(world.pick(500, 9_000));
    await standstill.running();
    if (!alive) return never;
  };

  const wall = clockOf(world, () => machine.shift, isAlive);
  const clock = {
    ...wall,
    after: (ms: number, fn: () => void) => wall.after(ms, () => standstill.run(() => alive && fn())),
  };
  const disk =
    backend?.disk ?? core.openSqlite(machine.file, { defer: (fn) => void world.after(1, () => alive && fn()) });
  /** Errors after the end of the process reach nobody. */
  const survived = (error: unknown): Promise<never> => (alive ? Promise.reject(error) : never);
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    await pause();
    if (machine.full) throw new Error("disk full");
    if (stalls()) await stall();
    const result = await work().catch(survived);
    await pause();
    return result;
  };
  const fences = new Map<unknown, Batch<unknown, unknown>>();
  /** The work, and after it a check, in the same transaction, that no other node has the lease of what it recorded. */
  function fenced(given: unknown): Batch<unknown, unknown> {
    const work = given as Batch<unknown, unknown>;
    const known = backend === undefined ? work : fences.get(work);
    if (known !== undefined) return known;
    const made: typeof work = async (tx, items) => {
      const results = await work(tx, items);
      const [lease] = await tx.all<{ node: string }>(
        "SELECT node FROM leases WHERE name = $1",
        core.accountLease(ACCOUNT),
      );
      if (items.some(isConclusion) && lease?.node !== name)
        violations.push(`fencing: ${name} recorded an answer, but ${lease?.node} has the lease`);
      return results;
    };
    fences.set(work, made);
    return made;
  }
  const db: Database = {
    dialect: "sqlite",
    lock: disk.lock,
    async all(sql, ...values) {
      const rows = await disk.all<never>(sql, ...values).catch(survived);
      await pause();
      return rows;
    },
    run: (sql, ...values) => guarded(() => disk.run(sql, ...values)),
    async each(sql, lists) {
      const rows = await disk.each<never>(sql, lists).catch(survived);
      await pause();
      return rows;
    },
    async anyOf(sql, list) {
      const rows = await disk.anyOf<never>(sql, list).catch(survived);
      await pause();
      return rows;
    },
    runEach: (sql, lists) => guarded(() => disk.runEach(sql, lists)),
    transaction: (body) => guarded(() => disk.transaction(body)),
    append: (work, item) => guarded(() => disk.append(fenced(work) as typeof work, item)),
    scrub: disk.scrub,
    close: disk.close,
  };

  const crash = (): void => {
    alive = false;
    end.resolve(undefined);
    if (backend === undefined) void disk.close();
  };
  begun(crash);

  const epoch = await core.migrate(db);
  const loss = (): number => machine.hintLoss;
  const onError = (error: unknown): void => {
    if (!String(error).includes("disk full")) violations.push(`error: ${String(error)}`);
  };
  const shared =
    backend &&
    joinBackend({
      core,
      backend,
      member: { node: name, alive: isAlive, standstill },
      db,
      clock,
      guarded,
      loss,
      onError,
    });
  const inner = core.createBus();
  const bus = shared?.bus ?? {
    publish: (news: Parameters<typeof inner.publish>[0]) => void (world.chance(loss()) || inner.publish(news)),
    subscribe: inner.subscribe,
  };
  const sites = core.createSites([{ ...SITE, public: { ...SITE.public, suggestions: [] } }], () => []);
  const log = backend === undefined ? core.silentLog : watch(backend, name, violations);
  let key = machine.key;
  const inFlight = new Set<string>();

  /** Sends one message of a visitor at a time, because two could overtake each other. */
  async function send(message: Sent): Promise<Outcome> {
    if (inFlight.has(message.fromId)) violations.push(`two in flight: "${message.text}" did not wait for its turn`);
    inFlight.add(message.fromId);
    if (backend !== undefined) violations.push(...wrongCall(world, core, backend, name, message));
    if (stalls()) await stall();
    const outcome = await service.send(message, key);
    if (standstill.isStopped()) await standstill.running();
    inFlight.delete(message.fromId);
    if (alive && backend !== undefined && outcome.kind === "throttle") noteWait(outcome.waitMs);
    return alive ? outcome : never;
  }

  /** Notes a stated wait when the process had time to store it: half a second in which it ran and the database worked. */
  function noteWait(ms = 0): void {
    const until = world.now() + ms;
    let whole = !machine.full;
    for (let n = 1; n <= 5; n++)
      world.after(100 * n, () => (whole &&= alive && !standstill.isStopped() && !machine.full));
    world.after(501, () => {
      if (whole && backend !== undefined) backend.waitUntil = Math.max(backend.waitUntil, until);
    });
  }

  const gates = core.createGates({
    clock,
    log,
    accounts: [{ id: "main", url: "https://service.example/v1", rate: 600 }],
    keyOf: () => key,
    reloadKeys: () => {
      const changed = key !== machine.key;
      key = machine.key;
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
    deliver: (head) => send({ sid: head.sid, fromId: head.sender, text: head.text }),
    random: world.random,
  });
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
  const receive = core.createReplies({ db, bus, clock, sites, spool, log, signing: SIGNING });
  const sessions = core.createSession({
    db,
    bus,
    sites,
    signing: SIGNING,
    epoch,
    clock,
    identity: () => undefined,
    nameOf: async () => undefined,
    wake: courier.wake,
  });
  const connections = core.createConnections({
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
      send: core.createSend({ db, bus, clock, horizon: 12 * 3_600_000, wake: courier.wake }),
      forget: core.createForget({ db, bus, clock, deleted: courier.drop }),
      logout: sessions.logout,
      capture: async () => ({ verdict: Promise.resolve(undefined) }),
      mail: undefined,
      rate: async () => true,
      admits: async () => true,
      messages: core.createLimiter({ burst: 10, perMinute: 0, uptime: clock.uptime }),
      questions: core.createLimiter({ burst: 10, perMinute: 0, uptime: clock.uptime }),
      budgets: { message: () => 0, visitor: () => 0, lead: () => 0 },
    }),
    link: (key) => key,
    delivery: gates.delivery,
    random: world.random,
  });
  async function answer(body: string): Promise<number> {
    const callback = core.parseCallback(body);
    if (callback.kind !== "reply") return 400;
    const outcome = await receive.receive(callback);
    if (!alive) return never;
    receive.answered(callback);
    return outcome === "unknown" ? 404 : outcome === "lost" ? 503 : 200;
  }

  shared?.bus.onGone(courier.drop);
  await receive.start();
  if (shared !== undefined) await shared.start(gates);
  await courier.start();
  connections.start();

  return {
    alive: isAlive,
    crash,
    standStill: standstill.stop,
    accept(line) {
      const connection = connections.accept(line, "https://shop.example", "address");
      return {
        receive: (text) => standstill.run(() => alive && connections.receive(connection, text)),
        lost: () => standstill.run(() => alive && connections.lost(connection)),
      };
    },
    callback: (body) =>
      Promise.race([
        standstill.isStopped() ? standstill.running().then(() => answer(body)) : answer(body),
        end.promise,
      ]),
    violations,
    waiting: async () => (await disk.all("SELECT 1 FROM outbox")).length,
    spooled: () => kept.waiting,
    rows: (sql) => disk.all(sql),
  };
}
