/** Starts several relays on one PostgreSQL behind a balancer, a mock of the service, and visitors' tabs. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../relay/src/db/open.ts";
import { seeded } from "../faults/core/world.ts";
import { HEADS, judge, type Row, THREADS } from "../faults/judge.ts";
import { type Behaviour, startMock } from "../faults/process/mock.ts";
import { type Ended, type Env, type RelayProcess, startRelay } from "../faults/process/relay.ts";
import { ORIGIN, socketTo } from "../faults/process/socket.ts";
import { until } from "../faults/process/stage.ts";
import { createTab, type Tab, type TabOptions, visitorOf } from "../faults/tab.ts";
import { RELAY } from "../faults/workers.ts";
import { freePort } from "../ports.ts";
import { startPostgres } from "../setup/postgres.ts";
import { startRedis } from "../setup/redis.ts";
import { UNLIMITED } from "../unlimited.ts";
import { startBalancer } from "./balancer.ts";
import { startCutter } from "./cutter.ts";

const CALLBACK_PATH = "/callbacks/reply/callback-secret-of-the-nodes";
/** Log events that a relay may write while another part of the cluster is down. */
const EXPECTED = new Set(["database.failing", "cluster.link_lost", "callback.spooled", "relay.internal"]);

type Options = {
  seed: number;
  /** Folder with the relays' sources: the real ones, or a modified copy. */
  root?: string | undefined;
  nodes: number;
  /** Redis carries the hints; otherwise PostgreSQL does. */
  redis: boolean;
  env?: Env;
  service?: Partial<Behaviour>;
  /** Replaces the mock service. `rate`: initial limit, in calls per minute. */
  other?: { url: string; key: string; rate: number };
  /** Nodes that serve the callbacks and the visitors. Other nodes replace them while they are down. */
  callbacksTo: number;
  visitorsTo: number;
};

/** Rotates the list so that it starts at index `first`. */
const beginningWith = <T>(list: readonly T[], first: number): T[] => [...list.slice(first), ...list.slice(0, first)];

