import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { seededRandom } from "@porchlight/shared/seeded-random";
import { freePort } from "../../ports.ts";
import { UNLIMITED } from "../../unlimited.ts";
import { type Evidence, HEADS, judge, type Row, THREADS } from "../judge.ts";
import { createTab, type Person, type Tab, type TabOptions, visitorOf } from "../tab.ts";
import { RELAY } from "../workers.ts";
import { type Behaviour, type Mock, startMock } from "./mock.ts";
import { type Ended, type Env, type RelayProcess, startRelay } from "./relay.ts";
import { ORIGIN, socketTo } from "./socket.ts";

const SECRET = "callback-secret-of-the-faults";
const CALLBACK_PATH = `/callbacks/reply/${SECRET}`;

/** The fields of a log line by which an unexpected error is found. */
type LogLine = { level: number; event: string; cause?: string };

/**
 * Whether a reply went to the spool because the machine was busy and the database took longer than a second. Nothing is lost
 * then, and `settled` waits until the spool is empty.
 */
const isSlowMachine = ({ event, cause = "" }: LogLine): boolean =>
  event === "callback.spooled" && /The database is too slow|earlier entries wait in the spool/.test(cause);

export type TestbedOptions = {
  seed: number;
  /** Folder of the relay's sources: the real ones, or a changed copy. */
  root?: string | undefined;
  env?: Env;
  service?: Partial<Behaviour>;
  wrapper?: readonly string[];
  /** Calls a minute at the start. High, because most runs do not test the pacer. */
  rate?: number;
  /** A service that replaces the mock, and its key. */
  other?: { url: string; key: string };
};

type TestbedState = {
  /** Folder of the relay's sources. */
  root: string;
  wrapper: readonly string[] | undefined;
  random: () => number;
  folder: string;
  mock: Mock;
  /** The relay's environment. */
  settings: Env;
  /** Path of the SQLite file. */
  database: string;
  tabs: Tab[];
  /** Every process of the relay so far, the present one too. */
  processes: RelayProcess[];
  relay: RelayProcess | undefined;
};

/** A relay in a separate process, its service and its visitors, all on this machine. */
export async function openTestbed(options: TestbedOptions) {
  const testbed = await createState(options);
  const { random, folder, database, settings, mock, tabs, processes } = testbed;
  return {
    random,
    folder,
    database,
    settings,
    callbackPath: CALLBACK_PATH,
    mock,
    tabs,
    processes,
    setKey: (key: string) => setKey(folder, key),
    usePort: (port: number) => usePort(testbed, port),
    start: () => start(testbed),
    kill: () => end(testbed, "SIGKILL"),
    stop: () => end(testbed, "SIGTERM"),
    relay: (): RelayProcess | undefined => testbed.relay,
    url: (): string => `http://127.0.0.1:${settings.PORT}`,
    tab: (name: string, person: Person, more?: Partial<TabOptions>) => tab(testbed, name, person, more),
    removeTab: (gone: Tab) => removeTab(testbed, gone),
    read: <T>(sql: string) => read<T>(testbed, sql),
    settled: () => settled(testbed),
    verdict: (more?: Partial<Evidence> & { expected?: readonly string[] }, limitMs?: number) =>
      verdict(testbed, more, limitMs),
    close: () => close(testbed),
  };
}

/** Starts the mock, and writes the configuration of a relay that has not started yet. */
async function createState(options: TestbedOptions): Promise<TestbedState> {
  const { seed, root = RELAY, env = {}, service, wrapper, rate = 100_000, other } = options;
  const random = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), "porchlight-test-"));
  const mock: Mock = await startMock(random, service);
  mkdirSync(join(folder, "data"));
  setKey(folder, other?.key ?? mock.behaviour.key);
  writeFileSync(
    join(folder, "sites.json"),
    JSON.stringify({
      accounts: { main: { url: other?.url ?? mock.url, key: `file:${keyFile(folder)}`, rate } },
      sites: { default: { account: "main", origins: [ORIGIN] } },
    }),
  );
  const settings: Env = {
    // Kept over restarts. The system could give a port of its own range to a client while the relay is down.
    PORT: String(await freePort()),
    HOST: "127.0.0.1",
    DATA_DIR: join(folder, "data"),
    PORCHLIGHT_CONFIG: join(folder, "sites.json"),
    CALLBACK_SECRET: SECRET,
    MESSAGES_PER_MINUTE: "0",
    ...UNLIMITED,
    ...env,
  };
  const database = env.DATABASE_URL?.replace("sqlite:", "") ?? join(folder, "data", "porchlight.db");
  mock.callTo(`http://127.0.0.1:${settings.PORT}`, CALLBACK_PATH);
  return { root, wrapper, random, folder, mock, settings, database, tabs: [], processes: [], relay: undefined };
}

const keyFile = (folder: string): string => join(folder, "key");

const setKey = (folder: string, key: string): void => writeFileSync(keyFile(folder), `${key}\n`);

async function start(testbed: TestbedState): Promise<RelayProcess> {
  testbed.relay = await startRelay(testbed.root, testbed.settings, testbed.wrapper);
  testbed.processes.push(testbed.relay);
  return testbed.relay;
}

/** Lets the service and the visitors use a supervisor's port. */
function usePort(testbed: TestbedState, port: number): void {
  testbed.settings.PORT = String(port);
  testbed.mock.callTo(`http://127.0.0.1:${port}`, CALLBACK_PATH);
}

