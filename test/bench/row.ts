import type { Contender } from "./contender.ts";
import type { RowHeading } from "./figures.ts";
import type { Figures, Rounds } from "./load.ts";

/** How long and how often a run measures. */
export type Plan = {
  long: boolean;
  /** Rounds of each contender, in alternation. */
  rounds: number;
  /** Length of a round, and of the warm-up before the first, in milliseconds. */
  roundMs: number;
  warmMs: number;
};

/** One comparison. A new one is a file in `rows/`, and a line in `rows/index.ts`. */
export type Row = RowHeading & {
  /** Measured in short runs as well. */
  quick: boolean;
  measure: (plan: Plan) => Promise<Rounds>;
};

/** Milliseconds between two rounds, so that work left over from one round does not count in the next. */
const SETTLE_MS = 100;

/** Runs a round of every contender, then the next round, each time in the other order. */
export async function alternate<T extends { name: string }>(
  contenders: readonly T[],
  rounds: number,
  round: (contender: T) => Promise<Figures>,
): Promise<Rounds> {
  const results: Rounds = Object.fromEntries(contenders.map(({ name }) => [name, []]));
  for (let i = 0; i < rounds; i++) {
    for (const contender of i % 2 === 0 ? contenders : contenders.toReversed()) {
      await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      results[contender.name]?.push(await round(contender));
    }
  }
  return results;
}

/** Starts contenders one after the other, measures, and stops them whatever happens. */
export async function withContenders(
  starts: readonly (() => Promise<Contender>)[],
  measure: (contenders: Contender[]) => Promise<Rounds>,
): Promise<Rounds> {
  const contenders: Contender[] = [];
  try {
    for (const start of starts) contenders.push(await start());
    return await measure(contenders);
  } finally {
    await Promise.all(contenders.map((contender) => contender.stop()));
  }
}
