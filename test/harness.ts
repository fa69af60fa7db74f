/**
 * Starts the whole product on free ports: the sandbox of the service, the relay, and a host site on another origin.
 *
 *   const harness = await startHarness();
 *   const visitor = harness.visitor();
 *   await visitor.connect();
 *   await visitor.send("Hello");
 *   await visitor.receives("echo: Hello");
 *   await harness.stop();
 */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FaultRule } from "../relay/sandbox/fault.ts";
import type { Profile, SandboxConfig } from "../relay/sandbox/options.ts";
import { PROFILES } from "../relay/sandbox/profiles.ts";
import { type Sandbox, startSandbox } from "../relay/sandbox/server.ts";
import { type CheckingProxy, startCheckingProxy } from "./contract/checking-proxy.ts";
import { type Host, startHost, type Tag } from "./host.ts";
import { freePort } from "./ports.ts";
import { type Env, type Run, type Running, runInside } from "./relays.ts";
import { makeDatabase, NODES } from "./setup/nodes.ts";
import { UNLIMITED } from "./unlimited.ts";
import { createVisitor, type Visitor, type VisitorOptions } from "./visitor.ts";

/** The account's key, with every character that must be escaped in a query. */
export const KEY = "canary+key/with=odd&chars";
/** The account owner's id in the service's callbacks. It is a secret. */
export const OWNER = "usr_canary_owner";
const SECRET = "callback-secret-of-the-tests";

/** The sandbox's profile (BEHAVIOUR 4.11). The projects of vitest.config.ts set it. */
export const PROFILE = (process.env.SANDBOX_PROFILE ?? "strict") as Profile;
/** Seed of the faults in the profile chaos: SANDBOX_SEED, else 1. */
const SEED = Number(process.env.SANDBOX_SEED ?? 1);
/**
 * Sandbox options for a test that counts calls to the service: no random faults, also in the profile chaos. Callbacks still
 * arrive twice and in another order there, and answers are still delayed.
 */
export const NO_RANDOM_FAULTS: Partial<SandboxConfig> = { errorRate: [] };

/** Calls that the relay may repeat automatically, because the service recognises a repeat. */
const REPEATABLE = ["incoming", "createContact", "findContact", "addToList"] as const;
const leavesNoDoubt = ({ kind, status }: FaultRule): boolean => kind === "delay" || status === 429;

/**
 * Sandbox options for a test that sends or grants: the profile's faults, except answers to `send` and `credits` that leave the
 * outcome open. The relay must not repeat such a call, which other tests check.
 */
export const NO_UNKNOWN_OUTCOMES: Partial<SandboxConfig> = {
  errorRate: (PROFILES[PROFILE].errorRate ?? []).flatMap((rule) => [
    ...REPEATABLE.map((route) => ({ ...rule, route })),
    ...(leavesNoDoubt(rule)
      ? [
          { ...rule, route: "send" as const },
          { ...rule, route: "credits" as const },
        ]
      : []),
  ]),
};

export type HarnessOptions = {
  /** Additional settings of the relay. */
  env?: Env;
  /** Options of the sandbox. */
  sandbox?: Partial<SandboxConfig>;
  /** How the relay runs: `runInside` (default) or `runProcess`. */
  run?: Run;
  /** The account's initial `rate`, in calls per minute. Written to a configuration file. */
  rate?: number;
  /** Additional settings of the account and of the site, in the same file. */
  account?: object;
  site?: object;
  /** Sites besides `default`, by key. They inherit its origins and account. */
  sites?: Record<string, object>;
  /** The tag on the host's pages. */
  tag?: Tag;
};

export type Harness = {
  sandbox: Sandbox;
  /** The service's base address for the relay. `stop` rejects when a call to it violated the interface. */
  serviceUrl: string;
  /** The relay's address; the same after a restart. With several nodes, the first one's. */
  url: string;
  /** Address of the relay's database. */
  databaseUrl: string;
  /** Origin of the host pages, which contain the tag. */
  host: string;
  /** Where the service posts replies. With several nodes, at the last one. */
  callbackUrl: string;
  dataDir: string;
  /** The log lines of every relay that this harness has run. */
  lines: () => string[];
  /** A scripted visitor of the host pages. With several nodes, they connect to each in turn. Stopping the harness closes its connection. */
  visitor: (options?: VisitorOptions) => Visitor;
  /** Kills the relay with SIGKILL. Needs `runProcess`. */
  kill: () => Promise<void>;
  /** Starts the relay again after `kill` or `halt`, on the same port and data. `more`: settings for this run only. */
  start: (more?: Env) => Promise<void>;
  /** Stops the relay as SIGTERM does. */
  halt: () => Promise<void>;
  stop: () => Promise<void>;
};

/** The parts of a harness, and what changes when the relay starts and stops. */
type HarnessState = {
  options: HarnessOptions;
  dataDir: string;
  sandbox: Sandbox;
  serviceProxy: CheckingProxy;
  host: Host;
  /** Settings of every relay. */
  env: Env;
  /** Settings of each relay: its port and its folder. */
  own: Env[];
  /** The running relays' addresses. Empty before the first start; kept while they are stopped. */
  urls: string[];
  running: Running[];
  /** Log lines of the relays that have ended. */
  lines: string[];
  visitors: Visitor[];
};

