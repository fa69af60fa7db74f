import { DEFAULT_SITE } from "@porchlight/shared/site";
import type { Database } from "../../../relay/src/db/database.ts";
import type { Reply } from "../../../relay/src/flows/intake/replies.ts";
import type { Outcome } from "../../../relay/src/service/outcome.ts";
import type { Transport } from "../../../relay/src/socket/connection.ts";
import type { Core } from "./core.ts";
import type { Carried, Service } from "./service.ts";
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
  /** Share of bus hints that are lost. */
  deaf: number;
  key: string;
  shift: number;
};

const SIGNING = "signing key of the simulated world";
const SITE = {
  public: DEFAULT_SITE,
  account: "main",
  origins: ["https://shop.example"],
  channel: "website",
  business: "default",
  campaign: undefined,
} as const;

export type Life = {
  alive: () => boolean;
  /** Ends the process at once: everything in memory is lost, and nothing under way continues. */
  crash: () => void;
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
 * Starts a relay's core on the machine's disk. It may be ended at any await.
 * @param begun receives the function that ends it, before it has done anything
 * @throws the error that prevents the start; never settles when it was ended before
 */
export async function startLife(
  world: World,
  core: Core,
  machine: Machine,
  service: Service,
  begun: (crash: () => void) => void,
): Promise<Life> {
  let alive = true;
  const isAlive = () => alive;
  const never = new Promise<never>(() => {});
  const end = Promise.withResolvers<undefined>();

  /** Between two steps, time passes or the process ends. */
  const pause = async (): Promise<void> => {
    if (!alive) return never;
    if (world.chance(0.6)) return;
    await new Promise<void>((resolve) => void world.after(world.pick(0, 6), resolve));
    if (!alive) return never;
  };

  const clock = clockOf(world, () => machine.shift, isAlive);
  const disk = core.openSqlite(machine.file, { defer: (fn) => void world.after(1, () => alive && fn()) });
  /** Errors after the end of the process reach nobody. */
  const survived = (error: unknown): Promise<never> => (alive ? Promise.reject(error) : never);
  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    await pause();
    if (machine.full) throw new Error("disk full");
    const result = await work().catch(survived);
    await pause();
    return result;
  };
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
    append: (work, item) => guarded(() => disk.append(work, item)),
    scrub: disk.scrub,
    close: disk.close,
  };

  const crash = (): void => {
    alive = false;
    end.resolve(undefined);
    void disk.close();
  };
  begun(crash);

  const epoch = await core.migrate(db);
  const inner = core.createBus();
  const bus: typeof inner = {
    publish: (news) => void (world.chance(machine.deaf) || inner.publish(news)),
    subscribe: inner.subscribe,
  };
  const sites = core.createSites([{ ...SITE, public: { ...SITE.public, suggestions: [] } }], () => []);
  const log = core.silentLog;
  let key = machine.key;
  const violations: string[] = [];
  const flying = new Set<string>();

  /** Sends one message of a visitor at a time, because two could overtake each other. */
  async function carry(message: Carried): Promise<Outcome> {
    if (flying.has(message.fromId)) violations.push(`two in flight: "${message.text}" did not wait for its turn`);
    flying.add(message.fromId);
    const outcome = await service.carry(message, key);
    flying.delete(message.fromId);
    return alive ? outcome : never;
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
    onDelivery: (account) => connections.tellDelivery(account),
    onOpen: () => {},
    random: world.random,
  });
  const courier = core.createCourier({
    db,
    bus,
    clock,
    log,
    gates,
    carry: (head) => carry({ sid: head.sid, fromId: head.sender, text: head.text }),
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

  await receive.start();
  await courier.start();
  connections.start();

  return {
    alive: isAlive,
    crash,
    accept(line) {
      const connection = connections.accept(line, "https://shop.example", "address");
      return {
        receive: (text) => alive && connections.receive(connection, text),
        lost: () => alive && connections.lost(connection),
      };
    },
    callback: (body) => Promise.race([answer(body), end.promise]),
    violations,
    waiting: async () => (await disk.all("SELECT 1 FROM outbox")).length,
    spooled: () => kept.waiting,
    rows: (sql) => disk.all(sql),
  };
}
