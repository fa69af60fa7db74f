import { html } from "hono/html";
import type { Html } from "./html.ts";

/** A line of a plot: one value per step; undefined where no value is known. */
export type PlotSeries = { name: string; values: readonly (number | undefined)[] };
export type Plot = {
  title: string;
  lines: readonly PlotSeries[];
  /** Labels of the time axis, evenly spread from its start to its end. */
  ticks: readonly string[];
  /** Formats a value as text, such as a count or a duration. */
  format: (value: number) => string;
  /** Says what will appear here, and when: shown while no value is above zero. */
  empty: string;
};

/** Sizes in SVG units. */
const [WIDTH, HEIGHT, TOP, BOTTOM] = [560, 176, 10, 26];
/** The distance of a label from its axis, and the width of a character in the largest font (on small phones). */
const [GAP, CHARACTER] = [8, 13];

/** The next round number: 1, 2, 5, 10, 20 … times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

/** The points of a line as "x,y"; undefined where no value is known. */
function pointsOf(values: PlotSeries["values"], max: number, left: number): (string | undefined)[] {
  const step = (WIDTH - left) / Math.max(1, values.length - 1);
  return values.map((value, n) => {
    if (value === undefined) return undefined;
    const y = HEIGHT - BOTTOM - (value / max) * (HEIGHT - BOTTOM - TOP);
    return `${(left + n * step).toFixed(1)},${y.toFixed(1)}`;
  });
}

/** Draws a line in parts: a gap ends a part, and a single point is a dot. The last step is dashed, because it is not over yet. */
function drawLine(points: readonly (string | undefined)[], style: string): Html {
  const parts: string[][] = [[]];
  for (const point of points.slice(0, -1))
    if (point === undefined) parts.push([]);
    else parts.at(-1)?.push(point);
  const [before, newest] = points.slice(-2);
  if (newest !== undefined && before === undefined) parts.push([newest]);
  const begun =
    newest === undefined || before === undefined
      ? ""
      : html`<polyline class="${style} begun" points="${before} ${newest}"/>`;
  return html`${parts
    .filter(({ length }) => length > 0)
    .map((part) => {
      const [x, y] = part[0]?.split(",") ?? [];
      if (part.length > 1) return html`<polyline class="${style}" points="${part.join(" ")}"/>`;
      return part[0] === before && begun !== "" ? "" : html`<circle class="${style}" cx="${x}" cy="${y}" r="3"/>`;
    })}${begun}`;
}

const knownValues = (values: PlotSeries["values"]): number[] => values.filter((value) => value !== undefined);

/** The text of a plot for screen readers. */
const summary = ({ title, lines, format }: Plot): string =>
  `${title}: ${lines
    .map(({ name, values }) => {
      const all = knownValues(values);
      return all.length === 0
        ? `${name} has no values`
        : `${name} newest ${format(all.at(-1) ?? 0)}, highest ${format(Math.max(...all))}`;
    })
    .join("; ")}`;

/** A label of the time axis with its line, at a part of the axis from 0 to 1. */
function tick(label: string, part: number, left: number): Html {
  const x = (left + part * (WIDTH - left)).toFixed(1);
  const anchor = part === 0 ? "start" : part === 1 ? "end" : "middle";
  const line = html`<line class="grid" x1="${x}" x2="${x}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>`;
  return html`${part === 0 || part === 1 ? "" : line}<text class="time" x="${x}" y="${HEIGHT - 4}" text-anchor="${anchor}">${label}</text>`;
}

/** A horizontal line, with its value at the left if given. */
const level = (left: number, y: number, label?: string): Html =>
  html`<line class="grid" x1="${left}" x2="${WIDTH}" y1="${y}" y2="${y}"/>${label === undefined ? "" : html`<text class="value" x="${left - GAP}" y="${y}" dy="0.35em" text-anchor="end">${label}</text>`}`;

const legend = (lines: Plot["lines"]): Html =>
  html`<span class="legend">${lines.map(({ name }) => html`<span>${name}</span>`)}</span>`;

/** A plot of lines over time, the first one on top. A line that is always zero is left out: it would hide the others. */
export function plot(given: Plot): Html {
  const { title, lines, ticks, format, empty } = given;
  const highest = Math.max(0, ...lines.flatMap(({ values }) => knownValues(values)));
  if (highest === 0) return html`<figure><figcaption>${title}</figcaption><p class="nothing">${empty}</p></figure>`;
  const max = roundUp(highest);
  const left = GAP + CHARACTER * format(max).length;
  const [bottom, middle] = [HEIGHT - BOTTOM, (HEIGHT - BOTTOM + TOP) / 2];
  return html`<figure><figcaption>${title}${legend(lines)}</figcaption>
<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${summary(given)}">
${level(left, TOP, format(max))}${level(left, middle)}${level(left, bottom, "0")}
${ticks.map((label, n) => tick(label, n / Math.max(1, ticks.length - 1), left))}
${lines.map(({ values }, n) => (knownValues(values).some((value) => value > 0) ? drawLine(pointsOf(values, max, left), `s${n}`) : "")).reverse()}
</svg></figure>`;
}
