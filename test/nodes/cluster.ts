/**
 * Several relays as processes on one PostgreSQL, with one sandbox of the service:
 *
 *   const cluster = await startCluster({ nodes: 2 });
 *   cluster.sendCallbacksTo(0);
 *   const visitor = cluster.visitor(1);
 */

import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Sandbox, startSandbox } from "../../relay/sandbox/server.ts";
import { freePort } from "../ports.ts";
import { type Env, type Run, type Running, runFrom, runProcess } from "../relays.ts";
import { type Postgres, startPostgres } from "../setup/postgres.ts";
import { type Redis, startRedis } from "../setup/redis.ts";
import { UNLIMITED } from "../unlimited.ts";
import { createVisitor, type Visitor } from "../visitor.ts";

const KEY = "key-of-the-cluster";
export const SECRET = "callback-secret-of-the-cluster";
export const ORIGIN = "https://shop.example";

export type Cluster = {
  sandbox: Sandbox;
  postgres: Postgres;
  /** Absent when PostgreSQL transports the hints. */
  redis: Redis | undefined;
  /** The service posts replies to this node from now on. */
  sendCallbacksTo: (node: number) => void;
  url: (node: number) => string;
  /** A scripted visitor of this node; its connection is closed with the cluster. */
  visitor: (node: number, token?: string) => Visitor;
  /** Which node sends messages to the service. */
  holder: () => number;
  /** Ends a node like a power cut. */
  kill: (node: number) => Promise<void>;
  /** Ends a node with SIGTERM. */
  end: (node: number) => Promise<void>;
  /**
   * Starts a node again, on the same port and data folder.
   * @param more settings for this run only
   * @param root folder of its sources, such as those of another version; absent: this version
   */
  start: (node: number, more?: Env, root?: string) => Promise<void>;
  /** Pauses or resumes a node's process. */
  signal: (node: number, signal: "SIGSTOP" | "SIGCONT") => void;
  /** Address of the database. */
  databaseUrl: string;
  /** The log lines of a node since its last start. */
  lines: (node: number) => string[];
  stop: () => Promise<void>;
};

type ClusterOptions = {
  nodes: number;
  redis?: boolean;
  env?: Env;
  root?: string | undefined;
  run?: Run;
  prepare?: (databaseUrl: string) => Promise<void>;
};

/** What a node needs to start, and the running nodes. */
type ClusterState = {
  options: ClusterOptions;
  folder: string;
  postgres: Postgres;
  redis: Redis | undefined;
  sandbox: Sandbox;
  /** Each node's port. */
  ports: number[];
  running: (Running | undefined)[];
};

/**
 * Starts the nodes.
 * @param options.redis Redis transports the hints
 * @param options.env settings of every node besides those that connect the parts
 * @param options.root folder of the nodes' sources; absent: this version
 * @param options.run runs a node; absent: as a process
 * @param options.prepare called with the address of the empty database before the nodes start
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), "porchlight-nodes-"));
  const postgres = await startPostgres();
  const redis = options.redis ? await startRedis() : undefined;
  const sandbox = await startSandbox({ config: { apiKey: KEY, rateLimit: 0, seed: 1 } });
  const ports = await Promise.all(Array.from({ length: options.nodes }, () => freePort()));

  const cluster: ClusterState = { options, folder, postgres, redis, sandbox, ports, running: [] };

  const visitors: Visitor[] = [];

  await options.prepare?.(postgres.url("postgres"));
  await Promise.all(ports.map((_, node) => mkdir(join(folder, String(node)))));
  await Promise.all(ports.map((_, node) => start(cluster, node)));
  return {
    sandbox,
    postgres,
    redis,
    databaseUrl: postgres.url("postgres"),
    url: (node) => urlOf(cluster, node),
    sendCallbacksTo: (node) => sandbox.configure({ callbackUrl: `${urlOf(cluster, node)}/callbacks/reply/${SECRET}` }),
    visitor(node, token) {
      const visitor = createVisitor(urlOf(cluster, node), { origin: ORIGIN, ...(token && { token }) });
      visitors.push(visitor);
      return visitor;
    },
    holder: () => ports.map((_, node) => node).reduce((a, b) => (takenAt(cluster, b) > takenAt(cluster, a) ? b : a)),
    async kill(node) {
      await runningNode(cluster, node).kill();
      cluster.running[node] = undefined;
    },
    async end(node) {
      await runningNode(cluster, node).stop();
      cluster.running[node] = undefined;
    },
    start: (node, more, root) => start(cluster, node, more, root),
    signal: (node, signal) => void process.kill(runningNode(cluster, node).pid, signal),
    lines: (node) => runningNode(cluster, node).lines,
    async stop() {
      await Promise.all(visitors.map((visitor) => visitor.drop()));
      await Promise.all(cluster.running.map((relay) => relay?.stop()));
      await Promise.all([sandbox.close(), postgres.stop(), redis?.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const urlOf = (cluster: ClusterState, node: number): string => `http://127.0.0.1:${cluster.ports[node]}`;

async function start(cluster: ClusterState, node: number, more: Env = {}, root = cluster.options.root): Promise<void> {
  const run = root === undefined ? (cluster.options.run ?? runProcess) : runFrom(root);
  cluster.running[node] = await run({
    PORT: String(cluster.ports[node]),
    HOST: "127.0.0.1",
    DATA_DIR: join(cluster.folder, String(node)),
    DATABASE_URL: cluster.postgres.url("postgres"),
    SERVICE_URL: cluster.sandbox.url,
    SERVICE_API_KEY: KEY,
    CALLBACK_SECRET: SECRET,
    ALLOWED_ORIGINS: ORIGIN,
    MESSAGES_PER_MINUTE: "0",
    ...(cluster.redis && { REDIS_URL: cluster.redis.url }),
    ...UNLIMITED,
    ...cluster.options.env,
    ...more,
  });
}

const runningNode = (cluster: ClusterState, node: number): Running =>
  cluster.running[node] ?? fail(`Node ${node} does not run`);

/** When a node last logged that it took the account's lease, in milliseconds since 1970; 0: never. */
const takenAt = (cluster: ClusterState, node: number): number => {
  const taken = (cluster.running[node]?.lines ?? []).filter((line) => line.includes('"account:default"'));
  const { time } = JSON.parse(taken.at(-1) ?? "{}") as { time?: string };
  return time === undefined ? 0 : Date.parse(time);
};

function fail(why: string): never {
  throw new Error(why);
}
