/** Computes figures from rounds: medians, and ratios with their spread. */
import type { Figures, Rounds } from "./load.ts";

/** The figures of a round, with their unit and their digits in tables. */
export const FIGURES = {
  perSecond: { unit: "a second", digits: 0 },
  cpu: { unit: "µs of CPU each", digits: 0 },
  p50: { unit: "ms, median", digits: 1 },
  p99: { unit: "ms, 99th percentile", digits: 1 },
  backlog: { unit: "on the way at the end", digits: 0 },
  bytes: { unit: "bytes a socket", digits: 0 },
  idlePercent: { unit: "% of a core while idle", digits: 2 },
  corePercent: { unit: "% of a core", digits: 3 },
  kilobytes: { unit: "kB", digits: 0 },
  waveMs: { unit: "ms until all are back", digits: 0 },
  startMs: { unit: "ms", digits: 0 },
  processMs: { unit: "ms with loading the code", digits: 0 },
  openMs: { unit: "ms", digits: 1 },
} as const;
export type FigureName = keyof typeof FIGURES;

/** What the tables say of a row. */
export type RowHeading = {
  name: string;
  /** What is measured. */
  title: string;
  /** Which figures the tables show. */
  shown: readonly FigureName[];
};

/** A median with the lowest and the highest of all rounds. */
export type Spread = [median: number, lowest: number, highest: number];

/** One figure of one contender, compared with the row's first contender. */
export type ReportLine = {
  row: string;
  title: string;
  figure: FigureName;
  reference: { name: string; value: number };
  naive?: number;
  ours: { name: string; value: number };
  /** Our value divided by the reference's, round by round; absent if that is not finite. */
  ratio?: Spread;
};

/** The median of the measured values. */
function median(values: readonly number[]): number {
  const sorted = measured(values).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** The values without those of rounds in which the figure was not measured. */
const measured = (values: readonly number[]): number[] => values.filter((value) => !Number.isNaN(value));

const valuesOf = (rounds: readonly Figures[] = [], figure: string): number[] =>
  rounds.map((round) => round[figure] ?? Number.NaN);

/** @param values one of each round; NaN where a round did not measure it */
export const spreadOf = (values: readonly number[]): Spread => [
  median(values),
  Math.min(...measured(values)),
  Math.max(...measured(values)),
];

/** The values of one contender divided by another's, round by round. */
export function ratioOf(rounds: Rounds, figure: string, of: string, by: string): Spread {
  const others = valuesOf(rounds[by], figure);
  const ratios = valuesOf(rounds[of], figure).map((value, i) => value / (others[i] ?? Number.NaN));
  return spreadOf(ratios);
}

const finite = (ratio: Spread): { ratio?: Spread } => (ratio.every(Number.isFinite) ? { ratio } : {});

/**
 * The lines of a row in the tables: one for each figure and each contender except the reference and the naive relay.
 */
export function linesOf({ name, title, shown }: RowHeading, rounds: Rounds): ReportLine[] {
  const [reference = "", ...others] = Object.keys(rounds);
  const value = (contender: string, figure: string): number => median(valuesOf(rounds[contender], figure));
  return others
    .filter((other) => other !== "naive")
    .flatMap((ours) =>
      shown.map((figure) => ({
        row: name,
        title,
        figure,
        reference: { name: reference, value: value(reference, figure) },
        ...(others.includes("naive") && { naive: value("naive", figure) }),
        ours: { name: ours, value: value(ours, figure) },
        ...finite(ratioOf(rounds, figure, ours, reference)),
      })),
    );
}

/** Formats a number for the tables. */
export const formatNumber = (value: number, digits: number): string =>
  value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** `0.31 (0.28–0.33)`. */
export const formatSpread = ([middle, low, high]: Spread): string =>
  `${formatNumber(middle, 2)} (${formatNumber(low, 2)}–${formatNumber(high, 2)})`;
