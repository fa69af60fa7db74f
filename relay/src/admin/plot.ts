import { html } from "hono/html";
import type { Html } from "./html.ts";

/** A line of a plot: one value per step; undefined where no value is known. */
export type PlotSeries = { name: string; values: readonly (number | undefined)[] };
export type Plot = {
  title: string;
  lines: readonly PlotSeries[];
  /** Labels of the time axis, evenly spread from its start to its end. */
  ticks: readonly string[];
  /** Formats a value. */
  format: (value: number) => string;
};

/** Sizes in SVG units. `LEFT`: wide enough for the longest label, like "500 ms", in the larger font of phones. */
const [WIDTH, HEIGHT, TOP, BOTTOM, LEFT] = [560, 170, 8, 20, 68];

/** The next round number: 1, 2, 5, 10, 20 … times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

/** The polylines of a line: each gap begins a new one. @returns the `points` attribute of each */
function polylines(values: PlotSeries["values"], max: number): string[] {
  const step = (WIDTH - LEFT) / Math.max(1, values.length - 1);
  const lines: string[][] = [[]];
  for (const [n, value] of values.entries()) {
    if (value === undefined) {
      lines.push([]);
      continue;
    }
    const y = HEIGHT - BOTTOM - (value / max) * (HEIGHT - BOTTOM - TOP);
    lines.at(-1)?.push(`${(LEFT + n * step).toFixed(1)},${y.toFixed(1)}`);
  }
  // A single point is drawn as a short stroke.
  return lines
    .filter(({ length }) => length > 0)
    .map((points) => (points.length === 1 ? `${points[0]} ${points[0]}` : points.join(" ")));
}

const known = (values: PlotSeries["values"]): number[] => values.filter((value) => value !== undefined);

/** The text of a plot for screen readers. */
const summary = ({ title, lines, format }: Plot): string =>
  `${title}: ${lines
    .map(({ name, values }) => {
      const all = known(values);
      return all.length === 0
        ? `${name} has no values`
        : `${name} newest ${format(all.at(-1) ?? 0)}, highest ${format(Math.max(...all))}`;
    })
    .join("; ")}`;

/** A label of the time axis with its line, at a part of the axis from 0 to 1. */
function tick(label: string, part: number): Html {
  const x = (LEFT + part * (WIDTH - LEFT)).toFixed(1);
  const anchor = part === 0 ? "start" : part === 1 ? "end" : "middle";
  const line = html`<line class="grid" x1="${x}" x2="${x}" y1="${TOP}" y2="${HEIGHT - BOTTOM}"/>`;
  return html`${part === 0 || part === 1 ? "" : line}<text x="${x}" y="${HEIGHT - 4}" text-anchor="${anchor}">${label}</text>`;
}

/** A plot of lines over time. */
export function plot(given: Plot): Html {
  const { title, lines, ticks, format } = given;
  const max = roundUp(Math.max(0, ...lines.flatMap(({ values }) => known(values))));
  const middle = (HEIGHT - BOTTOM + TOP) / 2;
  return html`<figure><figcaption>${title}<span class="legend">${lines.map(({ name }) => html`<span>${name}</span>`)}</span></figcaption>
<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${summary(given)}">
<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${TOP}" y2="${TOP}"/><line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${middle}" y2="${middle}"/><line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM}"/>
<text x="0" y="${TOP + 5}">${format(max)}</text><text x="0" y="${HEIGHT - BOTTOM}">0</text>
${ticks.map((label, n) => tick(label, n / Math.max(1, ticks.length - 1)))}
${lines.map(({ values }, n) => polylines(values, max).map((points) => html`<polyline class="s${n}" points="${points}"/>`))}
</svg></figure>`;
}
