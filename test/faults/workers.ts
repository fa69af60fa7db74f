import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compileCacheFor } from "../compile-cache.ts";
import { add, nothing, type Order, type RunOutput, type Sum } from "./core/run.ts";
import type { Scenario } from "./core/scenario.ts";

export const RELAY = join(import.meta.dirname, "..", "..", "relay", "src");
const RUN = join(import.meta.dirname, "core", "run.ts");

export type Broken = { seed: number; violations: string[] };
export type SeedResults = { sum: Sum; broken: Broken[] };

/** Seeds that one process simulates before it returns its findings. */
const SEEDS_PER_PROCESS = 100;

/** Simulates the seeds in separate processes: as many at a time as there are cores, at most four. */
export async function runSeeds({ from, to, ...order }: Order): Promise<SeedResults> {
  const results: SeedResults = { sum: nothing(), broken: [] };
  let next = from;
  const work = async (): Promise<void> => {
    while (next <= to && !(order.stopAtFirst && results.broken.length > 0)) {
      const first = next;
      next += SEEDS_PER_PROCESS;
      await runInProcess({ ...order, from: first, to: Math.min(to, first + SEEDS_PER_PROCESS - 1) }, results);
    }
  };
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));
  results.broken.sort((a, b) => a.seed - b.seed);
  return results;
}

async function runInProcess(order: Order, results: SeedResults): Promise<void> {
  const child = spawn(process.execPath, [RUN, JSON.stringify(order)], {
    env: { ...process.env, ...compileCacheFor(order.root) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (part) => {
    errors += part;
  });
  let finished = false;
  createInterface(child.stdout).on("line", (text) => {
    const line = JSON.parse(text) as RunOutput;
    if ("sum" in line) add(results.sum, line.sum, line.sum.seeds);
    else results.broken.push(line);
    finished ||= "sum" in line;
  });
  await new Promise((resolve) => child.once("close", resolve));
  // A core that cannot be loaded, or throws an uncaught error, has failed too.
  if (!finished) results.broken.push({ seed: order.from, violations: [`ended: ${errors.slice(-500)}`] });
}

/** The command that repeats one seed. */
const replay = ({ seed, violations }: Broken, given: object = {}): string =>
  `node test/faults/core/run.ts '${JSON.stringify({ root: RELAY, from: seed, to: seed, given })}'\n  ${violations.join("\n  ")}`;

/** The first five broken seeds, each with the command that repeats it. */
export const failures = ({ broken }: SeedResults, given: Partial<Scenario> = {}): string[] =>
  broken.slice(0, 5).map((seed) => replay(seed, given));
