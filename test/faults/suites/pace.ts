import {
  LATENCIES,
  type Profile,
  QUICK,
  restarted,
  type Shares,
  shared,
  steady,
  WINDOWS,
} from "../../../relay/src/service/pacer.fixture.ts";
import { type Common, percent, type Report, seconds } from "./suite.ts";

const LIMITS = [10, 30, 300] as const;
const STYLES = ["none", "retryAfter", "ietf6"] as const;
const SEEDS = 5;
const LEAST_USED = 0.9;
const MOST_REFUSED = 0.02;

/** The lowest use and the highest refusal rate of several runs. */
type Extremes = { used: number; refused: number };

/**
 * S5c: the pacer alone, in simulated time, with all combinations of window, limit, call duration and rate-limit
 * headers; also beside another client of the same key. Prints a table. The pacer's unit tests check the bounds for
 * short calls too.
 */
export async function pace({ seed = 1, progress = () => {} }: Common): Promise<Report> {
  const begun = performance.now();
  const violations: string[] = [];
  const total: Extremes = { used: 1, refused: 0 };
  const beside: Extremes = { used: 1, refused: 0 };
  progress("window   limit  answers                        used    refused  beside another client: used, refused");
  for (const kind of WINDOWS) {
    for (const limit of LIMITS) {
      for (const [name, latency] of Object.entries(LATENCIES)) {
        const profiles = STYLES.flatMap((style) =>
          Array.from({ length: SEEDS }, (_, n): Profile => ({ kind, style, limit, latency, seed: seed + n })),
        );
        const alone = extremes(profiles.map((profile) => steady(profile)));
        const both = extremes(profiles.flatMap((profile) => [shared(profile, 0.1, true), shared(profile, 0.3, true)]));
        merge(total, alone);
        merge(beside, both);
        const words = [kind.padEnd(9), String(limit).padEnd(6), name.padEnd(30), ...cells(alone), " ", ...cells(both)];
        progress(words.join(""));
        if (alone.used < LEAST_USED) violations.push(`slow: ${percent(alone.used)} used: ${kind}, ${limit}, ${name}`);
        if (alone.refused >= MOST_REFUSED)
          violations.push(`refused: ${percent(alone.refused)} of the calls: ${kind}, ${limit}, ${name}`);
      }
    }
  }
  const restart = afterRestart(seed);
  if (restart.second < 0.8) violations.push(`slow: ${percent(restart.second)} in the second minute after a restart`);
  if (restart.later < 0.95) violations.push(`slow: ${percent(restart.later)} from the third minute after a restart`);
  return {
    violations,
    figures: {
      profiles: WINDOWS.length * LIMITS.length * Object.keys(LATENCIES).length * STYLES.length * SEEDS,
      "used at least": percent(total.used),
      "refused at most": percent(total.refused),
      "second minute after a restart": percent(restart.second),
      "from the third minute": percent(restart.later),
      "used beside another client": percent(beside.used),
      "refused beside another client": percent(beside.refused),
      seconds: seconds(begun),
    },
  };
}

/**
 * The lowest shares of a limit of 60 that are used after a restart, over all windows and headers. The restart is in a window
 * whose limit is already used up.
 */
function afterRestart(seed: number): { second: number; later: number } {
  const limit = 60;
  const runs = WINDOWS.flatMap((kind) =>
    STYLES.flatMap((style) =>
      [15_000, 30_000, 50_000].map((before) => restarted({ kind, style, limit, latency: QUICK, seed }, before)),
    ),
  );
  return {
    second: Math.min(...runs.map((minutes) => minutes[1] ?? 0)) / limit,
    later: Math.min(...runs.flatMap((minutes) => minutes.slice(2))) / limit,
  };
}

const extremes = (all: readonly Shares[]): Extremes => ({
  used: Math.min(...all.map(({ used }) => used)),
  refused: Math.max(...all.map(({ refused }) => refused)),
});

function merge(into: Extremes, other: Extremes): void {
  into.used = Math.min(into.used, other.used);
  into.refused = Math.max(into.refused, other.refused);
}

const cells = ({ used, refused }: Extremes): string[] => [percent(used).padEnd(9), percent(refused).padEnd(8)];
