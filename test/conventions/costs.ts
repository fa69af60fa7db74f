/**
 * The README's table of what the widget and its peers cost a page, from the figures of `npm run bench`.
 */

import figures from "../bench/figures.json" with { type: "json" };
import peers from "../bench/peers.json" with { type: "json" };

type Row = {
  name: string;
  requests: number;
  kb: number;
  scriptMs: number;
  quarterMs: number;
  longTasks: number;
  openKb: number | null;
};

const HEAD = `| Closed, on a blank page | Requests | kB sent | Script, ms | at ¼ CPU, ms | Long tasks at ¼ CPU | Opened: JS and CSS, kB gzip |
|---|---:|---:|---:|---:|---:|---:|
`;

const round = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
/** A value and its multiple of the bare button's in the same run, because the peers were measured on other machines. */
const times = (value: number, button: number): string => `${round(value)} (${round(value / button)}×)`;

const line = (
  { name, requests, kb, scriptMs, quarterMs, longTasks, openKb }: Row,
  button: typeof peers.button,
): string =>
  `| ${name} | ${requests} | ${round(kb)} | ${times(scriptMs, button.scriptMs)} | ${times(quarterMs, button.quarterMs)} | ${longTasks} | ${openKb === null ? "" : round(openKb)} |\n`;

/** One line each for the bare button, the widget and every peer, lightest peer first. */
export function costTable(): string {
  const { sizes, fullSpeed, quarterSpeed } = figures.page;
  const of = (name: string, what: "button" | "widget", openKb: number | null): Row => ({
    name,
    requests: fullSpeed[what].requests,
    kb: fullSpeed[what].bytes / 1_000,
    scriptMs: fullSpeed[what].scriptMs,
    quarterMs: quarterSpeed[what].scriptMs,
    longTasks: quarterSpeed[what].longTasks,
    openKb,
  });
  const button = { scriptMs: fullSpeed.button.scriptMs, quarterMs: quarterSpeed.button.scriptMs };
  const ours = [
    of("A bare button in a shadow root", "button", null),
    of("**Porchlight**", "widget", (sizes.loader + sizes.panel) / 1_000),
  ];
  return [HEAD, ...ours.map((row) => line(row, button)), ...peers.peers.map((row) => line(row, peers.button))].join("");
}
