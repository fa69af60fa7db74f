/** Starts several relays on one PostgreSQL behind a balancer, a mock of the service, and visitors' tabs. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "@porchlight/shared/seeded-random";
import type { Database } from "../../relay/src/db/database.ts";
import { openDatabase } from "../../relay/src/db/open.ts";
import { HEADS, judge, type Row, THREADS } from "../faults/judge.ts";
import { type Behaviour, type Mock, startMock } from "../faults/process/mock.ts";
import { type Ended, type Env, type RelayProcess, startRelay } from "../faults/process/relay.ts";
import { ORIGIN, socketTo } from "../faults/process/socket.ts";
import { isSpoolEmpty, until } from "../faults/process/testbed.ts";
import { createTab, type Tab, type TabOptions, visitorOf } from "../faults/tab.ts";
import { RELAY } from "../faults/workers.ts";
import { freePort } from "../ports.ts";
import type { Front } from "../setup/front.ts";
import { type Postgres, startPostgres } from "../setup/postgres.ts";
import { type Redis, startRedis } from "../setup/redis.ts";
import { UNLIMITED } from "../unlimited.ts";
import { startBalancer } from "./balancer.ts";
import { type Cutter, startCutter } from "./cutter.ts";

const CALLBACK_PATH = "/callbacks/reply/callback-secret-of-the-nodes";
/** Log events that a relay may write while another part of the cluster is down. */
const EXPECTED = new Set(["database.failing", "cluster.link_lost", "callback.spooled", "relay.internal"]);

type Options = {
  seed: number;
  /** Folder with the relays' sources: the real ones, or a modified copy. */
  root?: string | undefined;
  nodes: number;
  /** Redis transports the hints; otherwise PostgreSQL does. */
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

type TestbedState = {
  options: Options;
  random: () => number;
  folder: string;
  mock: Mock;
  postgres: Postgres;
  redis: Redis | undefined;
  cutter: Cutter;
  /** Each node's port. */
  ports: number[];
  /** The account's address, key, and limit in calls per minute. */
  account: { url: string; key: string; rate: number };
  /** Path of the relays' configuration. */
  config: string;
  /** Each node's process while it runs. */
  relays: (RelayProcess | undefined)[];
  /** Every process so far. */
  processes: RelayProcess[];
  tabs: Tab[];
  databaseUrl: string;
};

/** The state, the balancer before the nodes, and the checker's own connection to the database. */
type RunningTestbed = TestbedState & { balancer: Front; db: Database };

/** Starts all parts. Node 0 starts first, so it sends the account's messages to the service. */
export async function openNodes(options: Options) {
  const state = await createState(options);
  const { random, folder, mock, postgres, redis, cutter, ports, tabs, processes } = state;
  for (const node of ports.keys()) await start(state, node);
  const balancer = await startBalancer({
    callbacks: beginningWith(ports, options.callbacksTo),
    visitors: beginningWith(ports, options.visitorsTo),
  });
  mock.callTo(balancer.url, CALLBACK_PATH);
  const db = await openDatabase(state.databaseUrl);
  const testbed: RunningTestbed = { ...state, balancer, db };
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
    tab: (name: string, node?: number, more?: Partial<TabOptions>) => tab(testbed, name, node, more),
    start: (node: number) => start(testbed, node),
    url: balancer.url,
    ports,
    urlOf: (node: number) => urlOf(testbed, node),
    kill: (node: number) => end(testbed, node, "SIGKILL"),
    /** Stops a node with SIGTERM. Does nothing if the node has already exited. */
    stop: (node: number) => end(testbed, node, "SIGTERM"),
    signal: (node: number, signal: NodeJS.Signals): void => void testbed.relays[node]?.child.kill(signal),
    /** Waits until no message is pending, then reports all violations. */
    verdict: (limitMs: number) => verdict(testbed, limitMs),
    close: () => close(testbed),
  };
}

/** Starts all parts that the relays need, and writes their configuration. */
async function createState(options: Options): Promise<TestbedState> {
  const random = seededRandom(options.seed);
  const folder = mkdtempSync(join(tmpdir(), "porchlight-nodes-"));
  const mock = await startMock(random, options.service);
  const postgres = await startPostgres();
  const redis = options.redis ? await startRedis() : undefined;
  const cutter = await startCutter(postgres.port);
  const ports = await Promise.all(Array.from({ length: options.nodes }, () => freePort()));
  const account = options.other ?? { url: mock.url, key: mock.behaviour.key, rate: 100_000 };
  const config = join(folder, "sites.json");
  writeFileSync(
    config,
    JSON.stringify({
      accounts: { main: { ...account, key: "env:KEY" } },
      sites: { default: { account: "main", origins: [ORIGIN] } },
    }),
  );
  return {
    options,
    random,
    folder,
    mock,
    postgres,
    redis,
    cutter,
    ports,
    account,
    config,
    relays: [],
    processes: [],
    tabs: [],
    databaseUrl: postgres.url("postgres"),
  };
}

