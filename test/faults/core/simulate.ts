import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "@porchlight/shared/seeded-random";
import { type Evidence, HEADS, judge, THREADS } from "../judge.ts";
import { createTab, type Person, type Tab, visitorOf } from "../tab.ts";
import { arrangeMachine, arrangePeople, arrangeService, type Node, type Run, start } from "./arrange.ts";
import { openBackend } from "./backend.ts";
import type { Core } from "./core.ts";
import { draw, HOUR, type Scenario } from "./scenario.ts";
import { createService } from "./service.ts";
import type { SimulatedRelay } from "./simulated-relay.ts";
import { openTabConnection } from "./tab-connection.ts";
import { createWorld, type World } from "./world.ts";

export type Figures = {
  acked: number;
  effects: number;
  accepted: number;
  shown: number;
  calls: number;
  gaps: number;
  resets: number;
  failed: number;
  /** A hash of all events: the same seed gives the same one. */
  trace: string;
};
export type Verdict = { seed: number; violations: string[]; figures: Figures };

/** A folder in memory is fast; the simulation, not the disk, decides what a crash leaves behind. */
const MEMORY_FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** A node that runs, chosen at random if there are several. */
function anyRelay({ world, nodes }: Run): SimulatedRelay | undefined {
  const running = nodes.flatMap(({ relay }) => relay ?? []);
  return running.length < 2 ? running[0] : running[world.pick(0, running.length - 1)];
}

/** @returns a check whether for 5 s every tab has sent and received everything, and nothing has waited in the relay */
function quiet(run: Run): () => boolean {
  const { world, tabs, nodes, service, scenario } = run;
  let waiting = 1;
  let heads = new Map<string, number>();
  const check = async (): Promise<void> => {
    const relay = anyRelay(run);
    if (relay === undefined) return;
    waiting = await relay.waiting();
    const rows = await relay.rows<{ id: string; head: number }>("SELECT id, head FROM visitors");
    heads = new Map(rows.map(({ id, head }) => [id, head]));
  };
  const again = (): void => void check().then(() => world.after(2_000, again));
  world.after(run.failuresEnd, again);
  const settled = (tab: Tab): boolean =>
    tab.connected() &&
    tab.unsent() === 0 &&
    !tab.partial() &&
    tab.typed.length + tab.deletedTyped.length === scenario.messages &&
    tab.head() === (heads.get(visitorOf(tab.person)) ?? 0) &&
    (!scenario.retries || tab.failing().length === 0);
  const still = (): boolean =>
    world.now() > run.failuresEnd + 30_000 &&
    waiting === 0 &&
    nodes.every(({ relay }) => relay?.spooled() === false) &&
    service.pending() === 0 &&
    tabs.every(settled);
  // Long enough for another check: committed changes have reached every tab by then.
  let since: number | undefined;
  return () => {
    since = still() ? (since ?? world.now()) : undefined;
    return since !== undefined && world.now() - since > 5_000;
  };
}

function createNode(scenario: Scenario, folder: string, n: number): Node {
  const machine = {
    file: join(folder, "world.db"),
    folder: join(folder, String(n)),
    full: false,
    spoolFull: false,
    hintLoss: scenario.hintLoss,
    key: "key-1",
    shift: 0,
    name: `node${n}`,
    starts: 0,
  };
  mkdirSync(machine.folder);
  return { machine, relay: undefined, started: [], starting: undefined };
}

/** Several nodes share one database, which outlives them. */
async function openShared(
  core: Core,
  world: World,
  { nodes, stalls }: Scenario,
  file: string,
): Promise<Run["backend"]> {
  if (nodes === 1) return undefined;
  const disk = core.openSqlite(file, { defer: (fn) => void world.after(1, fn) });
  const ready = core.migrate(disk).then(() => openBackend(world, disk));
  let backend: Run["backend"];
  void ready.then((open) => {
    backend = Object.assign(open, { stalls });
  });
  await world.run(() => backend !== undefined, HOUR);
  return backend;
}

/** Sends a callback to a node. A load balancer tries another one when the first does not answer. */
async function balance(run: Pick<Run, "world" | "nodes">, body: string): Promise<number | undefined> {
  const first = run.nodes.length < 2 ? 0 : run.world.pick(0, run.nodes.length - 1);
  for (const node of [...run.nodes.slice(first), ...run.nodes.slice(0, first)]) {
    const status = await node.relay?.callback(body);
    if (status !== undefined) return status;
  }
  return undefined;
}

