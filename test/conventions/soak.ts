/** The table of the fault suites in `relay/docs/guides/figures.md`, from the figures of `npm run soak`. */

import published from "../faults/figures.json" with { type: "json" };
import type { SuiteName } from "../faults/soak.ts";

type Figures = Record<string, number | string>;
type Suite = { command: string; seed: number; violations: number; figures: Figures };

const number = (value: number | string | undefined): string =>
  typeof value === "number" ? value.toLocaleString("en") : (value ?? "?");

/** The figures of these names, as in `0 lost, 0 doubled`. */
const counts = (figures: Figures, ...names: string[]): string =>
  names.map((name) => `${number(figures[name])} ${name}`).join(", ");

type Row = { done: (figures: Figures) => string; found: (figures: Figures, violations: number) => string };

/** How the table describes each suite: what was done to the relay, and what was found. */
const ROWS: Record<SuiteName, Row> = {
  kill: {
    done: (f) =>
      `${number(f.messages)} messages under ${number(f.kills)} SIGKILLs, each 5 to 80 ms after the first acknowledgement of a start; ${number(f["acknowledged before the last kill"])} acknowledged before the last one`,
    found: (f) => `${counts(f, "lost", "doubled")}, ${number(f.disordered)} out of order`,
  },
  sync: {
    done: (f) => `The system calls of ${number(f["acknowledged messages"])} messages and as many callbacks`,
    found: (f) => counts(f, "acknowledged without a flush"),
  },
  callbacks: {
    done: (f) => `${number(f.callbacks)} callbacks: repeated, early, unknown, malformed, forged`,
    found: (f) => counts(f, "lost", "shown twice", "forged shown", "answers of 5xx"),
  },
  upstream: {
    done: (f) =>
      `${number(f.messages)} messages to a service where 20 of 100 calls fail, 10 lose their answer and 5 are slow; ${number(f["key swaps"])} new keys`,
    found: (f) => `${counts(f, "lost", "doubled")}; ${number(f["POSTs per message"])} calls a message`,
  },
  killWhileServiceFails: {
    done: (f) => `Six tabs write for a minute, ${number(f.kills)} kills, the service fails and drops answers`,
    found: (f) =>
      `${number(f.messages)} messages, ${number(f["replies accepted"])} replies: ${counts(f, "lost", "doubled")}`,
  },
  browser: {
    done: (f) =>
      `The same in Chromium: three visitors with two pages each write for a minute, ${number(f.kills)} kills`,
    found: (f, violations) =>
      `${number(f.messages)} messages, ${number(f["replies accepted"])} replies: ${violations} lost, doubled or out of order`,
  },
  tabs: {
    done: (f) =>
      `${number(f.messages)} messages from ten tabs of one visitor; connections cut, tabs closed, messages sent by several tabs`,
    found: (f) => counts(f, "lost", "doubled", "tabs that differ"),
  },
  rateLimit: {
    done: (f) =>
      `Hidden limits of ${f.limits} a minute, ${number(f["header styles"])} ways to announce them, real minutes`,
    found: (f) =>
      `after the first minute ${f["used at least"]} used at least, ${f["refused at most"]} refused at most; ${counts(f, "lost")}`,
  },
  single429: {
    done: () => "A single 429 with `Retry-After: 2` on a quiet account, then six more visitors write",
    found: (f) =>
      `first call ${number(f["ms to the first call"])} ms after it, the last of seven after ${number(f["ms to the last of seven"])} ms`,
  },
  pace: {
    done: (f) =>
      `The pacer in simulated time: ${number(f.profiles)} services with limits of 10, 30, 300 a minute, fixed and sliding windows, answers in up to 3 s`,
    found: (f) =>
      `${f["used at least"]} used at least, ${f["refused at most"]} refused at most; beside another client of the key ${f["used beside another client"]} and ${f["refused beside another client"]}`,
  },
  outage: {
    done: () => "The service is unreachable for 11 and for 13 hours (the relay's clock is set)",
    found: (f) =>
      `${number(f["delivered after 11 h"])} delivered automatically, ${number(f["delivered by Retry"])} of ${number(f["failed after 13 h"])} by Retry; ${counts(f, "lost", "doubled")}`,
  },
  drain: {
    done: (f) => `SIGTERM with ${number(f.connections)} visitors and a slow service`,
    found: (f) =>
      `exit ${number(f["exit code"])} after ${number(f["seconds to exit"])} s, ${number(f["back in one second at most"])} back in one second at most`,
  },
  restartDuringCallbacks: {
    done: (f) => `${number(f.restarts)} restarts under ten callbacks a second, with a socket that outlives them`,
    found: (f) => counts(f, "refused", "lost"),
  },
  disk: {
    done: (f) => `${number(f["full disks"])} ways to fill the disk`,
    found: (f) => counts(f, "acknowledged and not written", "lost", "restarts needed"),
  },
  bitFlips: {
    done: (f) => `${number(f["bytes changed"])} single bits changed in the database of a stopped relay`,
    found: (f) =>
      `${number(f.silent)} gave wrong data; ${number(f["silent after a kill"])} after a kill, which leaves no checksum`,
  },
  nodes: {
    done: (f) =>
      `Two nodes on one PostgreSQL, callbacks to one, visitors on the other; ${number(f.faults)} runs: either node, Redis, PostgreSQL killed, the sender stopped past its lease, 30 % of the hints dropped`,
    found: (f) =>
      `${number(f.messages)} messages, ${number(f.replies)} replies: ${counts(f, "lost", "doubled")}, ${number(f.disordered)} out of order; the latest ${number(Math.max(Number(f["latest message, ms"]), Number(f["latest reply, ms"])))} ms after the part was back`,
  },
  pausedNodes: {
    done: (f) =>
      `Three nodes: the one that sends is stopped (SIGSTOP) past its lease, ${number(f.stops)} times in turn, and continues later`,
    found: (f) =>
      `${number(f.messages)} messages: ${counts(f, "lost", "doubled")}, ${number(f.disordered)} out of order; ${number(f["calls repeated by another node"])} calls repeated, which the service recognised`,
  },
  rollingRestart: {
    done: (f) =>
      `${number(f.nodes)} nodes with ${number(f.connections)} visitors, restarted one after the other while these write`,
    found: (f) =>
      `${number(f.messages)} messages: ${counts(f, "lost", "doubled", "refused")}, ${number(f.disordered)} out of order; ended after ${number(f["seconds to exit at most"])} s at most, ${number(f["back in one second at most"])} back in one second at most`,
  },
  rateLimitOnNodes: {
    done: (f) => `Three nodes with one key under a hidden limit of ${number(f.limit)} a minute`,
    found: (f) => `after the first minute ${f.used} used, ${f.refused} refused; ${counts(f, "lost", "doubled")}`,
  },
  killAtEachAwait: {
    done: (f) =>
      `A recharge key submitted eight times, the relay killed at each of ${number(f.awaits)} awaits, with every failure of the service`,
    found: (f, violations) => `${violations} granted twice or lost in ${number(f.runs)} runs`,
  },
  credits: {
    done: (f) =>
      `${number(f.keys)} recharge keys, ${number(f.submissions)} submissions at once, ${number(f.kills)} kills; every second answer of the service lost or broken`,
    found: (f) =>
      `${counts(f, "granted twice", "lost")}; ${number(f.unknown)} unknown and ${number(f["kept back by the cap"])} over the day's cap, for a person`,
  },
  randomFaults: {
    done: (f) =>
      `${number(f.runs)} runs with random faults: ${number(f.kills)} kills, ${number(f.messages)} messages, ${number(f.replies)} replies`,
    found: (f) => `${counts(f, "lost", "doubled")}, ${number(f.disordered)} out of order`,
  },
  mutants: {
    done: () => "Deliberate mistakes that take minutes to find",
    found: (f) => `killed ${f["mutants killed"]}`,
  },
};

const line = (name: SuiteName, { figures, violations }: Suite): string => {
  const { done, found } = ROWS[name];
  // The table always shows violations.
  const wrong = violations === 0 ? "" : `**${violations} violations.** `;
  return `| ${done(figures)} | ${wrong}${found(figures, violations)} | \`${name}\` |\n`;
};

/** One line for each suite, from its last soak. */
export function soakTable(): string {
  const { machine, suites } = published as { machine: { cores: number; node: string }; suites: Record<string, Suite> };
  const rows = Object.entries(suites).map(([name, suite]) => line(name as SuiteName, suite));
  const where = `${machine.cores} cores, Node ${machine.node.slice(1)}`;
  return `| Fault injected into real processes (${where}) | Result | \`npm run soak …\` |\n|---|---|---|\n${rows.join("")}`;
}
