/** What the widget costs a page, beside what the peers' cost: the README's table, from the figures of `npm run bench`. */

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

const HEAD = `| Closed, on a blank page | Requests | kB sent | Script, ms | at ¼ CPU, ms | Long tasks then | Opened: JS and CSS, kB gzip |
|---|---:|---:|---:|---:|---:|---:|
`;

const round = (value: number): string => value.toFixed(value < 10 ? 1 : 0);
/** Beside the bare button of the same run: other machines measured the peers. */
const times = (value: number, button: number): string => `${round(value)} (${round(value / button)}×)`;

const line = (
  { name, requests, kb, scriptMs, quarterMs, longTasks, openKb }: Row,
  button: typeof peers.button,
): string =>
  `| ${name} | ${requests} | ${round(kb)} | ${times(scriptMs, button.scriptMs)} | ${times(quarterMs, button.quarterMs)} | ${longTasks} | ${openKb === null ? "" : round(openKb)} |\n`;

/** One line for the bare button, one for the widget, one for each peer, the lightest first. */
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