/** Starts all parts. Node 0 starts first, so it sends the account's messages to the service. */
export async function openNodes(options: Options) {
  const { seed, root = RELAY, nodes, other } = options;
  const random = seeded(seed);
  const folder = mkdtempSync(join(tmpdir(), "porchlight-nodes-"));
  const mock = await startMock(random, options.service);
  const postgres = await startPostgres();
  const redis = options.redis ? await startRedis() : undefined;
  const cutter = await startCutter(postgres.port);
  const ports = await Promise.all(Array.from({ length: nodes }, () => freePort()));
  const account = other ?? { url: mock.url, key: mock.behaviour.key, rate: 100_000 };
  const config = join(folder, "sites.json");
  writeFileSync(
    config,
    JSON.stringify({
      accounts: { main: { ...account, key: "env:KEY" } },
      sites: { default: { account: "main", origins: [ORIGIN] } },
    }),
  );
  const relays: (RelayProcess | undefined)[] = [];
  const processes: RelayProcess[] = [];
  const tabs: Tab[] = [];
  const databaseUrl = postgres.url("postgres");

  async function start(node: number): Promise<void> {
    const data = join(folder, String(node));
    mkdirSync(data, { recursive: true });
    const relay = await startRelay(root, {
      PORT: String(ports[node]),
      HOST: "127.0.0.1",
      DATA_DIR: data,
      DATABASE_URL: databaseUrl.replace(`:${postgres.port}/`, `:${cutter.port}/`),
      PORCHLIGHT_CONFIG: config,
      KEY: account.key,
      CALLBACK_SECRET: CALLBACK_PATH.split("/").at(-1) ?? "",
      MESSAGES_PER_MINUTE: "0",
      ...(redis && { REDIS_URL: redis.url }),
      ...UNLIMITED,
      ...options.env,
    });
    relays[node] = relay;
    processes.push(relay);
  }
  async function end(node: number, signal: NodeJS.Signals): Promise<Ended | undefined> {
    const relay = relays[node];
    relays[node] = undefined;
    return relay?.kill(signal);
  }

  for (const node of ports.keys()) await start(node);
  const balancer = await startBalancer({
    callbacks: beginningWith(ports, options.callbacksTo),
    visitors: beginningWith(ports, options.visitorsTo),
  });
  mock.callTo(balancer.url, CALLBACK_PATH);
  const db = await openDatabase(databaseUrl);

  const urlOf = (node: number): string => `http://127.0.0.1:${ports[node]}`;
  /**
   * @param node the node to connect to; absent: connect through the balancer
   * @param more replaces parts of the tab; it then connects only when the test says so
   */
  function tab(name: string, node?: number, more?: Partial<TabOptions>): Tab {
    const origin = node === undefined ? balancer.url : urlOf(node);
    const made = createTab({
      name,
      person: { token: undefined, deleted: 0 },
      open: socketTo(() => origin),
      now: () => performance.now(),
      after: (ms, fn) => void setTimeout(fn, ms),
      comeBack: () => 20 + random() * 80,
      ...more,
    });
    tabs.push(made);
    if (more === undefined) made.connect();
    return made;
  }

  /** Whether every tab has its visitor's newest number and no message is pending. */
  async function settled(): Promise<boolean> {
    if (tabs.some((one) => one.unsent() > 0 || !one.connected() || one.partial())) return false;
    const [outbox] = await db.all<{ waiting: number }>("SELECT count(*) AS waiting FROM outbox");
    // No further reply can start once the service has every message.
    if (outbox?.waiting !== 0 || mock.pending() > 0) return false;
    const heads = await db.all<{ id: string; head: number }>("SELECT id, head FROM visitors");
    const headOf = new Map(heads.map(({ id, head }) => [id, head]));
    return tabs.every((one) => one.held() === (headOf.get(visitorOf(one.person)) ?? 0));
  }

  /** Errors in the relays' logs that the injected failure does not explain. */
  const complaints = (): string[] =>
    processes
      .flatMap(({ lines }) => lines)
      .map((line) =>
        line.startsWith("{") ? (JSON.parse(line) as { level: number; event: string }) : { level: 60, event: line },
      )
      .filter(({ level, event }) => level >= 50 && !EXPECTED.has(event))
      .map(({ event }) => `complaint: ${event}`);

  return {
    random,
    folder,
    mock,
    postgres,
    redis,
    cutter,
    tabs,
    processes,
    db,
    tab,
    start,
    url: balancer.url,
    ports,
    urlOf,
    kill: (node: number) => end(node, "SIGKILL"),
    /** Stops a node with SIGTERM. Does nothing if the node has already exited. */
    stop: (node: number) => end(node, "SIGTERM"),
    signal: (node: number, signal: NodeJS.Signals): void => void relays[node]?.child.kill(signal),
    /** Waits until no message is pending, then reports all violations. */
    async verdict(limitMs: number): Promise<{ violations: string[]; rows: Row[] }> {
      const calm = await until(settled, limitMs);
      const rows = await db.all<Row>(THREADS);
      const evidence = {
        tabs,
        effects: mock.effects,
        posted: mock.posted,
        rows,
        calm,
        now: performance.now(),
        heads: await db.all<{ id: string; head: number; newest: number }>(HEADS),
        jump: 0,
        restored: false,
        nowhere: false,
      };
      return { violations: [...mock.violations, ...complaints(), ...judge(evidence)], rows };
    },
    async close(): Promise<void> {
      for (const one of tabs) one.close();
      await db.close().catch(() => {});
      await Promise.all([...ports.keys()].map((node) => end(node, "SIGKILL")));
      await Promise.all([mock.close(), balancer.stop(), redis?.stop(), cutter.stop()]);
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type NodesStage = Awaited<ReturnType<typeof openNodes>>;
