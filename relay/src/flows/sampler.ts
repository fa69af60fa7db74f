import { hostname } from "node:os";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import { limitConcurrency } from "../base/concurrency.ts";
import type { Log } from "../base/log.ts";
import { ANSWER_CLASSES, BUCKETS, type Gauges, MESSAGE_EVENTS, type Metrics, type Totals } from "../base/metrics.ts";
import type { Database, Transaction } from "../db/database.ts";
import {
  addSamples,
  dropSamples,
  newestSample,
  oldestSample,
  putSample,
  type SeriesRow,
  type SeriesStep,
  STEPS,
  samplesBetween,
} from "../records/series.ts";

/** A step of the series: counts during the step, and gauges at its end. */
export type Sample = Totals & { connections: number; waiting: number; pace: number };

type SamplerDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  gauges: Gauges;
  /** Interval (ms) at which the row of the current minute is stored: shorter than a minute if other nodes show the row. */
  storeMs?: number;
};

/** Host and process, for the list of nodes. */
const PROCESS_NAME = { host: hostname(), pid: process.pid };

const MINUTE_MS = STEPS.minute * 1_000;
/**
 * How long the rows of minutes (2,880 rows a node) and of quarters of an hour (192 rows) are kept. The retention job keeps those of
 * hours and of quarters of a day for SERIES_DAYS, by default 35 days: 840 and 140 rows. Together they take 1.3 megabytes.
 */
const FINE_ROWS_MS = 48 * STEPS.hour * 1_000;

const eachOf = <Name extends string>(names: readonly Name[], value: (name: Name) => number): Record<Name, number> =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, number>;
/** A value for each bucket of the histograms, and one for all that is above the last. */
const buckets = (value: (n: number) => number): number[] =>
  Array.from({ length: BUCKETS.length + 1 }, (_, n) => value(n));

/** Combines two sets of counts, name by name. */
const combined = (a: Totals, b: Totals, combine: (a: number, b: number) => number): Totals => ({
  messages: eachOf(MESSAGE_EVENTS, (name) => combine(a.messages[name] ?? 0, b.messages[name] ?? 0)),
  answers: eachOf(ANSWER_CLASSES, (name) => combine(a.answers[name] ?? 0, b.answers[name] ?? 0)),
  delivery: buckets((n) => combine(a.delivery[n] ?? 0, b.delivery[n] ?? 0)),
  reply: buckets((n) => combine(a.reply[n] ?? 0, b.reply[n] ?? 0)),
});

const emptySample = (): Sample => ({
  messages: eachOf(MESSAGE_EVENTS, () => 0),
  answers: eachOf(ANSWER_CLASSES, () => 0),
  delivery: buckets(() => 0),
  reply: buckets(() => 0),
  connections: 0,
  waiting: 0,
  pace: 0,
});

/** Merges samples of several steps or nodes into one. A page merges thousands, so this creates no object per sample. */
export function mergeSamples(samples: readonly Sample[], gauges: "sum" | "highest"): Sample {
  const all = emptySample();
  for (const one of samples) {
    for (const name of MESSAGE_EVENTS) all.messages[name] += one.messages[name] ?? 0;
    for (const name of ANSWER_CLASSES) all.answers[name] += one.answers[name] ?? 0;
    for (let n = 0; n <= BUCKETS.length; n++) {
      all.delivery[n] = (all.delivery[n] ?? 0) + (one.delivery[n] ?? 0);
      all.reply[n] = (all.reply[n] ?? 0) + (one.reply[n] ?? 0);
    }
    all.connections = gauges === "sum" ? all.connections + one.connections : Math.max(all.connections, one.connections);
    // All nodes count the same outbox. One node learns the limit; the others report 0.
    all.waiting = Math.max(all.waiting, one.waiting);
    all.pace = Math.max(all.pace, one.pace);
  }
  return all;
}

/** The samples of each step, summed over the nodes, oldest first. @param rows oldest first */
export const stepsOf = (rows: readonly SeriesRow[]): { at: number; sample: Sample }[] =>
  [...Map.groupBy(rows, ({ at }) => at)].map(([at, nodes]) => {
    const samples = nodes.map(({ body }) => JSON.parse(body) as Sample);
    return { at, sample: mergeSamples(samples, "sum") };
  });

const minuteOf = (now: number): number => Math.floor(now / MINUTE_MS) * MINUTE_MS;

