import { html } from "hono/html";
import { ANSWER_CLASSES, BUCKETS, type Gauges } from "../base/metrics.ts";
import type { Database } from "../db/database.ts";
import { mergeSamples, type Sample, type Sampler, stepsOf } from "../flows/sampler.ts";
import { countFailed } from "../records/search.ts";
import { isSameRow, type SeriesRow, type SeriesStep, STEPS, samplesInSteps } from "../records/series.ts";
import { duration } from "./duration.ts";
import { count, type Html, liveScript, STALE_NOTICE } from "./html.ts";
import { plot } from "./plot.ts";
import { nodeTable, openProblems, runningNodes } from "./state.ts";

const { minute, quarterHour, hour, quarterDay } = STEPS;

/**
 * The ranges of the plots. `steps`: the stored steps to read, from the coarsest to the finest; the first one is also the time of
 * a point. `points`: points of a plot. `parts`: parts of the time axis, with a label at each end of a part. `period`: the time
 * of a point, in words.
 */
const RANGES = {
  hour: { name: "Hour", steps: [minute], points: 60, parts: 4, period: "minute" },
  day: { name: "Day", steps: [quarterHour, minute], points: 96, parts: 4, period: "quarter of an hour" },
  week: { name: "Week", steps: [hour, quarterHour, minute], points: 168, parts: 7, period: "hour" },
  month: {
    name: "Month",
    steps: [quarterDay, hour, quarterHour, minute],
    points: 120,
    parts: 5,
    period: "quarter of a day",
  },
} as const satisfies Record<string, RangeRow>;
type RangeRow = {
  name: string;
  steps: readonly [SeriesStep, ...SeriesStep[]];
  points: number;
  parts: number;
  period: string;
};
type Range = keyof typeof RANGES;

const rangeOf = (name: string | undefined): Range =>
  name !== undefined && Object.hasOwn(RANGES, name) ? (name as Range) : "hour";

/** The time of a point of a range, in milliseconds. */
const pointMs = ({ steps }: RangeRow): number => steps[0] * 1_000;

/**
 * Samples by point, oldest first; undefined where the relay did not run.
 * @param own this node's running minute: it replaces its stored row, which is missing or incomplete
 */
async function pointsOf(db: Database, range: Range, now: number, own: SeriesRow): Promise<(Sample | undefined)[]> {
  const { steps, points } = RANGES[range];
  const ms = pointMs(RANGES[range]);
  const end = Math.floor(now / ms) * ms + ms;
  const begin = end - points * ms;
  const stored = await samplesInSteps(db, steps, begin, end);
  const rows = [...stored.filter((row) => !isSameRow(row, own)), own];
  const slots = Map.groupBy(stepsOf(rows), ({ at }) => Math.floor((at - begin) / ms));
  return Array.from({ length: points }, (_, n) => {
    const found = slots.get(n);
    return (
      found &&
      mergeSamples(
        found.map(({ sample }) => sample),
        "highest",
      )
    );
  });
}

/** A quantile of a histogram of times, in seconds, by linear interpolation within its bucket; undefined without counts. */
function quantile(counts: readonly number[], q: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let below = 0;
  for (const [n, count] of counts.entries()) {
    if (below + count >= q * total) {
      const low = n === 0 ? 0 : (BUCKETS[n - 1] ?? 0);
      const high = BUCKETS[n] ?? low;
      return low + ((high - low) * (q * total - below)) / count;
    }
    below += count;
  }
  return BUCKETS.at(-1);
}

/** A count as the label of a plot, like 20K. */
const shortCount = (value: number): string => Math.round(value).toLocaleString("en", { notation: "compact" });

/**
 * The labels of the time axis: times for an hour and a day, else days. A day begins and ends at the same time, so its first
 * label is "24 h ago".
 */
function ticksOf(range: Range, now: number): string[] {
  const { points, parts } = RANGES[range];
  const length = points * pointMs(RANGES[range]);
  return Array.from({ length: parts + 1 }, (_, n) => {
    const [, day = "", time = ""] =
      /^\d+-(\d\d-\d\d)T(\d\d:\d\d)/.exec(new Date(now - length + (n * length) / parts).toISOString()) ?? [];
    if (range === "week" || range === "month") return day;
    return n === 0 && range === "day" ? "24 h ago" : time;
  });
}

/** The page of the waiting and failed messages. */
const DELIVERIES_PATH = "/admin/deliveries";

type CardLook = { bad?: boolean; path?: string };

/** A figure with its name and a note. @param look.path the page that the card leads to */
const card = (name: string, value: string, note: string, { bad = false, path }: CardLook = {}): Html =>
  html`<li class="card${bad ? " bad" : ""}"><p>${path === undefined ? name : html`<a href="${path}">${name}</a>`}</p><p class="value">${value}</p><p>${note}</p></li>`;

type Deps = {
  db: Database;
  now: number;
  /** Whether the database accepts writes now. */
  takesWrites: () => Promise<boolean>;
  gauges: Gauges;
  /** This node's running minute. */
  currentMinute: Sampler["currentMinute"];
  range: string | undefined;
};

type Figures = { points: (Sample | undefined)[]; all: Sample; ticks: string[]; range: Range };

