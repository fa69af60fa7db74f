/**
 * S11: many recharge keys, each submitted several times at once to two nodes that are killed at every await. The service fails
 * in every possible way, before and after the grant. The results are counted at the end.
 */

import type { Clock } from "../../relay/src/base/clock.ts";
import { silentLog } from "../../relay/src/base/log.ts";
import { creditRules } from "../../relay/src/base/rules.ts";
import type { Database, Transaction } from "../../relay/src/db/database.ts";
import { migrate } from "../../relay/src/db/migrate.ts";
import { openSqlite } from "../../relay/src/db/sqlite.ts";
import { createCredits } from "../../relay/src/flows/credits/credits.ts";
import { createLedgerWorker } from "../../relay/src/flows/ledger-worker.ts";
import { contentOf, descriptionOf, verdictOf } from "../../relay/src/records/ledger/grants.ts";
import type { GrantAnswer } from "../../relay/src/service/api.ts";
import type { Gates } from "../../relay/src/service/gates.ts";
import { clockOf, createWorld, type World } from "./core/world.ts";

export type Plan = {
  keys: number;
  copies: number;
  nodes: number;
  kills: number;
  dialect: Database["dialect"];
  /** The first process of the first node is killed at this await, counted from 1. */
  dieAt?: number;
  /** Only the first call of each key meets this failure; otherwise failures are random. */
  failure?: number;
};
export type Entry = { key: string; state: string };
export type Count = {
  /** Grants at the service per key. */
  grants: Map<string, number>;
  entries: Entry[];
  /** Submissions that were answered. */
  answered: number;
  calls: number;
  killed: number;
};

/** Number of failures of the service: those before the grant, then those after it. */
export const FAILURES = 12;

const ACCOUNT = "agency";
const FAILURE_MS = 600_000;
/** Time for one key, even if the call of a dead process must be given up first. */
const SHORT_MS = 70_000;
const GRANT_RULES = creditRules.parse({ mode: "auto", perGrant: 100, perDay: 1_000_000, allow: [] });

/** A service with every failure, before and after the grant. The statuses are those of RELIABILITY 3c. */
function createService(world: World, failure?: number) {
  const grants = new Map<string, number>();
  const state = { recovered: false, calls: 0 };
  const before: GrantAnswer[] = [
    { kind: "transient", status: 0, message: "ECONNREFUSED" },
    { kind: "throttle", status: 429, message: "slow down", waitMs: 2_000 },
    { kind: "config", status: 401, message: "bad key" },
    { kind: "permanent", status: 404, message: "unknown sub-account" },
    { kind: "permanent", status: 200, message: "success: false" },
    { kind: "transient", status: 503, message: "busy" },
    { kind: "unknown", status: 0, message: "timeout" },
  ];
  const after: GrantAnswer[] = [
    { kind: "unknown", status: 0, message: "reset" },
    { kind: "transient", status: 500, message: "crashed" },
    { kind: "transient", status: 504, message: "gateway timeout" },
    { kind: "permanent", status: 409, message: "conflict" },
    { kind: "ok", status: 200, message: "" },
  ];
  const later = (min: number, max: number): Promise<void> =>
    new Promise((resolve) => void world.after(world.pick(min, max), resolve));
  const oneOf = (answers: readonly GrantAnswer[]): GrantAnswer =>
    answers[world.pick(0, answers.length - 1)] ?? { kind: "unknown", status: 0, message: "" };

  const called = new Set<string>();
  /** The failure that this call meets, if any: the answer, and whether it comes after the grant. */
  function failureOf(key: string): { answer: GrantAnswer; granted: boolean } | undefined {
    const again = called.has(key);
    called.add(key);
    if (failure !== undefined) {
      const answer = [...before, ...after][failure];
      return again || answer === undefined ? undefined : { answer, granted: failure >= before.length };
    }
    if (state.recovered) return undefined;
    if (world.chance(0.3)) return { answer: oneOf(before), granted: false };
    return world.chance(0.15) ? { answer: oneOf(after), granted: true } : undefined;
  }

  async function grant(description: string): Promise<GrantAnswer> {
    state.calls++;
    await later(1, 300);
    const key = /\[(.+)\]$/.exec(description)?.[1] ?? description;
    const met = failureOf(key);
    if (met?.granted === false) return met.answer;
    grants.set(key, (grants.get(key) ?? 0) + 1);
    // Sometimes the answer takes longer than the wait for a dead process.
    await later(1, world.chance(0.02) ? 200_000 : 300);
    if (met !== undefined) return met.answer;
    return { kind: "ok", status: 200, message: "", added: 5, balance: 10 };
  }
  return { grant, grants, state };
}