/** @throws Error when the relay does not start; `stop` rejects when the relay violated the service's interface */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const harness = await createParts(options);
  const { sandbox, serviceProxy, host, dataDir, env } = harness;
  await start(harness);
  return {
    sandbox,
    serviceUrl: serviceProxy.url,
    host: host.url,
    dataDir,
    databaseUrl: env.DATABASE_URL ?? `sqlite:${join(dataDir, "porchlight.db")}`,
    get url() {
      return harness.urls[0] ?? "";
    },
    get callbackUrl() {
      return `${harness.urls.at(-1)}/callbacks/reply/${SECRET}`;
    },
    lines: () => [...harness.lines, ...harness.running.flatMap((relay) => relay.lines)],
    visitor(given = {}) {
      const visitor = createVisitor(harness.urls[harness.visitors.length % harness.urls.length] ?? "", {
        origin: host.url,
        ...given,
      });
      harness.visitors.push(visitor);
      return visitor;
    },
    kill: () => end(harness, "kill"),
    halt: () => end(harness, "stop"),
    start: (more) => start(harness, more),
    stop: () => stop(harness),
  };
}

/** Stops the relay, and starts it on an empty SQLite database: visitors' tokens and ids are valid, but have no rows. */
export async function loseDatabase({ dataDir, halt, start }: Harness): Promise<void> {
  await halt();
  for (const name of ["db", "db-wal", "db-shm", "db.seal"])
    await rm(join(dataDir, `porchlight.${name}`), { force: true });
  await start();
}

/** Starts the sandbox and the host site, and writes the relay's configuration. The relay does not run yet. */
async function createParts(options: HarnessOptions): Promise<HarnessState> {
  const dataDir = await mkdtemp(join(tmpdir(), "porchlight-"));
  const sandbox = await startSandbox({
    config: { profile: PROFILE, seed: SEED, apiKey: KEY, userId: OWNER, rateLimit: 0, ...options.sandbox },
  });
  const serviceProxy = await startCheckingProxy(sandbox.url);
  const urls: string[] = [];
  const host = await startHost(() => urls[0] ?? "", options.tag);
  const config = configOf(options, serviceProxy.url, host.url);
  const env: Env = {
    HOST: "127.0.0.1",
    SERVICE_URL: serviceProxy.url,
    SERVICE_API_KEY: KEY,
    CALLBACK_SECRET: SECRET,
    ALLOWED_ORIGINS: host.url,
    ...UNLIMITED,
    ...(NODES > 1 ? { DATABASE_URL: await makeDatabase() } : {}),
    ...(config === undefined ? {} : { PORCHLIGHT_CONFIG: join(dataDir, "sites.json") }),
    ...options.env,
  };
  const own: Env[] = [];
  for (let node = 0; node < NODES; node++) {
    const folder = node === 0 ? dataDir : join(dataDir, `node${node}`);
    await mkdir(folder, { recursive: true });
    own.push({ PORT: String(await freePort()), DATA_DIR: folder });
  }
  if (config !== undefined) await writeFile(join(dataDir, "sites.json"), JSON.stringify(config));
  return { options, dataDir, sandbox, serviceProxy, host, env, own, urls, running: [], lines: [], visitors: [] };
}

/** The content of the configuration file; undefined when the options need none. */
function configOf({ rate, account, site, sites }: HarnessOptions, service: string, origin: string): object | undefined {
  if ([rate, account, site, sites].every((given) => given === undefined)) return undefined;
  const accounts = { default: { url: service, key: "env:SERVICE_API_KEY", rate: rate ?? 10_000, ...account } };
  const main = { account: "default", origins: [origin], ...site };
  const others = Object.entries(sites ?? {}).map(([id, other]) => [id, { ...main, ...other }]);
  return { accounts, sites: { default: main, ...Object.fromEntries(others) } };
}

async function start(harness: HarnessState, more: Env = {}): Promise<void> {
  const run = harness.options.run ?? runInside;
  for (const each of harness.own) harness.running.push(await run({ ...each, ...harness.env, ...more }));
  harness.urls.splice(0, Infinity, ...harness.running.map(({ port }) => `http://127.0.0.1:${port}`));
  harness.sandbox.configure({ callbackUrl: `${harness.urls.at(-1)}/callbacks/reply/${SECRET}` });
}

async function end(harness: HarnessState, how: "stop" | "kill"): Promise<void> {
  const ending = harness.running;
  harness.running = [];
  await Promise.all(ending.map((relay) => relay[how]()));
  harness.lines.push(...ending.flatMap((relay) => relay.lines));
}

async function stop(harness: HarnessState): Promise<void> {
  await Promise.all(harness.visitors.map((visitor) => visitor.drop()));
  await end(harness, "stop");
  await Promise.all([harness.host.stop(), harness.serviceProxy.stop(), harness.sandbox.close()]);
  await rm(harness.dataDir, { recursive: true, force: true });
  if (harness.serviceProxy.violations.length > 0)
    throw new Error(`Against the interface: ${harness.serviceProxy.violations.join(" | ")}`);
}
