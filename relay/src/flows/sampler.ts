import { hostname } from "node:os";
import { randomId } from "@porchlight/shared/id";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { ANSWER_CLASSES, BUCKETS, type Gauges, MESSAGE_EVENTS, type Metrics, type Totals } from "../base/metrics.ts";
import type { Database, Transaction } from "../db/database.ts";
import {
  addSample,
  dropSamples,
  newestSample,
  oldestSample,
  putSample,
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
};

/** Host and process, for the list of nodes. */
const PROCESS = { host: hostname(), pid: process.pid };

const MINUTE_MS = STEPS.minute * 1_000;
const HOUR_MS = STEPS.hour * 1_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * How long minute rows are kept: 2,880 of each node. The retention job deletes hour rows after SERIES_DAYS: 840 by default.
 * Together they take a megabyte.
 */
const MINUTES_MS = 2 * DAY_MS;

const eachOf = <Name extends string>(names: readonly Name[], value: (name: Name) => number): Record<Name, number> =>
  Object.fromEntries(names.map((name) => [name, value(name)])) as Record<Name, number>;
const buckets = (value: (n: number) => number): number[] =>
  Array.from({ length: BUCKETS.length + 1 }, (_, n) => value(n));

/** Combines two sets of counts, name by name. */
const combined = (a: Totals, b: Totals, of: (a: number, b: number) => number): Totals => ({
  messages: eachOf(MESSAGE_EVENTS, (name) => of(a.messages[name] ?? 0, b.messages[name] ?? 0)),
  answers: eachOf(ANSWER_CLASSES, (name) => of(a.answers[name] ?? 0, b.answers[name] ?? 0)),
  delivery: buckets((n) => of(a.delivery[n] ?? 0, b.delivery[n] ?? 0)),
  reply: buckets((n) => of(a.reply[n] ?? 0, b.reply[n] ?? 0)),
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

/** Combines samples of several steps or nodes into one. A page joins thousands, so this creates no object per sample. */
export function joined(samples: readonly Sample[], gauges: "sum" | "highest"): Sample {
  const all = emptySample();
  for (const one of samples) {
    for (const name of MESSAGE_EVENTS) all.messages[name] += one.messages[name] ?? 0;
    for (const name of ANSWER_CLASSES) all.answers[name] += one.answers[name] ?? 0;
    for (let n = 0; n <= BUCKETS.length; n++) {
      all.delivery[n] = (all.delivery[n] ?? 0) + (one.delivery[n] ?? 0);
      all.reply[n] = (all.reply[n] ?? 0) + (one.reply[n] ?? 0);
    }
    all.connections = gauges === "sum" ? all.connections + one.connections : Math.max(all.connections, one.connections);
    // All nodes count the same outbox, and learn the same limit.
    all.waiting = Math.max(all.waiting, one.waiting);
    all.pace = Math.max(all.pace, one.pace);
  }
  return all;
}

/** Stores the counts of each minute, and the sum of each hour. */
export function createSampler({ db, clock, log, metrics, gauges }: SamplerDeps) {
  const node = randomId(8);
  let before: Totals = structuredClone(metrics.totals);
  let cancel = (): void => {};
  let stopped = false;
  let storing = Promise.resolve();

  async function sample(at: number): Promise<void> {
    const now = structuredClone(metrics.totals);
    const counted = combined(now, before, (a, b) => a - b);
    const { messages } = await gauges.waiting();
    const rates = Object.values(gauges.pace());
    const body: Sample = {
      ...counted,
      connections: gauges.connections(),
      waiting: messages,
      pace: rates.length === 0 ? 0 : Math.min(...rates),
    };
    await db.transaction(
      async (tx) => {
        const whole = await withStored(tx, { at, node }, body);
        await putSample(tx, STEPS.minute, { at, node, body: JSON.stringify({ ...whole, ...PROCESS }) });
        await sumHours(tx, at);
      },
      ["series"],
    );
    // Set after the transaction: if the database stored nothing, the next sample contains these counts too.
    before = now;
  }

  /** Stores a sample after the one before is stored. Logs a failure. */
  function store(at: number): Promise<void> {
    storing = storing
      .then(() => sample(at))
      .catch((error: unknown) => log("database.failing", { cause: String(error) }));
    return storing;
  }

  const beginOf = (now: number): number => Math.floor(now / MINUTE_MS) * MINUTE_MS;

  function later(): void {
    if (stopped) return;
    const now = clock.now();
    const at = beginOf(now);
    cancel = clock.after(at + MINUTE_MS - now, () => void store(at).then(later));
  }

  return {
    start: later,
    /** Stores what was counted in the minute that has begun. */
    stop(): Promise<void> {
      stopped = true;
      cancel();
      return store(beginOf(clock.now()));
    },
  };
}

/** A sample with the counts that its row has already: a clock that is set back repeats a minute. */
async function withStored(tx: Transaction, { at, node }: { at: number; node: string }, body: Sample): Promise<Sample> {
  const stored = (await samplesBetween(tx, STEPS.minute, at, at + 1)).find((row) => row.node === node);
  if (stored === undefined) return body;
  return { ...body, ...combined(JSON.parse(stored.body) as Sample, body, (a, b) => a + b) };
}

/** Sums completed hours that have no row yet, and deletes minutes that are too old. */
async function sumHours(tx: Transaction, now: number): Promise<void> {
  const begun = Math.floor(now / HOUR_MS) * HOUR_MS;
  const newest = await newestSample(tx, STEPS.hour);
  const oldest = await oldestSample(tx, STEPS.minute, newest === undefined ? 0 : newest + HOUR_MS);
  if (oldest === undefined || oldest >= begun) return;
  for (let at = Math.floor(oldest / HOUR_MS) * HOUR_MS; at < begun; at += HOUR_MS) {
    const rows = await samplesBetween(tx, STEPS.minute, at, at + HOUR_MS);
    if (rows.length === 0) continue;
    const sum = joined(
      rows.map(({ body }) => JSON.parse(body) as Sample),
      "highest",
    );
    await addSample(tx, STEPS.hour, { at, node: "", body: JSON.stringify(sum) });
  }
  await dropSamples(tx, STEPS.minute, now - MINUTES_MS);
}

export type Sampler = ReturnType<typeof createSampler>;