type Machine = { disk: Database; dialect: Database["dialect"] };
type Service = ReturnType<typeof createService>;
type Node = { credits: ReturnType<typeof createCredits>; kill: () => void; alive: () => boolean };

/** A gate that lets every call go at once. */
const OPEN: Pick<Gates, "enter"> = {
  enter(_account, _rank, go) {
    go({ settle: () => {} });
    return () => {};
  },
};

/** At which await a node is killed, counted from 1, and what to call then. */
type KillPoint = { dieAt: number | undefined; onKilled: () => void };
/** A node's state: whether it runs, and its awaits so far. */
type NodeState = KillPoint & { alive: boolean; awaits: number };

/** What a killed node awaits. */
const NEVER = new Promise<never>(() => {});

/** One await of a node: time may pass, and the node may be killed. */
async function pause(world: World, state: NodeState): Promise<void> {
  state.awaits++;
  if (state.alive && state.awaits === state.dieAt) {
    state.alive = false;
    state.onKilled();
  }
  if (!state.alive) return NEVER;
  if (world.chance(0.5)) return;
  await new Promise<void>((resolve) => void world.after(world.pick(0, 8), resolve));
  if (!state.alive) return NEVER;
}

/** The machine's database as a node uses it: the node may be killed before and after each call. */
function killableDatabase(world: World, { disk, dialect }: Machine, state: NodeState): Database {
  const around = async <T>(work: () => Promise<T>): Promise<T> => {
    await pause(world, state);
    const result = await work();
    await pause(world, state);
    return result;
  };
  return {
    dialect,
    lock: disk.lock,
    all: (sql, ...values) => around(() => disk.all(sql, ...values)),
    run: (sql, ...values) => around(() => disk.run(sql, ...values)),
    transaction: <T>(body: (tx: Transaction) => Promise<T>) => around(() => disk.transaction(body)),
    longTransaction: <T>(body: (tx: Transaction) => Promise<T>) => around(() => disk.longTransaction(body)),
    each: (sql, lists) => around(() => disk.each(sql, lists)),
    anyOf: (sql, list) => around(() => disk.anyOf(sql, list)),
    runEach: (sql, lists) => around(() => disk.runEach(sql, lists)),
    append: (work, item) => around(() => disk.append(work, item)),
    scrub: disk.scrub,
    close: disk.close,
  };
}

/** A relay's credits on a database that outlives it. It may be ended at any await. */
async function startNode(
  world: World,
  machine: Machine,
  service: Service,
  { name, ...killPoint }: { name: string } & KillPoint,
): Promise<Node> {
  const state: NodeState = { alive: true, awaits: 0, ...killPoint };
  const db = killableDatabase(world, machine, state);
  const clock: Clock = clockOf(
    world,
    () => 0,
    () => state.alive,
  );
  const worker = createLedgerWorker({
    db,
    clock,
    log: silentLog,
    kind: "grant",
    node: name,
    ordered: false,
    accounts: [ACCOUNT],
    gates: OPEN,
    random: world.random,
    async call(entry) {
      await pause(world, state);
      const answer = await service.grant(descriptionOf(contentOf(entry).note, entry.key));
      return state.alive ? verdictOf(answer) : NEVER;
    },
    settled: (tx, entry, verdict) => credits.settled(tx, entry, verdict),
  });
  const rules = { ...GRANT_RULES, allow: [...Array(20).keys()].map((i) => `client${i}@example.com`) };
  const credits = createCredits({
    db,
    clock,
    log: silentLog,
    rules: () => rules,
    wake: worker.wake,
    ask: async () => undefined,
  });
  await worker.start();
  return {
    credits,
    alive: () => state.alive,
    kill: () => {
      state.alive = false;
    },
  };
}

/** The state of a run. */
type CreditsRun = {
  plan: Plan;
  world: World;
  machine: Machine;
  service: Service;
  /** The relays that run. */
  nodes: (Node | undefined)[];
  count: { answered: number; killed: number; starts: number };
  /** How long the service and the nodes fail, in virtual milliseconds. */
  failureMs: number;
  /** The ledger, read every ten seconds. */
  entries: Entry[];
};

/** Runs a plan and counts the results. */
export async function countCredits(
  seed: number,
  plan: Plan,
): Promise<Count & { resolve: () => Promise<Entry[]>; end: () => Promise<void> }> {
  const run = await createRun(seed, plan);
  const { world, machine, service, failureMs } = run;
  for (let i = 0; i < plan.nodes; i++) boot(run, i);
  scheduleEvents(run);
  check(run);
  if (!(await world.run(() => settled(run), 40 * failureMs))) throw new Error("The ledger did not become idle");
  return {
    grants: service.grants,
    entries: run.entries,
    answered: run.count.answered,
    calls: service.state.calls,
    killed: run.count.killed,
    resolve: () => resolve(run),
    end: () => machine.disk.close(),
  };
}