async function createRun(core: Core, world: World, scenario: Scenario, folder: string): Promise<Run> {
  const nodes = Array.from({ length: scenario.nodes }, (_, n) => createNode(scenario, folder, n));
  const backend = await openShared(core, world, scenario, join(folder, "world.db"));
  const service = createService(world, (body) => balance({ world, nodes }, body));
  service.state.behaviour = scenario.behaviour;
  const failuresEnd = Math.max(scenario.failureMs, scenario.failureMs + scenario.outage * HOUR);
  const people: Person[] = Array.from({ length: scenario.visitors }, () => ({ token: undefined, deleted: 0 }));
  const away = new Set<Tab>();
  const places = new Map<Tab, SimulatedRelay | undefined>();
  const tabs = people.flatMap((person, v) =>
    Array.from({ length: scenario.tabs }, (_, t) => {
      const tab: Tab = createTab({
        name: `visitor${v}-tab${t}`,
        person,
        open(events) {
          const relay = anyRelay(run);
          places.set(tab, relay);
          return relay === undefined || away.has(tab) ? undefined : openTabConnection(world, relay, events);
        },
        now: world.now,
        after: (ms, fn) => void world.after(ms, fn),
        reconnectDelay: () => world.pick(50, 1_500),
        // A person's tabs share the token that the first one gets.
        mayConnect: () => t === 0 || person.token !== undefined,
        // Waits like the widget: without a token, a message sent again over a second connection would be another visitor's.
        maySend: () => scenario.nodes === 1 || person.token !== undefined,
        retryAfter: scenario.retries ? () => Math.max(0, failuresEnd - world.now()) + world.pick(0, 5_000) : undefined,
      });
      return tab;
    }),
  );
  const run = {
    world,
    core,
    nodes,
    backend,
    service,
    scenario,
    tabs,
    people,
    failuresEnd,
    broken: new Set<string>(),
    away,
    places,
  };
  return run;
}

/** Derives ids from the seed, so that a seed repeats the run exactly. */
function seedIds(seed: number): () => void {
  const random = seededRandom(seed ^ 0x5eed);
  const getRandomValues = (bytes: Uint8Array): Uint8Array => bytes.map(() => Math.floor(random() * 256));
  Object.defineProperty(globalThis.crypto, "getRandomValues", { value: getRandomValues, configurable: true });
  return () => void Reflect.deleteProperty(globalThis.crypto, "getRandomValues");
}

async function gather(run: Run, settled: boolean): Promise<Evidence> {
  const { tabs, service, scenario, world } = run;
  const relay = anyRelay(run);
  const rows = async <Row>(sql: string): Promise<Row[]> => (await relay?.rows<Row>(sql)) ?? [];
  return {
    tabs,
    effects: service.effects,
    posted: service.posted,
    rows: await rows(THREADS),
    heads: await rows(HEADS),
    settled,
    now: world.now(),
    jump: scenario.jump,
    restored: scenario.restore,
    unwritable: scenario.spoolFull,
  };
}

function figuresOf({ tabs, service }: Run, { rows, effects, posted, now }: Evidence): Figures {
  const sum = (of: (tab: Tab) => number): number => tabs.reduce((total, tab) => total + of(tab), 0);
  return {
    acked: sum((tab) => tab.acked.size),
    effects: effects.length,
    accepted: posted.filter(({ status }) => status === 200).length,
    shown: rows.filter(({ author }) => author === "reply").length,
    calls: service.calls(),
    gaps: sum((tab) => tab.gaps()),
    resets: sum((tab) => tab.resets()),
    failed: sum((tab) => tab.failed.size),
    trace: createHash("sha256")
      .update(JSON.stringify([effects, posted, rows, now]))
      .digest("hex")
      .slice(0, 16),
  };
}

/** Simulates one seed. Only one simulation at a time per process. @returns its violations */
export async function simulate(core: Core, seed: number, given: Partial<Scenario> = {}): Promise<Verdict> {
  const restoreIds = seedIds(seed);
  const world = createWorld(seed);
  const scenario = { ...draw(world), ...given };
  const folder = mkdtempSync(join(MEMORY_FOLDER, "porchlight-world-"));
  const run = await createRun(core, world, scenario, folder);
  try {
    for (const node of run.nodes) start(run, node);
    arrangePeople(run);
    arrangeMachine(run);
    arrangeService(run);
    const settled = await world.run(quiet(run), run.failuresEnd + 3 * HOUR);
    const evidence = await gather(run, settled);
    const violationsOfRelays = run.nodes.flatMap(({ started }) => started.flatMap(({ violations }) => violations));
    return {
      seed,
      violations: [...run.broken, ...violationsOfRelays, ...judge(evidence)],
      figures: figuresOf(run, evidence),
    };
  } finally {
    for (const { relay } of run.nodes) relay?.crash();
    await run.backend?.disk.close();
    rmSync(folder, { recursive: true });
    restoreIds();
  }
}
