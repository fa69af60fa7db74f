import { type FigureName, ratioOf, type Spread, spreadOf } from "./figures.ts";
import type { Rounds } from "./load.ts";

const MANY = "1,000,000 messages";

/** A bound of a figure: `least` for rates, `most` for times and costs. */
type Bound = {
  what: string;
  row: string;
  figure: FigureName;
  /** The contender whose figure it is; default: the relay. */
  of?: string;
  /** The contender by whose figure it is divided; default: the figure itself is compared. */
  by?: string;
  /** The bound is reached at `least` or above, or at `most` or below. */
  least?: number;
  most?: number;
  goal?: number;
};

/** The bounds of the product's speed: medians of at least five rounds, in one run, on two cores shared with the load. */
export const BOUNDS: readonly Bound[] = [
  { what: "Round trip against the bare chain", row: "trip", figure: "perSecond", by: "bare", least: 0.3, goal: 0.4 },
  { what: "Round trip against the naive relay", row: "trip", figure: "perSecond", by: "naive", least: 1.5, goal: 2 },
  { what: "CPU a trip against the bare chain", row: "trip", figure: "cpu", by: "bare", most: 3.3, goal: 2.5 },
  {
    what: "Round trip with closed connections against the bare chain with closed ones",
    row: "trip-closed",
    figure: "perSecond",
    by: "bare",
    least: 0.3,
    goal: 0.4,
  },
  { what: "500/s: p50 against the bare chain", row: "paced-500", figure: "p50", by: "bare", most: 3, goal: 2 },
  { what: "500/s: p99 against the bare chain", row: "paced-500", figure: "p99", by: "bare", most: 3, goal: 2 },
  { what: "500/s: p99 against the naive relay", row: "paced-500", figure: "p99", by: "naive", most: 1 },
  // 100 messages arrive in a tenth of a second. If more are on the way, the backlog grows.
  { what: "1,000/s: messages on the way at the end", row: "paced-1000", figure: "backlog", most: 100 },
  {
    what: "Message to durable acknowledgement against a bare echo",
    row: "acknowledged",
    figure: "perSecond",
    by: "bare",
    least: 0.12,
    goal: 0.15,
  },
  {
    what: "Callback, durable and shown, against bare http to ws",
    row: "callback",
    figure: "perSecond",
    by: "bare",
    least: 0.22,
    goal: 0.35,
  },
  {
    what: "Connects with resume against bare ones",
    row: "connects",
    figure: "perSecond",
    by: "bare",
    least: 0.4,
    goal: 0.5,
  },
  {
    what: "Memory of an idle socket against bare ws",
    row: "crowd",
    figure: "bytes",
    by: "bare",
    most: 1.25,
    goal: 1.2,
  },
  { what: "CPU of 10,000 idle sockets, % of a core", row: "crowd", figure: "idlePercent", most: 1, goal: 0.5 },
  {
    what: "Round trip beside 10⁶ stored messages against an empty relay",
    row: "growth",
    figure: "perSecond",
    of: MANY,
    by: "100 messages",
    least: 0.95,
  },
  {
    what: "Round trip over two nodes on PostgreSQL against one on SQLite",
    row: "nodes",
    figure: "perSecond",
    of: "two nodes, NOTIFY",
    by: "relay",
    least: 0.6,
  },
  { what: "A hint from node to node by NOTIFY: p50, ms", row: "hop", figure: "p50", of: "NOTIFY", most: 1 },
  { what: "A hint from node to node by NOTIFY: p99, ms", row: "hop", figure: "p99", of: "NOTIFY", most: 5 },
  { what: "A hint from node to node by Redis: p50, ms", row: "hop", figure: "p50", of: "Redis", most: 1 },
  { what: "A hint from node to node by Redis: p99, ms", row: "hop", figure: "p99", of: "Redis", most: 5 },
  {
    what: "CPU of the stored series at 200 trips/s, % of a core",
    row: "series",
    figure: "corePercent",
    of: "200 trips a second",
    most: 1,
  },
  { what: "Size of the stored series, kB", row: "series", figure: "kilobytes", of: "200 trips a second", most: 4_000 },
  { what: "Start until ready with 10⁶ stored messages, ms", row: "ready", figure: "startMs", of: MANY, most: 500 },
];

/** The result of a bound. */
export type Verdict = {
  what: string;
  figure: Spread;
  bound: string;
  reached: boolean;
  goal?: { value: number; reached: boolean };
};

function figureOf(rounds: Rounds, { figure, of = "relay", by }: Bound): Spread {
  if (by !== undefined) return ratioOf(rounds, figure, of, by);
  return spreadOf((rounds[of] ?? []).map((round) => round[figure] ?? Number.NaN));
}

/** Compares the measured figures with the bounds. Bounds of rows that were not measured are omitted. */
export function judge(measured: ReadonlyMap<string, Rounds>): Verdict[] {
  return BOUNDS.flatMap((bound) => {
    const rounds = measured.get(bound.row);
    if (rounds === undefined) return [];
    const { what, least, most, goal } = bound;
    const figure = figureOf(rounds, bound);
    const meets = (value: number): boolean => (least === undefined ? figure[0] <= value : figure[0] >= value);
    return {
      what,
      figure,
      bound: least === undefined ? `at most ${most}` : `at least ${least}`,
      reached: meets(least ?? most ?? Number.NaN),
      ...(goal === undefined ? {} : { goal: { value: goal, reached: meets(goal) } }),
    };
  });
}