/** Seconds between two updates of the page. */
const RENEW_S = 15;
/** How soon the plots show a new event: other nodes store their counts every 10 seconds. */
const SOON = "within half a minute";

/** The plots, each with what it says while it has no values above zero. */
function plots({ points, ticks, range }: Figures): Html {
  const line = (name: string, of: (sample: Sample) => number | undefined) => ({
    name,
    values: points.map((point) => point && of(point)),
  });
  const quantiles = (of: (sample: Sample) => readonly number[]) =>
    [50, 95, 99].map((q) => line(`p${q}`, (sample) => quantile(of(sample), q / 100)));
  const answers = ANSWER_CLASSES.map((name) =>
    line(name === "none" ? "no answer" : name, ({ answers }) => answers[name]),
  );
  const messages = [
    line("from visitors", ({ messages }) => messages.stored),
    line("replies", ({ messages }) => messages.reply),
  ];
  const failed = [line("failed", ({ messages }) => messages.failed)];
  const open = [line("connections", ({ connections }) => connections)];
  const waiting = [line("waiting", ({ waiting }) => waiting)];
  // Only the sending node knows the limit; until it has stored the minute, the minute has none.
  const limit = [line("limit as learned", ({ pace }) => (pace > 0 ? pace : undefined))];
  const within = `within the ${range}`;
  const counts = { ticks, format: shortCount };
  const times = { ticks, format: duration };
  return html`<div class="plots">
${plot({ ...counts, title: "Messages", lines: messages, empty: `A message that a visitor writes appears here ${SOON}.` })}
${plot({ ...counts, title: "Failed messages", lines: failed, empty: `No message failed ${within}; one that fails appears here ${SOON}.` })}
${plot({ ...counts, title: "Open chats", lines: open, empty: `A chat that is open appears here ${SOON}.` })}
${plot({ ...times, title: "Time to delivery", lines: quantiles(({ delivery }) => delivery), empty: `The time that the service takes to accept a message appears here ${SOON} of its answer.` })}
${plot({ ...times, title: "Time to reply", lines: quantiles(({ reply }) => reply), empty: `The time from a visitor's message to the next reply appears here ${SOON} of the reply.` })}
${plot({ ...counts, title: "The service's answers", lines: answers, empty: `An answer of the service to a call appears here ${SOON}.` })}
${plot({ ...counts, title: "Waiting messages", lines: waiting, empty: `No message was waiting at the end of a minute ${within}; one that waits now appears here ${SOON}.` })}
${plot({ ...counts, title: "Calls per minute", lines: limit, empty: `The limit of calls that the relay keeps to, and learns from the service's answers, appears here ${SOON} of its start.` })}
</div>`;
}

/** The present state, and sums of the range. */
async function cards(
  { db, gauges }: Deps,
  { all, range }: Figures,
  open: { chats: number; nodes: number },
): Promise<Html> {
  const { messages: waiting, oldest } = await gauges.waiting();
  const failed = await countFailed(db);
  const within = `within the ${range}`;
  const [median, most] = [0.5, 0.95].map((q) => quantile(all.delivery, q));
  return html`<ul class="cards">
${card("Open chats", count(open.chats), open.nodes === 1 ? "now" : `now, on ${open.nodes} nodes`)}
${card("Waiting", count(waiting), waiting === 0 ? "nothing waits" : `oldest for ${duration(oldest)}`, { bad: oldest > 300, path: DELIVERIES_PATH })}
${card("Failed", count(failed), "not tried again", { bad: failed > 0, path: DELIVERIES_PATH })}
${card("From visitors", count(Math.round(all.messages.stored)), within)}
${card("Replies", count(Math.round(all.messages.reply)), within)}
${median === undefined ? card("Delivered in", "–", `none ${within}`) : card("Delivered in", duration(median), `median; 95 % within ${duration(most ?? median)}`)}
</ul>`;
}

/** The overview page: the present state, and plots of the chosen range. */
export async function overview(deps: Deps): Promise<Html> {
  const { db, now, takesWrites, currentMinute, range: wanted } = deps;
  const range = rangeOf(wanted);
  const own = await currentMinute();
  const points = await pointsOf(db, range, now, own);
  const known = points.filter((point) => point !== undefined);
  const figures = { points, all: mergeSamples(known, "highest"), ticks: ticksOf(range, now), range };
  const nodes = await runningNodes(db, now, own);
  const chats = nodes.reduce((sum, { connections }) => sum + connections, 0);
  return html`${STALE_NOTICE}
<div id="problems" data-live="${RENEW_S}" role="status">${await openProblems(db, await takesWrites())}</div>
<ul class="tabs" aria-label="Time shown">${Object.entries(RANGES).map(
    ([name, { name: words }]) =>
      html`<li><a href="/admin?range=${name}"${name === range ? html` aria-current="true"` : ""}>${words}</a></li>`,
  )}</ul>
<div id="figures" data-live="${RENEW_S}">
${await cards(deps, figures, { chats, nodes: nodes.length })}
${plots(figures)}
<p class="note">Times in UTC. The dashed end of a line is the ${RANGES[range].period} that has begun.</p>
</div>
<h2>Nodes</h2>
<div id="nodes" data-live="${RENEW_S}">${nodeTable(nodes)}</div>
${liveScript(`/admin?range=${range}`)}`;
}
