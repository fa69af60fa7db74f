import { html } from "hono/html";
import { ANSWER_CLASSES, BUCKETS, type Gauges } from "../base/metrics.ts";
import type { Database } from "../db/database.ts";
import { joined, type Sample } from "../flows/sampler.ts";
import { countFailed } from "../records/search.ts";
import { STEPS, type Step, samplesBetween } from "../records/series.ts";
import { duration } from "./duration.ts";
import { count, type Html } from "./html.ts";
import { plot } from "./plot.ts";
import { nodes, openProblems } from "./state.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The ranges of the plots: length, step of the stored series, and number of steps per point. */
const RANGES = {
  hour: { name: "Hour", step: STEPS.minute, points: 60, each: 1 },
  day: { name: "Day", step: STEPS.minute, points: 96, each: 15 },
  week: { name: "Week", step: STEPS.hour, points: 168, each: 1 },
  month: { name: "Month", step: STEPS.hour, points: 120, each: 6 },
} as const satisfies Record<string, { name: string; step: Step; points: number; each: number }>;
type Range = keyof typeof RANGES;

const rangeOf = (name: string | undefined): Range =>
  name !== undefined && Object.hasOwn(RANGES, name) ? (name as Range) : "hour";

/** Samples by point, oldest first; undefined where the relay did not run. */
async function pointsOf(db: Database, range: Range, now: number): Promise<(Sample | undefined)[]> {
  const { step, points, each } = RANGES[range];
  const ms = step * 1_000 * each;
  const end = Math.floor(now / ms) * ms + ms;
  const begin = end - points * ms;
  const rows = await samplesBetween(db, step, begin, end);
  // The current hour has no row yet.
  const recent =
    step === STEPS.hour ? await samplesBetween(db, STEPS.minute, Math.floor(now / HOUR_MS) * HOUR_MS, end) : [];
  const steps = Map.groupBy([...rows, ...recent], ({ at }) => at);
  const slots = Map.groupBy(
    [...steps].map(([at, nodes]) => ({
      at,
      sample: joined(
        nodes.map(({ body }) => JSON.parse(body) as Sample),
        "sum",
      ),
    })),
    ({ at }) => Math.floor((at - begin) / ms),
  );
  return Array.from({ length: points }, (_, n) => {
    const found = slots.get(n);
    return (
      found &&
      joined(
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

/** Steps of the time axis between its labels. */
const TICKS = 4;

/**
 * The labels of the time axis: times for an hour and a day, else days. A day begins and ends at the same time, so its first
 * label is "24 h ago".
 */
function ticksOf(range: Range, now: number): string[] {
  const { step, points, each } = RANGES[range];
  const length = points * each * step * 1_000;
  return Array.from({ length: TICKS + 1 }, (_, n) => {
    const [, day = "", time = ""] =
      /^\d+-(\d\d-\d\d)T(\d\d:\d\d)/.exec(new Date(now - length + (n * length) / TICKS).toISOString()) ?? [];
    if (range === "week" || range === "month") return n === TICKS ? `${day} UTC` : day;
    if (n === TICKS) return `${time} UTC`;
    return n === 0 && range === "day" ? "24 h ago" : time;
  });
}

const card = (name: string, value: string, note: string, bad = false): Html =>
  html`<li class="card${bad ? " bad" : ""}"><p>${name}</p><p class="value">${value}</p><p>${note}</p></li>`;

type Deps = {
  db: Database;
  now: number;
  /** Whether the database accepts writes now. */
  takesWrites: () => Promise<boolean>;
  gauges: Gauges;
  range: string | undefined;
};

/** The overview page: the present state, and plots of the chosen range. */
export async function overview({ db, now, takesWrites, gauges, range: wanted }: Deps): Promise<Html> {
  const range = rangeOf(wanted);
  const points = await pointsOf(db, range, now);
  const { messages: waiting, oldest } = await gauges.waiting();
  const failed = await countFailed(db);
  const all = joined(
    points.filter((point) => point !== undefined),
    "highest",
  );
  const axis = { ticks: ticksOf(range, now) };
  const line = (name: string, of: (sample: Sample) => number | undefined) => ({
    name,
    values: points.map((point) => point && of(point)),
  });
  const within = `within the ${range}`;
  const quantileOf = (q: number): string => {
    const value = quantile(all.delivery, q);
    return value === undefined ? "–" : duration(value);
  };
  return html`<p id="stale" class="stale" role="status"></p>
<div id="problems" data-live role="status">${await openProblems(db, await takesWrites())}</div>
<ul class="tabs" aria-label="Time shown">${Object.entries(RANGES).map(
    ([name, { name: words }]) =>
      html`<li><a href="/admin?range=${name}"${name === range ? html` aria-current="true"` : ""}>${words}</a></li>`,
  )}</ul>
<div id="figures" data-live>
<ul class="cards">
${card("Open chats", count(gauges.connections()), "on this node, now")}
${card("Waiting", count(waiting), waiting === 0 ? "nothing waits" : `oldest for ${duration(oldest)}`, oldest > 300)}
${card("Failed", count(failed), "not tried again", failed > 0)}
${card("From visitors", count(Math.round(all.messages.stored)), within)}
${card("Replies", count(Math.round(all.messages.reply)), within)}
${card("Delivered in", quantileOf(0.5), quantile(all.delivery, 0.5) === undefined ? `none ${within}` : `median; 95 % within ${quantileOf(0.95)}`)}
</ul>
<div class="plots">
${plot({ ...axis, title: "Messages", format: shortCount, lines: [line("from visitors", ({ messages }) => messages.stored), line("replies", ({ messages }) => messages.reply)] })}
${plot({ ...axis, title: "Failed messages", format: shortCount, lines: [line("failed", ({ messages }) => messages.failed)] })}
${plot({ ...axis, title: "Open chats", format: shortCount, lines: [line("connections", ({ connections }) => connections)] })}
${plot({ ...axis, title: "Time to delivery", format: duration, lines: [line("p50", ({ delivery }) => quantile(delivery, 0.5)), line("p95", ({ delivery }) => quantile(delivery, 0.95)), line("p99", ({ delivery }) => quantile(delivery, 0.99))] })}
${plot({ ...axis, title: "Time to reply", format: duration, lines: [line("p50", ({ reply }) => quantile(reply, 0.5)), line("p95", ({ reply }) => quantile(reply, 0.95)), line("p99", ({ reply }) => quantile(reply, 0.99))] })}
${plot({ ...axis, title: "The service's answers", format: shortCount, lines: ANSWER_CLASSES.map((name) => line(name === "none" ? "no answer" : name, ({ answers }) => answers[name])) })}
${plot({ ...axis, title: "Waiting messages", format: shortCount, lines: [line("waiting", ({ waiting }) => waiting)] })}
${plot({ ...axis, title: "Calls per minute", format: shortCount, lines: [line("limit as learned", ({ pace }) => pace)] })}
</div>
</div>
<h2>Nodes</h2>
<div id="nodes" data-live>${await nodes(db, now)}</div>
<script src="/admin/live.js" defer></script>`;
}
