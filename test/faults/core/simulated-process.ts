/** A relay's process in a simulated world. It may stop or end at any await. */

import type { Clock } from "../../../relay/src/base/clock.ts";
import type { Backend } from "./backend.ts";
import { createSuspension, type Suspension } from "./suspension.ts";
import { clockOf, type World } from "./world.ts";

/** What outlives a process: its disk and the operator's settings. */
export type Machine = {
  file: string;
  /** Folder of the spool's files. */
  folder: string;
  /** All writes fail. */
  full: boolean;
  /** Writes to the spool fail too. */
  spoolFull: boolean;
  /** Share of hints that are lost: of the bus, or between nodes. */
  hintLoss: number;
  /** The account's key in the settings. */
  key: string;
  /** How far the wall clock is ahead, in milliseconds. */
  shift: number;
  /** Name of the machine, and how many processes it has started. */
  name: string;
  starts: number;
};

export type SimulatedProcess = {
  world: World;
  machine: Machine;
  /** What it shares with other nodes; undefined: it is alone. */
  backend: Backend | undefined;
  name: string;
  alive: boolean;
  /** Resolves when the process ends. */
  ended: Promise<undefined>;
  /** Ends the process: nothing under way continues. */
  end: () => void;
  suspension: Suspension;
  clock: Clock;
  /** Things that the relay must never do. */
  violations: string[];
};

/** What the code of an ended process awaits. */
export const NEVER = new Promise<never>(() => {});

/** Starts the next process of a machine. */
export function createProcess(world: World, machine: Machine, backend: Backend | undefined): SimulatedProcess {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const suspension = createSuspension(world);
  const wall = clockOf(
    world,
    () => machine.shift,
    () => process.alive,
  );
  const process: SimulatedProcess = {
    world,
    machine,
    backend,
    name: `${machine.name}-${machine.starts++}`,
    alive: true,
    ended: promise,
    end() {
      process.alive = false;
      resolve(undefined);
    },
    suspension,
    clock: { ...wall, after: (ms, fn) => wall.after(ms, () => suspension.run(() => process.alive && fn())) },
    violations: [],
  };
  return process;
}

/** Between two steps, time passes, the process stops for a time, or it ends. */
export async function pause(process: SimulatedProcess): Promise<void> {
  const { world, suspension } = process;
  if (!process.alive) return NEVER;
  if (!world.chance(0.6)) await new Promise<void>((resolve) => void world.after(world.pick(0, 6), resolve));
  if (suspension.isStopped()) await suspension.running();
  if (!process.alive) return NEVER;
}

/**
 * Sometimes stops one of several nodes between a decision and its execution. Meanwhile other nodes decide again. Returns at
 * once, without an await, when the node is not stopped.
 */
export function maybeStall(process: SimulatedProcess): Promise<void> | undefined {
  const { backend, world } = process;
  if (backend === undefined || backend.stalls <= 0 || !world.chance(0.04)) return undefined;
  return stall(process, backend);
}

async function stall(process: SimulatedProcess, backend: Backend): Promise<void> {
  const { world, suspension } = process;
  backend.stalls--;
  suspension.stop(world.pick(500, 9_000));
  await suspension.running();
  if (!process.alive) return NEVER;
}

/** Rejects with an error of a living process. Errors after the end of the process reach nobody. */
export const rejectWhileAlive = (process: SimulatedProcess, error: unknown): Promise<never> =>
  process.alive ? Promise.reject(error) : NEVER;

/** Runs a write, with a pause before and after it. */
export async function guarded<T>(process: SimulatedProcess, work: () => Promise<T>): Promise<T> {
  await pause(process);
  if (process.machine.full) throw new Error("disk full");
  const stalled = maybeStall(process);
  if (stalled !== undefined) await stalled;
  const result = await work().catch((error: unknown) => rejectWhileAlive(process, error));
  await pause(process);
  return result;
}
