/**
 * Simulates seeds in its own process:
 *
 *   node test/faults/core/run.ts '{"root":"relay/src","from":1,"to":50,"given":{}}'
 *
 * Prints one JSON line per seed with a violation, and one with the totals at the end.
 */
import { resolve } from "node:path";
import { loadCore } from "./core.ts";
import type { Scenario } from "./scenario.ts";
import { type Figures, simulate } from "./simulate.ts";

export type Order = { root: string; from: number; to: number; given?: Partial<Scenario>; stopAtFirst?: boolean };
export type Sum = Omit<Figures, "trace"> & { seeds: number };
export type RunOutput = { seed: number; violations: string[] } | { sum: Sum };

const NOTHING: Sum = { seeds: 0, acked: 0, effects: 0, accepted: 0, shown: 0, calls: 0, gaps: 0, resets: 0, failed: 0 };

/** Adds the figures of one or more runs to a sum. @param seeds the number of runs */
export function add(sum: Sum, more: Omit<Sum, "seeds">, seeds = 1): void {
  for (const name of Object.keys(NOTHING) as (keyof Sum)[]) sum[name] += name === "seeds" ? seeds : more[name];
}

/** The sum of no runs. */
export const nothing = (): Sum => ({ ...NOTHING });

if (import.meta.main) {
  const { root, from, to, given, stopAtFirst } = JSON.parse(process.argv[2] ?? "{}") as Order;
  const core = await loadCore(resolve(root));
  const say = (line: RunOutput): void => console.log(JSON.stringify(line));
  const sum = nothing();
  for (let seed = from; seed <= to; seed++) {
    const { violations, figures } = await simulate(core, seed, given);
    add(sum, figures);
    if (violations.length === 0) continue;
    say({ seed, violations });
    if (stopAtFirst) break;
  }
  say({ sum });
}
