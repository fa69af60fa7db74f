import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Evidence, HEADS, judge, THREADS } from "../judge.ts";
import { createTab, type Person, type Tab, visitorOf } from "../tab.ts";
import { arrangeMachine, arrangePeople, arrangeService, type Run, start } from "./arrange.ts";
import type { Core } from "./core.ts";
import type { Machine } from "./life.ts";
import { openLine } from "./line.ts";
import { draw, HOUR, type Scenario } from "./scenario.ts";
import { createService } from "./service.ts";
import { createWorld, seeded, type World } from "./world.ts";

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
const SHELF = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Every tab has sent and received everything, and nothing waits in the relay. */
function quiet(run: Run): () => boolean {
  const { world, tabs, life, service, scenario } = run;
  let waiting = 1;
  let heads = new Map<string, number>();
  const look = async (): Promise<void> => {
    if (life.now === undefined) return;
    waiting = await life.now.waiting();
    const rows = await life.now.rows<{ id: string; head: number }>("SELECT id, head FROM visitors");
    heads = new Map(rows.map(({ id, head }) => [id, head]));
  };
  const again = (): void => void look().then(() => world.after(2_000, again));
  world.after(run.heals, again);
  const settled = (tab: Tab): boolean =>
    tab.connected() &&
    tab.unsent() === 0 &&
    !tab.partial() &&
    tab.typed.length + tab.buried.length === scenario.messages &&
    tab.held() === (heads.get(visitorOf(tab.person)) ?? 0) &&
    (!scenario.retries || tab.failing().length === 0);
  const still = (): boolean =>
    world.now() > run.heals + 30_000 &&
    waiting === 0 &&
    life.now?.spooled() === false &&
    service.pending() === 0 &&
    tabs.every(settled);
  // Long enough for another check: committed changes have reached every tab by then.
  let since: number | undefined;
  return () => {
    since = still() ? (since ?? world.now()) : undefined;
    return since !== undefined && world.now() - since > 5_000;
  };
}

function createRun(core: Core, world: World, scenario: Scenario, folder: string): Run {
  const machine: Machine = {
    file: join(folder, "world.db"),
    folder,
    full: false,
    spoolFull: false,
    deaf: scenario.deaf,
    key: "key-1",
    shift: 0,
  };
  const life: Run["life"] = { now: undefined, past: [], starting: undefined };
  const service = createService(world, async (body) => {
    return life.now?.callback(body);
  });
  service.state.weather = scenario.weather;
  const heals = Math.max(scenario.trouble, scenario.trouble + scenario.outage * HOUR);
  const people: Person[] = Array.from({ length: scenario.visitors }, () => ({ token: undefined, deleted: 0 }));
  const away = new Set<Tab>();
  const tabs = people.flatMap((person, v) =>
    Array.from({ length: scenario.tabs }, (_, t) => {
      const tab: Tab = createTab({
        name: `visitor${v}-tab${t}`,
        person,
        open: (heard) => (life.now === undefined || away.has(tab) ? undefined : openLine(world, life.now, heard)),
        now: world.now,
        after: (ms, fn) => void world.after(ms, fn),
        comeBack: () => world.pick(50, 1_500),
        // A person's tabs share the token that the first one gets.
        mayConnect: () => t === 0 || person.token !== undefined,
        retryAfter: scenario.retries ? () => Math.max(0, heals - world.now()) + world.pick(0, 5_000) : undefined,
      });
      return tab;
    }),
  );
  return { world, core, machine, service, scenario, tabs, people, life, heals, broken: new Set(), away };
}

/** Derives ids from the seed, so that a seed repeats the run exactly. */
function seedIds(seed: number): () => void {
  const random = seeded(seed ^ 0x5eed);
  const getRandomValues = (bytes: Uint8Array): Uint8Array => bytes.map(() => Math.floor(random() * 256));
  Object.defineProperty(globalThis.crypto, "getRandomValues", { value: getRandomValues, configurable: true });
  return () => void Reflect.deleteProperty(globalThis.crypto, "getRandomValues");
}

async function gather(run: Run, calm: boolean): Promise<Evidence> {
  const { tabs, service, scenario, world, life } = run;
  const rows = async <Row>(sql: string): Promise<Row[]> => (await life.now?.rows<Row>(sql)) ?? [];
  return {
    tabs,
    effects: service.effects,
    posted: service.posted,
    rows: await rows(THREADS),
    heads: await rows(HEADS),
    calm,
    now: world.now(),
    jump: scenario.jump,
    restored: scenario.restore,
    nowhere: scenario.spoolFull,
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
  const folder = mkdtempSync(join(SHELF, "porchlight-world-"));
  const run = createRun(core, world, scenario, folder);
  try {
    start(run);
    arrangePeople(run);
    arrangeMachine(run);
    arrangeService(run);
    const calm = await world.run(quiet(run), run.heals + 3 * HOUR);
    const evidence = await gather(run, calm);
    const lives = run.life.past.flatMap(({ violations }) => violations);
    return { seed, violations: [...run.broken, ...lives, ...judge(evidence)], figures: figuresOf(run, evidence) };
  } finally {
    run.life.now?.crash();
    rmSync(folder, { recursive: true });
    restoreIds();
  }
}