/** Measures a sample: the counts since `before`, and the gauges. @returns the sample as `body`, and the present totals as `now` */
async function measure({ metrics, gauges }: SamplerDeps, before: Totals): Promise<{ now: Totals; body: Sample }> {
  const now = structuredClone(metrics.totals);
  const { messages } = await gauges.waiting();
  const rates = Object.values(gauges.pace());
  const body: Sample = {
    ...combined(now, before, (a, b) => a - b),
    connections: gauges.connections(),
    waiting: messages,
    pace: rates.length === 0 ? 0 : Math.min(...rates),
  };
  return { now, body };
}

/** Stores the counts of each minute, and their sums in coarser steps. */
export function createSampler(deps: SamplerDeps) {
  const { db, clock, log, metrics, storeMs = MINUTE_MS } = deps;
  const node = randomId(8);
  let before: Totals = structuredClone(metrics.totals);
  let cancel = (): void => {};
  let stopped = false;
  // One at a time, because a row that is read during a store would contain its counts twice.
  const serially = limitConcurrency(1);

  async function sample(at: number): Promise<void> {
    const { now, body } = await measure(deps, before);
    await db.transaction(
      async (tx) => {
        await putSample(tx, STEPS.minute, await wholeRow(tx, { at, node }, body));
        // Only after the minute is over: by then, the other nodes have stored the last minute of the step before.
        if (clock.now() >= at + MINUTE_MS) await sumSteps(tx, at);
      },
      ["series"],
    );
    // Set after the transaction: if the database stored nothing, the next sample contains these counts too.
    before = now;
  }

  /** Stores a sample. Logs a failure. */
  const store = (at: number): Promise<void> =>
    serially(() => sample(at)).catch((error: unknown) => log("database.failing", { cause: String(error) }));

  function scheduleNext(): void {
    if (stopped) return;
    const now = clock.now();
    const at = minuteOf(now);
    cancel = clock.after(storeMs - (now % storeMs), () => void store(at).then(scheduleNext));
  }

  return {
    /** Starts to store the counts at the end of each interval. */
    start: scheduleNext,
    /** This node's row of the current minute, up to now. */
    currentMinute: (): Promise<SeriesRow> =>
      serially(async () => {
        const { body } = await measure(deps, before);
        return wholeRow(db, { at: minuteOf(clock.now()), node }, body);
      }),
    /** Stores the counts of the current minute, and stops. */
    stop(): Promise<void> {
      stopped = true;
      cancel();
      return store(minuteOf(clock.now()));
    },
  };
}

/** A node's row of a minute: a sample with the counts that the row has already. A clock that is set back repeats a minute. */
async function wholeRow(
  tx: Transaction,
  { at, node }: { at: number; node: string },
  sample: Sample,
): Promise<SeriesRow> {
  const stored = (await samplesBetween(tx, STEPS.minute, at, at + 1)).find((row) => row.node === node);
  const counts = stored && combined(JSON.parse(stored.body) as Sample, sample, (a, b) => a + b);
  return { at, node, body: JSON.stringify({ ...sample, ...counts, ...PROCESS_NAME }) };
}

/** Sums completed steps that have no row yet, and deletes fine rows that are too old. */
async function sumSteps(tx: Transaction, now: number): Promise<void> {
  // A coarser step is complete only when its last quarter of an hour is.
  if (!(await sumStep(tx, STEPS.quarterHour, { of: STEPS.minute, now }))) return;
  await sumStep(tx, STEPS.hour, { of: STEPS.quarterHour, now });
  await sumStep(tx, STEPS.quarterDay, { of: STEPS.hour, now });
  for (const step of [STEPS.minute, STEPS.quarterHour]) await dropSamples(tx, step, now - FINE_ROWS_MS);
}

/**
 * Sums the rows of the next finer step `of` for each completed step after the newest one.
 * @returns whether it stored a row
 */
async function sumStep(
  tx: Transaction,
  step: SeriesStep,
  { of, now }: { of: SeriesStep; now: number },
): Promise<boolean> {
  const ms = step * 1_000;
  const beginOf = (at: number): number => Math.floor(at / ms) * ms;
  const newest = await newestSample(tx, step);
  const oldest = await oldestSample(tx, of, newest === undefined ? 0 : newest + ms);
  if (oldest === undefined || oldest >= beginOf(now)) return false;
  const rows = await samplesBetween(tx, of, oldest, beginOf(now));
  const sums = [...Map.groupBy(rows, ({ at }) => beginOf(at))].map(([at, finer]) => {
    const samples = stepsOf(finer).map(({ sample }) => sample);
    return { at, node: "", body: JSON.stringify(mergeSamples(samples, "highest")) };
  });
  await addSamples(tx, step, sums);
  return true;
}

/** Stores the series of one node; see `createSampler`. */
export type Sampler = ReturnType<typeof createSampler>;
