import { afterEach, beforeEach, expect, it } from "vitest";
import { silentLog } from "../base/log.ts";
import { createMetrics, type Metrics } from "../base/metrics.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { createSampler, mergeSamples, type Sample } from "../flows/sampler.ts";
import { addSamples, type SeriesRow, STEPS } from "../records/series.ts";
import { overview } from "./overview.ts";

const NOW = Date.UTC(2026, 10, 23, 15, 30, 35);
const gauges = {
  connections: () => 0,
  waiting: async () => ({ messages: 0, oldest: 0 }),
  pace: () => ({}),
  diskFree: async () => 1,
  paused: () => ({}),
};

let db: Database;
let metrics: Metrics;
let currentMinute: Parameters<typeof overview>[0]["currentMinute"];
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  metrics = createMetrics();
  const clock = { now: () => NOW, uptime: () => NOW, after: () => () => {} };
  ({ currentMinute } = createSampler({ db, clock, log: silentLog, metrics, gauges }));
});
afterEach(() => db.close());

const takesWrites = async (): Promise<boolean> => true;
const page = async (range: string): Promise<string> =>
  String(await overview({ db, now: NOW, takesWrites, gauges, currentMinute, range }));

/** The figure of a plot, without the other figures. */
const figureOf = (text: string, title: string): string =>
  /^.*?<\/figure>/s.exec(text.split("<figure>").find((part) => part.startsWith(`<figcaption>${title}<`)) ?? "")?.[0] ??
  "";

/** The value of a card. */
const cardOf = (text: string, name: string): string | undefined =>
  new RegExp(`<p>${name}</p><p class="value">([^<]*)<`).exec(text)?.[1];

const store = (node: string, at: number, sample: Sample): Promise<void> =>
  db.transaction((tx) => addSamples(tx, STEPS.minute, [{ at, node, body: JSON.stringify(sample) }]));

/** The labels of the time axis. */
const ticksOf = (figure: string): string[] =>
  [...figure.matchAll(/class="time"[^>]+>([^<]+)</g)].map(([, label = ""]) => label);

it("shows each class of the service's answers as a line, and failures on an axis of their own", async () => {
  const empty = mergeSamples([], "sum");
  const sample: Sample = {
    ...empty,
    messages: { ...empty.messages, stored: 5_000, failed: 2 },
    answers: { "2xx": 11, "429": 12, "4xx": 13, "5xx": 14, none: 15 },
  };
  await store("", NOW - 95_000, sample);
  const text = await page("hour");
  for (const line of [
    "2xx newest 0, highest 11",
    "highest 12",
    "highest 13",
    "highest 14",
    "no answer newest 0, highest 15",
  ])
    expect(figureOf(text, "The service&#39;s answers")).toContain(line);
  const failed = figureOf(text, "Failed messages");
  expect(failed).toContain("failed newest 0, highest 2");
  expect(failed).toMatch(/class="value"[^>]+>2</);
});