async function end(testbed: TestbedState, signal: NodeJS.Signals): Promise<Ended | undefined> {
  const last = testbed.relay;
  testbed.relay = undefined;
  return last?.kill(signal);
}

function tab(testbed: TestbedState, name: string, person: Person, more: Partial<TabOptions> = {}): Tab {
  const first = !testbed.tabs.some((other) => other.person === person);
  const created = createTab({
    name,
    person,
    open: socketTo(() => `http://127.0.0.1:${testbed.settings.PORT}`),
    now: () => performance.now(),
    after: (ms, fn) => void setTimeout(fn, ms),
    reconnectDelay: () => 10 + testbed.random() * 40,
    mayConnect: () => first || person.token !== undefined,
    ...more,
  });
  testbed.tabs.push(created);
  created.connect();
  return created;
}

/** Reads rows of the database while the relay runs. */
function read<T>(testbed: TestbedState, sql: string): T[] {
  const db = new DatabaseSync(testbed.database, { readOnly: true });
  try {
    return db.prepare(sql).all() as T[];
  } finally {
    db.close();
  }
}

/** Replies that the relay answered with 200 wait in a file, as whole lines, until the database takes them. */
export function isSpoolEmpty(data: string): boolean {
  const files = readdirSync(data).filter((name) => /\.spool\b/.test(name));
  try {
    return files.every((name) => !readFileSync(join(data, name), "utf8").includes("}\n"));
  } catch {
    // The relay has just renamed or removed the file.
    return false;
  }
}

/** Whether every tab has its visitor's newest number and no message is pending. */
function settled(testbed: TestbedState): boolean {
  if (!isSpoolEmpty(join(testbed.folder, "data"))) return false;
  if (testbed.mock.pending() > 0 || testbed.tabs.some((one) => one.unsent() > 0 || !one.connected() || one.partial()))
    return false;
  const [outbox] = read<{ waiting: number }>(testbed, "SELECT count(*) AS waiting FROM outbox");
  const heads = new Map(
    read<{ id: string; head: number }>(testbed, "SELECT id, head FROM visitors").map(({ id, head }) => [id, head]),
  );
  return outbox?.waiting === 0 && testbed.tabs.every((one) => one.head() === (heads.get(visitorOf(one.person)) ?? 0));
}

/** Errors in the logs of all of the relay's processes, except those that the suite expects. */
const unexpectedErrors = (testbed: TestbedState, expected: readonly string[]): string[] =>
  testbed.processes
    .flatMap(({ lines }) => lines)
    .map((line) => (line.startsWith("{") ? (JSON.parse(line) as LogLine) : { level: 60, event: line }))
    .filter((line) => line.level >= 50 && !expected.includes(line.event) && !isSlowMachine(line))
    .map(({ event }) => `logged error: ${event}`);

/** Increases whenever a message or a reply makes progress. */
const progressOf = (testbed: TestbedState): number =>
  testbed.mock.effects.length + testbed.mock.posted.length + testbed.tabs.reduce((sum, one) => sum + one.head(), 0);

/**
 * Waits until no message is pending. Gives up after `limitMs` without progress, or after five times `limitMs`. A long backlog
 * on a slow machine is not a stall.
 * @returns whether no message is pending
 */
async function settles(testbed: TestbedState, limitMs: number): Promise<boolean> {
  const end = performance.now() + 5 * limitMs;
  let last = progressOf(testbed);
  while (performance.now() < end) {
    if (!(await until(() => settled(testbed) || progressOf(testbed) !== last, limitMs))) return false;
    if (settled(testbed)) return true;
    last = progressOf(testbed);
  }
  return false;
}

/** Waits until no message is pending, then returns all violations. */
async function verdict(
  testbed: TestbedState,
  more: Partial<Evidence> & { expected?: readonly string[] } = {},
  limitMs = 180_000,
): Promise<{ violations: string[]; rows: Row[] }> {
  const isSettled = await settles(testbed, limitMs);
  const rows = read<Row>(testbed, THREADS);
  const evidence: Evidence = {
    tabs: testbed.tabs,
    effects: testbed.mock.effects,
    posted: testbed.mock.posted,
    rows,
    heads: read(testbed, HEADS),
    settled: isSettled,
    now: performance.now(),
    jump: 0,
    restored: false,
    unwritable: false,
    ...more,
  };
  return {
    violations: [...testbed.mock.violations, ...unexpectedErrors(testbed, more.expected ?? []), ...judge(evidence)],
    rows,
  };
}

/** Closes a tab and excludes it from later checks. */
function removeTab(testbed: TestbedState, gone: Tab): void {
  gone.close();
  testbed.tabs.splice(testbed.tabs.indexOf(gone), 1);
}

async function close(testbed: TestbedState): Promise<void> {
  for (const one of testbed.tabs) one.close();
  await end(testbed, "SIGKILL");
  await testbed.mock.close();
  rmSync(testbed.folder, { recursive: true, force: true });
}

export type Testbed = Awaited<ReturnType<typeof openTestbed>>;

/** Polls until the condition holds. @returns false if it did not hold in time */
export async function until(condition: () => boolean | Promise<boolean>, limitMs = 60_000): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

/** A person with this number of tabs. */
export function visit(testbed: Testbed, name: string, tabs: number, more: Parameters<Testbed["tab"]>[2] = {}): Tab[] {
  const person: Person = { token: undefined, deleted: 0 };
  return Array.from({ length: tabs }, (_, i) => testbed.tab(`${name}-tab${i}`, person, more));
}
