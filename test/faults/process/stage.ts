import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freePort } from "../../ports.ts";
import { UNLIMITED } from "../../unlimited.ts";
import { seeded } from "../core/world.ts";
import { type Evidence, HEADS, judge, type Row, THREADS } from "../judge.ts";
import { createTab, type Person, type Tab, visitorOf } from "../tab.ts";
import { RELAY } from "../workers.ts";
import { type Behaviour, type Mock, startMock } from "./mock.ts";
import { type Ended, type Env, type RelayProcess, startRelay } from "./relay.ts";
import { ORIGIN, socketTo } from "./socket.ts";

const SECRET = "callback-secret-of-the-faults";

/** The fields of a log line that are checked for complaints. */
type LogLine = { level: number; event: string; cause?: string };

/**
 * Whether a reply went to the spool because the machine was busy and the database took longer than a second. Nothing is lost
 * then, and `settled` waits until the spool is empty.
 */
const isSlowMachine = ({ event, cause = "" }: LogLine): boolean =>
  event === "callback.spooled" && /The database is too slow|earlier entries wait in the spool/.test(cause);

export type StageOptions = {
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

/** A relay in a separate process, its service and its visitors, all on this machine. */
export async function openStage({
  seed,
  root = RELAY,
  env = {},
  service,
  wrapper,
  rate = 100_000,
  other,
}: StageOptions) {
  const random = seeded(seed);
  const folder = mkdtempSync(join(tmpdir(), "porchlight-stage-"));
  const mock: Mock = await startMock(random, service);
  mkdirSync(join(folder, "data"));
  const keyFile = join(folder, "key");
  const setKey = (key: string): void => writeFileSync(keyFile, `${key}\n`);
  setKey(other?.key ?? mock.behaviour.key);
  writeFileSync(
    join(folder, "sites.json"),
    JSON.stringify({
      accounts: { main: { url: other?.url ?? mock.url, key: `file:${keyFile}`, rate } },
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
  const callbackPath = `/callbacks/reply/${SECRET}`;
  const tabs: Tab[] = [];
  const processes: RelayProcess[] = [];
  let relay: RelayProcess | undefined;
  mock.callTo(`http://127.0.0.1:${settings.PORT}`, callbackPath);

  async function start(): Promise<RelayProcess> {
    relay = await startRelay(root, settings, wrapper);
    processes.push(relay);
    return relay;
  }

  /** Lets the service and the visitors use another port, that of a supervisor. */
  function meet(port: number): void {
    settings.PORT = String(port);
    mock.callTo(`http://127.0.0.1:${port}`, callbackPath);
  }

  async function end(signal: NodeJS.Signals): Promise<Ended | undefined> {
    const last = relay;
    relay = undefined;
    return last?.kill(signal);
  }

  function tab(name: string, person: Person, more: Partial<Parameters<typeof createTab>[0]> = {}): Tab {
    const first = !tabs.some((other) => other.person === person);
    const created = createTab({
      name,
      person,
      open: socketTo(() => `http://127.0.0.1:${settings.PORT}`),
      now: () => performance.now(),
      after: (ms, fn) => void setTimeout(fn, ms),
      comeBack: () => 10 + random() * 40,
      mayConnect: () => first || person.token !== undefined,
      ...more,
    });
    tabs.push(created);
    created.connect();
    return created;
  }

  /** Reads rows of the database while the relay runs. */
  function read<T>(sql: string): T[] {
    const db = new DatabaseSync(database, { readOnly: true });
    try {
      return db.prepare(sql).all() as T[];
    } finally {
      db.close();
    }
  }

  /** Replies that the relay answered with 200 wait in a file, as whole lines, until the database takes them. */
  function isSpoolEmpty(): boolean {
    const files = readdirSync(join(folder, "data")).filter((name) => /\.spool\b/.test(name));
    try {
      return files.every((name) => !readFileSync(join(folder, "data", name), "utf8").includes("}\n"));
    } catch {
      // The relay has just renamed or removed the file.
      return false;
    }
  }

  /** Whether every tab has its visitor's newest number and no message is pending. */
  function settled(): boolean {
    if (!isSpoolEmpty()) return false;
    if (mock.pending() > 0 || tabs.some((one) => one.unsent() > 0 || !one.connected() || one.partial())) return false;
    const [outbox] = read<{ waiting: number }>("SELECT count(*) AS waiting FROM outbox");
    const heads = new Map(
      read<{ id: string; head: number }>("SELECT id, head FROM visitors").map(({ id, head }) => [id, head]),
    );
    return outbox?.waiting === 0 && tabs.every((one) => one.held() === (heads.get(visitorOf(one.person)) ?? 0));
  }

  /** Complaints in the logs of all of the relay's processes, except those that the suite expects. */
  const complaints = (expected: readonly string[]): string[] =>
    processes
      .flatMap(({ lines }) => lines)
      .map((line) => (line.startsWith("{") ? (JSON.parse(line) as LogLine) : { level: 60, event: line }))
      .filter((line) => line.level >= 50 && !expected.includes(line.event) && !isSlowMachine(line))
      .map(({ event }) => `complaint: ${event}`);

  /** Increases whenever a message or a reply makes progress. */
  const moved = (): number => mock.effects.length + mock.posted.length + tabs.reduce((sum, one) => sum + one.held(), 0);

  /**
   * Waits until no message is pending. Gives up after `limitMs` without progress, or after five times `limitMs`. A long backlog
   * on a slow machine is not a stall.
   * @returns whether no message is pending
   */
  async function settles(limitMs: number): Promise<boolean> {
    const end = performance.now() + 5 * limitMs;
    let last = moved();
    while (performance.now() < end) {
      if (!(await until(() => settled() || moved() !== last, limitMs))) return false;
      if (settled()) return true;
      last = moved();
    }
    return false;
  }

  /** Waits until no message is pending, then returns all violations. */
  async function verdict(
    more: Partial<Evidence> & { expected?: readonly string[] } = {},
    limitMs = 180_000,
  ): Promise<{ violations: string[]; rows: Row[] }> {
    const calm = await settles(limitMs);
    const rows = read<Row>(THREADS);
    const evidence: Evidence = {
      tabs,
      effects: mock.effects,
      posted: mock.posted,
      rows,
      heads: read(HEADS),
      calm,
      now: performance.now(),
      jump: 0,
      restored: false,
      nowhere: false,
      ...more,
    };
    return { violations: [...mock.violations, ...complaints(more.expected ?? []), ...judge(evidence)], rows };
  }

  /** Closes a tab and excludes it from later checks. */
  function leave(gone: Tab): void {
    gone.close();
    tabs.splice(tabs.indexOf(gone), 1);
  }

  async function close(): Promise<void> {
    for (const one of tabs) one.close();
    await end("SIGKILL");
    await mock.close();
    rmSync(folder, { recursive: true, force: true });
  }

  return {
    random,
    folder,
    database,
    settings,
    callbackPath,
    mock,
    tabs,
    processes,
    setKey,
    meet,
    start,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    relay: (): RelayProcess | undefined => relay,
    url: (): string => `http://127.0.0.1:${settings.PORT}`,
    tab,
    leave,
    read,
    settled,
    verdict,
    close,
  };
}

export type Stage = Awaited<ReturnType<typeof openStage>>;

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
export function visit(stage: Stage, name: string, tabs: number, more: Parameters<Stage["tab"]>[2] = {}): Tab[] {
  const person: Person = { token: undefined, deleted: 0 };
  return Array.from({ length: tabs }, (_, i) => stage.tab(`${name}-tab${i}`, person, more));
}