it("draws the first line of a plot on top of the others, and none that is zero all the time", async () => {
  const empty = mergeSamples([], "sum");
  await store("", NOW - 95_000, { ...empty, answers: { "2xx": 11, "429": 0, "4xx": 0, "5xx": 2, none: 0 } });
  const figure = figureOf(await page("hour"), "The service&#39;s answers");
  const drawn = [...figure.matchAll(/<(?:polyline|circle) class="s(\d)/g)].map(([, line]) => line);
  expect([...new Set(drawn)]).toEqual(["3", "0"]);
});

it("draws no limit for a minute that the sending node has not stored yet", async () => {
  await store("sending", NOW - 95_000, { ...mergeSamples([], "sum"), pace: 60 });
  expect(figureOf(await page("hour"), "Calls per minute")).toContain("limit as learned newest 60, highest 60");
});

it("counts the running minute of this node, and the newest stored minute of the others", async () => {
  metrics.message("stored");
  metrics.message("reply");
  metrics.delivered(0.2);
  for (const range of ["hour", "day", "week", "month"]) {
    const text = await page(range);
    expect(cardOf(text, "From visitors"), range).toBe("1");
    expect(cardOf(text, "Delivered in"), range).not.toBe("–");
    expect(figureOf(text, "Messages"), range).toContain("from visitors newest 1, highest 1; replies newest 1");
  }
  const empty = mergeSamples([], "sum");
  await store("another", NOW - 35_000, { ...empty, messages: { ...empty.messages, stored: 4 } });
  expect(cardOf(await page("hour"), "From visitors")).toBe("5");
});

it("counts the minutes of the last hour until the sum of that hour is stored", async () => {
  const empty = mergeSamples([], "sum");
  const body = { ...empty, messages: { ...empty.messages, stored: 4 } };
  await store("", NOW - 31 * 60_000 - 35_000, body);
  expect(cardOf(await page("week"), "From visitors")).toBe("4");
});

it("the cards of waiting and failed messages lead to their page", async () => {
  const text = await page("hour");
  for (const name of ["Waiting", "Failed"]) expect(text).toContain(`<p><a href="/admin/deliveries">${name}</a></p>`);
});

it("an empty plot says in one sentence what will appear in it, and when", async () => {
  const text = await page("hour");
  expect(text).not.toContain("<svg");
  expect(figureOf(text, "Time to delivery")).toMatch(
    /<p class="nothing">[^.]+ appears here within half a minute[^.]*\.</,
  );
  expect(text.match(/class="nothing"/g)).toHaveLength(8);
});

it("labels the time axis between its ends, which differ", async () => {
  metrics.message("stored");
  expect(ticksOf(figureOf(await page("hour"), "Messages"))).toEqual(["14:30", "14:45", "15:00", "15:15", "15:30"]);
  expect(ticksOf(figureOf(await page("day"), "Messages"))).toEqual(["24 h ago", "21:30", "03:30", "09:30", "15:30"]);
  // A label for each day of the week, and for each sixth day of the month.
  const [week, month] = [
    ticksOf(figureOf(await page("week"), "Messages")),
    ticksOf(figureOf(await page("month"), "Messages")),
  ];
  expect(week).toEqual(["11-16", "11-17", "11-18", "11-19", "11-20", "11-21", "11-22", "11-23"]);
  expect(month).toEqual(["10-24", "10-30", "11-05", "11-11", "11-17", "11-23"]);
});

const [MINUTE, HOUR] = [60_000, 3_600_000];

/** A sample with counts and gauges that differ from step to step. */
function busySample(n: number): Sample {
  const empty = mergeSamples([], "sum");
  const delivery = empty.delivery.map((_, bucket) => (n + bucket) % 5);
  const messages = { stored: n % 7, delivered: n % 5, failed: n % 3, reply: n % 11 };
  return { ...empty, messages, delivery, connections: n % 13, waiting: n % 4, pace: n % 17 };
}

/** Rows of a series, one at each step of a time. */
const seriesRows = (node: string, step: number, from: number, to: number): SeriesRow[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, n) => ({
    at: from + n * step,
    node,
    body: JSON.stringify(busySample(n)),
  }));

/** Lets a sampler finish the minute that begins at `at`: it sums the steps that are complete. */
async function finishMinute(at: number): Promise<void> {
  let [time, timers] = [at, 0];
  const finished = Promise.withResolvers<void>();
  const after = (ms: number, fn: () => void) => {
    timers++;
    if (timers > 1) finished.resolve();
    else {
      time += ms;
      fn();
    }
    return () => {};
  };
  const clock = { now: () => time, uptime: () => time, after };
  createSampler({ db, clock, log: silentLog, metrics: createMetrics(), gauges }).start();
  await finished.promise;
}

/** How many statements a page runs on the series, and how many rows they return. */
async function readsOf(range: string): Promise<{ statements: number; rows: number }> {
  const reads = { statements: 0, rows: 0 };
  const counted: Database = {
    ...db,
    async all(sql, ...values) {
      const rows = await db.all(sql, ...values);
      if (sql.includes("FROM series")) {
        reads.statements++;
        reads.rows += rows.length;
      }
      return rows as never;
    },
  };
  await overview({ db: counted, now: NOW, takesWrites, gauges, currentMinute, range });
  return reads;
}

it("draws a range from about as many stored rows as it has points, and the same as from the rows of minutes", async () => {
  const nodes = ["one", "another"];
  const now = NOW - (NOW % MINUTE);
  const [weeksAgo, daysAgo] = [now - (now % HOUR) - 34 * 24 * HOUR, now - (now % HOUR) - 30 * HOUR];
  const minutes = nodes.flatMap((node) => [
    ...seriesRows(node, MINUTE, daysAgo, now - 9 * HOUR),
    ...seriesRows(node, MINUTE, now - 5 * HOUR, now),
  ]);
  await db.transaction(async (tx) => {
    await addSamples(tx, STEPS.hour, seriesRows("", HOUR, weeksAgo, daysAgo));
    await addSamples(tx, STEPS.minute, minutes);
  });
  const ranges = ["hour", "day", "week", "month"];
  const before = await Promise.all(ranges.map(page));
  await finishMinute(now - 10 * MINUTE);
  expect(await Promise.all(ranges.map(page))).toEqual(before);

  // The other nodes' newest rows, for the list of nodes.
  const list = db.dialect === "sqlite" ? { statements: 0, rows: 0 } : { statements: 1, rows: 2 * nodes.length };
  const newest = 15 * nodes.length + 1;
  for (const [range, rows] of [
    ["hour", 60 * nodes.length + 1],
    ["day", 96 + newest],
    ["week", 168 + 4 + newest],
    ["month", 120 + 6 + 4 + newest],
  ] as const) {
    const reads = await readsOf(range);
    expect(reads.statements, range).toBe(1 + list.statements);
    expect(reads.rows, range).toBeLessThanOrEqual(rows + list.rows);
  }
});
