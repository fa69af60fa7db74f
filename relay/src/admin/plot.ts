import { html } from "hono/html";
import type { Html } from "./html.ts";

/** A line of a plot: one value per step; undefined where no value is known. */
export type PlotSeries = { name: string; values: readonly (number | undefined)[] };
export type Plot = {
  title: string;
  lines: readonly PlotSeries[];
  /** Labels at the start and the end of the time axis. */
  from: string;
  to: string;
  /** Formats a value. */
  show: (value: number) => string;
};

/** `LEFT` has room for the longest label, like "500 ms", in the larger font of phones. */
const [WIDTH, HEIGHT, TOP, BOTTOM, LEFT] = [560, 170, 8, 20, 68];

/** The next round number: 1, 2, 5, 10, 20 … times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

/** Points of a line; a gap ends one polyline and begins another. */
function pieces(values: PlotSeries["values"], max: number): string[] {
  const step = (WIDTH - LEFT) / Math.max(1, values.length - 1);
  const found: string[][] = [[]];
  for (const [n, value] of values.entries()) {
    if (value === undefined) {
      found.push([]);
      continue;
    }
    const y = HEIGHT - BOTTOM - (value / max) * (HEIGHT - BOTTOM - TOP);
    found.at(-1)?.push(`${(LEFT + n * step).toFixed(1)},${y.toFixed(1)}`);
  }
  // A single point is drawn as a short stroke.
  return found
    .filter(({ length }) => length > 0)
    .map((points) => (points.length === 1 ? `${points[0]} ${points[0]}` : points.join(" ")));
}

const known = (values: PlotSeries["values"]): number[] => values.filter((value) => value !== undefined);

/** The text of a plot for screen readers. */
const summary = ({ title, lines, show }: Plot): string =>
  `${title}: ${lines
    .map(({ name, values }) => {
      const all = known(values);
      return all.length === 0
        ? `${name} has no values`
        : `${name} newest ${show(all.at(-1) ?? 0)}, highest ${show(Math.max(...all))}`;
    })
    .join("; ")}`;

/** A plot of lines over time. */
export function plot(given: Plot): Html {
  const { title, lines, from, to, show } = given;
  const max = roundUp(Math.max(0, ...lines.flatMap(({ values }) => known(values))));
  const middle = (HEIGHT - BOTTOM + TOP) / 2;
  return html`<figure><figcaption>${title}<span class="legend">${lines.map(({ name }) => html`<span>${name}</span>`)}</span></figcaption>
<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${summary(given)}">
<line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${TOP}" y2="${TOP}"/><line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${middle}" y2="${middle}"/><line class="grid" x1="${LEFT}" x2="${WIDTH}" y1="${HEIGHT - BOTTOM}" y2="${HEIGHT - BOTTOM}"/>
<text x="0" y="${TOP + 5}">${show(max)}</text><text x="0" y="${HEIGHT - BOTTOM}">0</text>
<text x="${LEFT}" y="${HEIGHT - 4}">${from}</text><text x="${WIDTH}" y="${HEIGHT - 4}" text-anchor="end">${to}</text>
${lines.map(({ values }, n) => pieces(values, max).map((points) => html`<polyline class="s${n}" points="${points}"/>`))}
</svg></figure>`;
}