const dataOf = ({ folder }: Pick<TestbedState, "folder">, node: number): string => join(folder, String(node));

async function start(testbed: TestbedState, node: number): Promise<void> {
  const data = dataOf(testbed, node);
  mkdirSync(data, { recursive: true });
  const relay = await startRelay(testbed.options.root ?? RELAY, {
    PORT: String(testbed.ports[node]),
    HOST: "127.0.0.1",
    DATA_DIR: data,
    DATABASE_URL: testbed.databaseUrl.replace(`:${testbed.postgres.port}/`, `:${testbed.cutter.port}/`),
    PORCHLIGHT_CONFIG: testbed.config,
    KEY: testbed.account.key,
    CALLBACK_SECRET: CALLBACK_PATH.split("/").at(-1) ?? "",
    MESSAGES_PER_MINUTE: "0",
    ...(testbed.redis && { REDIS_URL: testbed.redis.url }),
    ...UNLIMITED,
    ...testbed.options.env,
  });
  testbed.relays[node] = relay;
  testbed.processes.push(relay);
}

async function end(testbed: TestbedState, node: number, signal: NodeJS.Signals): Promise<Ended | undefined> {
  const relay = testbed.relays[node];
  testbed.relays[node] = undefined;
  return relay?.kill(signal);
}

const urlOf = (testbed: TestbedState, node: number): string => `http://127.0.0.1:${testbed.ports[node]}`;

/**
 * @param node the node to connect to; absent: connect through the balancer
 * @param more replaces parts of the tab; it then connects only when the test says so
 */
function tab(testbed: RunningTestbed, name: string, node?: number, more?: Partial<TabOptions>): Tab {
  const origin = node === undefined ? testbed.balancer.url : urlOf(testbed, node);
  const made = createTab({
    name,
    person: { token: undefined, deleted: 0 },
    open: socketTo(() => origin),
    now: () => performance.now(),
    after: (ms, fn) => void setTimeout(fn, ms),
    reconnectDelay: () => 20 + testbed.random() * 80,
    ...more,
  });
  testbed.tabs.push(made);
  if (more === undefined) made.connect();
  return made;
}

/** Whether every tab has its visitor's newest number and no message is pending. */
async function settled(testbed: RunningTestbed): Promise<boolean> {
  if (![...testbed.ports.keys()].every((node) => isSpoolEmpty(dataOf(testbed, node)))) return false;
  if (testbed.tabs.some((one) => one.unsent() > 0 || !one.connected() || one.partial())) return false;
  const [outbox] = await testbed.db.all<{ waiting: number }>("SELECT count(*) AS waiting FROM outbox");
  // No further reply can start once the service has every message.
  if (outbox?.waiting !== 0 || testbed.mock.pending() > 0) return false;
  const heads = await testbed.db.all<{ id: string; head: number }>("SELECT id, head FROM visitors");
  const headOf = new Map(heads.map(({ id, head }) => [id, head]));
  return testbed.tabs.every((one) => one.head() === (headOf.get(visitorOf(one.person)) ?? 0));
}

/** Errors in the relays' logs that the injected failure does not explain. */
const unexpectedErrors = (testbed: TestbedState): string[] =>
  testbed.processes
    .flatMap(({ lines }) => lines)
    .map((line) =>
      line.startsWith("{") ? (JSON.parse(line) as { level: number; event: string }) : { level: 60, event: line },
    )
    .filter(({ level, event }) => level >= 50 && !EXPECTED.has(event))
    .map(({ event }) => `logged error: ${event}`);

/** Waits until no message is pending, then reports all violations. */
async function verdict(testbed: RunningTestbed, limitMs: number): Promise<{ violations: string[]; rows: Row[] }> {
  const isSettled = await until(() => settled(testbed), limitMs);
  const rows = await testbed.db.all<Row>(THREADS);
  const evidence = {
    tabs: testbed.tabs,
    effects: testbed.mock.effects,
    posted: testbed.mock.posted,
    rows,
    settled: isSettled,
    now: performance.now(),
    heads: await testbed.db.all<{ id: string; head: number; newest: number }>(HEADS),
    jump: 0,
    restored: false,
    unwritable: false,
  };
  return { violations: [...testbed.mock.violations, ...unexpectedErrors(testbed), ...judge(evidence)], rows };
}

async function close(testbed: RunningTestbed): Promise<void> {
  for (const one of testbed.tabs) one.close();
  await testbed.db.close().catch(() => {});
  await Promise.all([...testbed.ports.keys()].map((node) => end(testbed, node, "SIGKILL")));
  await Promise.all([testbed.mock.close(), testbed.balancer.stop(), testbed.redis?.stop(), testbed.cutter.stop()]);
  await testbed.postgres.stop();
  rmSync(testbed.folder, { recursive: true, force: true });
}

export type NodesTestbed = Awaited<ReturnType<typeof openNodes>>;
