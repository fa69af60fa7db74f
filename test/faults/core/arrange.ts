import { renameSync, rmSync } from "node:fs";
import type { Person, Tab } from "../tab.ts";
import type { Backend } from "./backend.ts";
import type { Core } from "./core.ts";
import type { Scenario } from "./scenario.ts";
import { type Service, WITHOUT_FAILURES } from "./service.ts";
import type { Machine } from "./simulated-process.ts";
import { type SimulatedRelay, startSimulatedRelay } from "./simulated-relay.ts";
import type { World } from "./world.ts";

/** A machine, its running relay, every relay that it has started, and a function that ends one that is starting. */
export type Node = {
  machine: Machine;
  relay: SimulatedRelay | undefined;
  started: SimulatedRelay[];
  starting: (() => void) | undefined;
};

export type Run = {
  world: World;
  core: Core;
  nodes: Node[];
  /** What several nodes share. */
  backend: Backend | undefined;
  service: Service;
  scenario: Scenario;
  /** All tabs of the first person, then all tabs of the second, and so on. */
  tabs: Tab[];
  people: Person[];
  /** When the failures end, in simulated time. */
  failuresEnd: number;
  /** Other violations that were found. */
  broken: Set<string>;
  /** Tabs that are kept offline. */
  away: Set<Tab>;
  /** The process that each tab connected to last. */
  places: Map<Tab, SimulatedRelay | undefined>;
};

/** Calls a function at a random time before the failures end. */
const sometime = ({ world, scenario }: Run, fn: () => void): void =>
  void world.after(world.pick(0, scenario.failureMs), fn);

/** Starts the relay. If it cannot write, it refuses to start, and its supervisor tries again. */
export function start(run: Run, node: Node): void {
  const { world, core, service, backend } = run;
  const begun = (crash: () => void): void => {
    node.starting = crash;
  };
  startSimulatedRelay(world, core, node.machine, service, begun, backend).then(
    (next) => {
      node.relay = next;
      node.starting = undefined;
      node.started.push(next);
    },
    (error: unknown) => {
      node.starting = undefined;
      if (!node.machine.full) run.broken.add(`the relay did not start: ${String(error)}`);
      world.after(1_000, () => start(run, node));
    },
  );
}

/** A random node. */
const pickNode = ({ world, nodes }: Run): Node => nodes[nodes.length < 2 ? 0 : world.pick(0, nodes.length - 1)] as Node;

/**
 * Ends the process between two steps, possibly during its start, and starts it again; `between` may change its files meanwhile.
 */
function crash(run: Run, node: Node, between: () => void = () => {}): void {
  const { world, tabs, nodes, places } = run;
  const end = node.relay?.crash ?? node.starting;
  if (end === undefined) return void world.after(500, () => crash(run, node, between));
  end();
  for (const tab of tabs) if (nodes.length < 2 || places.get(tab) === node.relay) tab.cut();
  node.relay = node.starting = undefined;
  world.after(world.pick(1, 3_000), () => {
    between();
    start(run, node);
  });
}

/** Schedules what people do: connect, write, lose connections, send from two tabs, delete their chat. */
export function arrangePeople(run: Run): void {
  const { world, scenario, tabs, people } = run;
  for (const [i, tab] of tabs.entries()) {
    const siblings = tabs.filter((other) => other.person === tab.person && other !== tab);
    for (let n = 0; n < scenario.messages; n++) {
      sometime(run, () => {
        const item = tab.type(`${tab.name} ${n}${world.chance(scenario.poison) ? " poison" : ""}`);
        if (world.chance(scenario.replays)) for (const other of siblings) sometime(run, () => other.replay(item));
      });
    }
    for (let n = 0; n < scenario.cuts; n++) sometime(run, tab.cut);
    world.after(i, tab.connect);
  }
  for (let n = 0; n < Math.min(scenario.forgets, people.length); n++) {
    const tab = tabs.find(({ person }) => person === people[n]);
    if (tab !== undefined) sometime(run, tab.forget);
  }
}

/** Schedules what happens to the machines: crashes, new keys, full disks, clock changes, pauses, a restored backup. */
export function arrangeMachine(run: Run): void {
  const { world, scenario, nodes, service } = run;
  const [first] = nodes as [Node];
  for (let n = 0; n < scenario.crashes; n++) {
    sometime(run, () => {
      const node = pickNode(run);
      crash(run, node);
      // The next process may also be ended while it starts.
      if (scenario.crashesAtStart && world.aside() < 0.5)
        world.after(1 + world.aside() * 3_040, () => crash(run, node));
    });
  }
  for (let n = 0; n < scenario.rotations; n++) {
    sometime(run, () => {
      service.state.key = "key-2";
      world.after(world.pick(0, 60_000), () => {
        for (const { machine } of nodes) machine.key = "key-2";
      });
    });
  }
  if (scenario.diskFull) {
    sometime(run, () => {
      for (const { machine } of nodes) Object.assign(machine, { full: true, spoolFull: scenario.spoolFull });
      world.after(world.pick(500, 20_000), () => {
        for (const { machine } of nodes) Object.assign(machine, { full: false, spoolFull: false });
      });
    });
  }
  if (scenario.jump !== 0) {
    sometime(run, () => {
      first.machine.shift = scenario.jump;
    });
  }
  for (let n = 0; n < scenario.stalls; n++) sometime(run, () => pickNode(run).relay?.suspend(world.pick(500, 9_000)));
  if (scenario.restore) arrangeRestore(run);
}

/** Makes a backup while the relay writes, and restores it later. */
function arrangeRestore(run: Run): void {
  const { world, core, nodes, scenario } = run;
  const [node] = nodes as [Node];
  const { machine } = node;
  const copy = `${machine.file}.backup`;
  world.after(world.pick(0, scenario.failureMs / 2), () => core.backupSqlite(machine.file, copy));
  world.after(world.pick(scenario.failureMs / 2 + 1, scenario.failureMs), () =>
    crash(run, node, () => {
      for (const ending of ["-wal", "-shm"]) rmSync(machine.file + ending, { force: true });
      for (const ending of ["", ".seal"]) renameSync(copy + ending, machine.file + ending);
    }),
  );
}

/** Schedules an outage, a flood of replies to somebody who is offline, and the end of all failures. */
export function arrangeService(run: Run): void {
  const { world, scenario, service, nodes, backend, tabs, people, away } = run;
  if (scenario.outage > 0) {
    sometime(run, () => {
      service.state.behaviour = { ...service.state.behaviour, down: 1 };
    });
  }
  if (scenario.flood > 0) {
    const gone = tabs.filter(({ person }) => person === people[0]);
    world.after(scenario.failureMs / 2, () => {
      const { fromId } = service.effects.find(({ text }) => gone.some(({ name }) => text.startsWith(`${name} `))) ?? {};
      if (fromId === undefined) return;
      for (const tab of gone) {
        away.add(tab);
        tab.cut();
      }
      for (let n = 0; n < scenario.flood; n++) service.reply(fromId, world.pick(0, 60_000));
    });
    world.after(scenario.failureMs / 2 + 70_000, () => away.clear());
  }
  world.after(run.failuresEnd, () => {
    service.state.behaviour = { ...WITHOUT_FAILURES, replies: scenario.behaviour.replies };
    for (const { machine } of nodes) machine.hintLoss = 0;
    if (backend !== undefined) backend.stalls = 0;
  });
}