/** Creates the world, the database with its tables, and the service. No node runs yet. */
async function createRun(seed: number, plan: Plan): Promise<CreditsRun> {
  const world = createWorld(seed);
  const disk = openSqlite(":memory:", { defer: (fn) => void world.after(1, fn) });
  const started = migrate(disk);
  let migrated = false;
  void started.then(() => {
    migrated = true;
  });
  await world.run(() => migrated, 60_000);
  return {
    plan,
    world,
    machine: { disk, dialect: plan.dialect },
    service: createService(world, plan.failure),
    nodes: Array.from({ length: plan.nodes }, () => undefined),
    count: { answered: 0, killed: 0, starts: 0 },
    failureMs: plan.dieAt === undefined ? FAILURE_MS : SHORT_MS,
    entries: [],
  };
}

/** Schedules the recharge events, the kills and the end of the failures. */
function scheduleEvents(run: CreditsRun): void {
  const { plan, world, failureMs } = run;
  for (let i = 0; i < plan.keys; i++) {
    const at = world.pick(100, failureMs - 60_000);
    for (let copy = 0; copy < plan.copies; copy++)
      world.after(at + world.pick(0, 3), () => submit(run, `key-${i}`, `client${i % 20}@example.com`));
  }
  for (let i = 0; i < plan.kills; i++)
    world.after(world.pick(0, failureMs), () => kill(run, world.pick(0, plan.nodes - 1)));
  world.after(failureMs, () => {
    run.service.state.recovered = true;
  });
}

function boot(run: CreditsRun, i: number): void {
  const start = run.count.starts++;
  const dieAt = start === 0 ? run.plan.dieAt : undefined;
  const about = { name: `node${i}-start${start}`, dieAt, onKilled: () => restartLater(run, i) };
  void startNode(run.world, run.machine, run.service, about).then((node) => {
    run.nodes[i] = node;
  });
}

function restartLater(run: CreditsRun, i: number): void {
  run.nodes[i] = undefined;
  run.count.killed++;
  run.world.after(run.world.pick(1, 2_000), () => boot(run, i));
}

function kill(run: CreditsRun, i: number): void {
  if (run.nodes[i] === undefined) return;
  run.nodes[i]?.kill();
  restartLater(run, i);
}

/** Posts an event to any node until one answers. */
function submit(run: CreditsRun, key: string, email: string): void {
  const node = run.nodes[run.world.pick(0, run.plan.nodes - 1)];
  let settled = false;
  if (node !== undefined) {
    const event = { key, email, amount: 5, subAccount: undefined };
    void node.credits.recharge(ACCOUNT, event).then(() => {
      if (!node.alive() || settled) return;
      settled = true;
      run.count.answered++;
    });
  }
  run.world.after(5_000, () => {
    if (settled) return;
    settled = true;
    submit(run, key, email);
  });
}

/** Reads the ledger now and every ten seconds. */
const check = (run: CreditsRun): void =>
  void run.machine.disk.all<Entry>("SELECT key, state FROM ledger ORDER BY created, key").then((rows) => {
    run.entries = rows;
    run.world.after(10_000, () => check(run));
  });

const settled = (run: CreditsRun): boolean =>
  run.world.now() > run.failureMs &&
  run.count.answered >= run.plan.keys * run.plan.copies &&
  run.entries.every(({ state }) => ["done", "unknown", "refused"].includes(state));

/** Simulates a person who looks up every unknown key in the service's history, settles it, and approves refused grants. */
async function resolve(run: CreditsRun): Promise<Entry[]> {
  const node = run.nodes.find((each) => each !== undefined);
  if (node === undefined) throw new Error("No node is left");
  const decision = { account: ACCOUNT, actor: "person", reason: "looked up" };
  for (const { key, state } of run.entries) {
    if (state === "refused") void node.credits.approve({ ...decision, key });
    if (state !== "unknown") continue;
    const granted = run.service.grants.has(key);
    void node.credits
      .resolve({ ...decision, key, granted })
      .then(() => (granted ? undefined : node.credits.approve({ ...decision, key })));
  }
  const begun = run.world.now();
  await run.world.run(
    () => run.world.now() > begun + 30_000 && run.entries.every(({ state }) => state === "done"),
    FAILURE_MS,
  );
  await run.machine.disk.close();
  return run.entries;
}
