/** The tables of the capacity page, from the figures of `npm run bench`. */

import figures from "../bench/figures.json" with { type: "json" };
import { formatNumber } from "../bench/figures.ts";
import type { Speed } from "../bench/report.ts";
import { waves } from "../bench/wave.ts";

const { lines } = figures.speed as unknown as Speed;

/**
 * A published value of the relay.
 * @param contender which one, where a row has several
 * @throws Error when the figure was not measured
 */
function value(row: string, figure: string, contender?: string): number {
  const line = lines.find(
    (one) => one.row === row && one.figure === figure && (contender === undefined || one.ours.name === contender),
  );
  if (line === undefined) throw new Error(`No figure ${figure} of the row ${row}`);
  return line.ours.value;
}

const whole = (amount: number): string => formatNumber(amount, 0);
/** Microseconds as milliseconds. */
const ms = (us: number): string => formatNumber(us / 1_000, 2);

/** @returns the cost of each part, with the row of figures.md that it comes from */
export function capacityTable(): string {
  const nodes = "two nodes, NOTIFY";
  const hop = lines.find(({ row, figure }) => row === "hop" && figure === "p50");
  const rows: [string, string, string][] = [
    [
      "an open visitor who is silent",
      `${formatNumber(value("crowd", "bytes") / 1_000, 1)} kB in the relay's process; ${formatNumber(value("crowd", "idlePercent"), 1)} % of a core for 10,000`,
      "10,000 idle sockets",
    ],
    [
      "a visitor who reconnects",
      `${ms(value("connects", "cpu"))} ms of CPU; one node takes ${whole(value("connects", "perSecond"))} a second`,
      "Connects with resume",
    ],
    [
      "a message until its acknowledgement",
      `${ms(value("acknowledged", "cpu"))} ms of CPU; ${whole(value("acknowledged", "perSecond"))} a second`,
      "Message until its acknowledgement",
    ],
    [
      "a callback until the visitor sees it",
      `${ms(value("callback", "cpu"))} ms of CPU; ${whole(value("callback", "perSecond"))} a second`,
      "Callback until the visitor sees it",
    ],
    [
      "a whole round trip",
      `${ms(value("trip", "cpu"))} ms of CPU; ${whole(value("trip", "perSecond"))} a second`,
      "Round trip, 22 bytes",
    ],
    [
      "a round trip over two nodes on PostgreSQL",
      `${ms(value("nodes", "cpu", nodes))} ms of CPU in both relays; ${whole(value("nodes", "perSecond", nodes))} a second`,
      "Round trip over two nodes",
    ],
    [
      "a hint from node to node",
      `median ${formatNumber(hop?.ours.value ?? Number.NaN, 1)} ms by Redis, ${formatNumber(hop?.reference.value ?? Number.NaN, 1)} ms by NOTIFY`,
      "A hint from node to node",
    ],
  ];
  return `| | Cost | Row of figures.md |\n|---|---|---|\n${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}`;
}

/** @returns the simulated waves of reconnects */
export function waveTable(): string {
  const connects = value("connects", "perSecond");
  const rows = waves(connects).map(
    ({ what, clients, peak, seconds }) => `| ${what} | ${whole(clients)} | ${whole(peak)} | ${seconds} |\n`,
  );
  return `With ${whole(connects)} connects a second for each node:\n\n| | Clients | Most in a second | Seconds until all are back |\n|---|---:|---:|---:|\n${rows.join("")}`;
}
