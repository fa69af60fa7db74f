/** What the stored series behind the operator's plots cost: the CPU of the sampler, and the space that its rows take. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../relay/src/base/clock.ts";
import { silentLog } from "../../../relay/src/base/log.ts";
import { createMetrics, type Metrics } from "../../../relay/src/base/metrics.ts";
import type { Database } from "../../../relay/src/db/database.ts";
import { migrate } from "../../../relay/src/db/migrate.ts";
import { openDatabase } from "../../../relay/src/db/open.ts";
import { createSampler } from "../../../relay/src/flows/sampler.ts";
import { waitingIn } from "../../../relay/src/records/outbox.ts";
import { addSamples, STEPS, samplesBetween } from "../../../relay/src/records/series.ts";
import type { Rounds } from "../load.ts";
import { alternate, type Plan, type Row } from "../row.ts";

const MINUTE_MS = STEPS.minute * 1_000;
const DAY_MS = 86_400_000;
/** Minutes of a round: an hour, so that one of its samples also sums the hour. */
const ROUND_MINUTES = 60;
/** How many minutes are kept, and for how many days the coarsest steps (SERIES_DAYS). */
const MINUTES = 2 * 24 * 60;
const DAYS = 35;
/** Round trips a second of a busy relay. */
const BUSY = 200;

/** Counts the events of a round trip as the relay does. */
function trip(metrics: Metrics): void {
  metrics.message("stored");
  metrics.answer(200);
  metrics.message("delivered");
  metrics.delivered(0.02);
  metrics.message("reply");
  metrics.replied(0.4);
}

/** The same for many trips at once, in the counts that the sampler reads. */
function count({ totals }: Metrics, trips: number): void {
  for (const event of ["stored", "delivered", "reply"] as const) totals.messages[event] += trips;
  totals.answers["2xx"] += trips;
  for (const times of [totals.delivery, totals.reply]) times[0] = (times[0] ?? 0) + trips;
}

/** A clock that jumps from one timer to the next. */
function createSteps(begin: number): { clock: Clock; step: () => Promise<void> } {
  let time = begin;
  let due: (() => void) | undefined;
  const clock: Clock = {
    now: () => time,
    uptime: () => time,
    after(ms, fn) {
      due = () => {
        due = undefined;
        time += ms;
        fn();
      };
      return () => {};
    },
  };
  /** Runs the next timer, and waits until its work has set another one. */
  async function step(): Promise<void> {
    due?.();
    while (due === undefined) await new Promise((resolve) => setImmediate(resolve));
  }
  return { clock, step };
}

/** A sampler that has run for 35 days: the earlier rows of the coarsest steps are copies of one. */
async function sampler(db: Database): Promise<{ metrics: Metrics; step: () => Promise<void> }> {
  const { clock, step } = createSteps(Date.now());
  const metrics = createMetrics();
  const gauges = {
    connections: () => 1_000,
    waiting: async () => ({ messages: (await waitingIn(db, 1)).messages, oldest: 0 }),
    pace: () => ({ default: 60 }),
    diskFree: async () => 1,
    paused: () => ({ default: undefined }),
  };
  createSampler({ db, clock, log: silentLog, metrics, gauges }).start();
  for (let minute = 0; minute < MINUTES; minute++) {
    count(metrics, BUSY * 60);
    await step();
  }
  await db.transaction(async (tx) => {
    for (const step of [STEPS.hour, STEPS.quarterDay]) {
      const [first] = await samplesBetween(tx, step, 0, Number.MAX_SAFE_INTEGER);
      if (first === undefined) throw new Error(`The sampler summed no step of ${step} s`);
      const copies = (DAYS * DAY_MS) / 1_000 / step - 1;
      await addSamples(
        tx,
        step,
        Array.from({ length: copies }, (_, n) => ({ ...first, at: first.at - (n + 1) * step * 1_000 })),
      );
    }
  });
  return { metrics, step };
}

async function series(plan: Plan): Promise<Rounds> {
  const folder = mkdtempSync(join(tmpdir(), "porchlight-series-"));
  const db = await openDatabase(`sqlite:${join(folder, "porchlight.db")}`);
  try {
    await migrate(db);
    const { metrics, step } = await sampler(db);
    const contenders = [
      { name: "no trips", perSecond: 0 },
      { name: `${BUSY} trips a second`, perSecond: BUSY },
    ];
    return await alternate(contenders, plan.rounds, async ({ perSecond }) => {
      const begin = process.cpuUsage();
      for (let minute = 0; minute < ROUND_MINUTES; minute++) {
        for (let n = 0; n < perSecond * 60; n++) trip(metrics);
        await step();
      }
      const { user, system } = process.cpuUsage(begin);
      const [row] = await db.all<{ bytes: number }>("SELECT sum(pgsize) AS bytes FROM dbstat WHERE name = 'series'");
      return {
        corePercent: ((user + system) / 1_000 / (ROUND_MINUTES * MINUTE_MS)) * 100,
        kilobytes: (row?.bytes ?? 0) / 1_000,
      };
    });
  } finally {
    await db.close();
    rmSync(folder, { recursive: true });
  }
}

export const SERIES: readonly Row[] = [
  {
    name: "series",
    title: "Stored series of the plots, after 35 days",
    shown: ["corePercent", "kilobytes"],
    quick: true,
    measure: series,
  },
];
