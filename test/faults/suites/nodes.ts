import { setTimeout as pause } from "node:timers/promises";
import { type NodesTestbed, openNodes } from "../../nodes/testbed.ts";
import { writeChangedSources } from "../mutants/changed-sources.ts";
import { until } from "../process/testbed.ts";
import type { Tab } from "../tab.ts";
import { cutCommits, type Downtime, keepBusy } from "./database-faults.ts";
import { type Common, losses, type Report, seconds } from "./suite.ts";

/**
 * The failure that begins when half of the messages are written. Callbacks go to node 0, which also sends the account's
 * messages; visitors connect to node 1.
 */
type Fault = keyof typeof FAULTS;

type Options = Common & {
  fault: Fault;
  visitors: number;
  messages: number;
  /** Messages that all visitors together write in a second. */
  perSecond: number;
  /**
   * Longest delay of a message or a reply in milliseconds, counted from when it was written or, if later, from when the failed
   * part worked again. Infinite: nothing counts as late.
   */
  latest?: number;
};

/** The log event of a delivered message. */
const DELIVERED_EVENT = "delivery.done";

const NEVER: Downtime = { from: 0, to: 0 };

const NOTHING = (): void => {};

const away = async (stop: () => unknown, start: () => unknown, ms = 500): Promise<Downtime> => {
  const from = performance.now();
  await stop();
  await pause(ms);
  await start();
  return { from, to: performance.now() };
};

/** Longer than a lease lasts. */
const STANDSTILL_MS = 8_000;

/** How long the database is slow, and after which part of that time replies are in the spool, in milliseconds. */
const SLOW_MS = 2_200;
const SPOOLED_MS = 1_700;

/** Each name completes the sentence "nothing is lost when …". */
const FAULTS = {
  "nothing happens": async (): Promise<Downtime> => NEVER,
  "30 % of the hints are lost": async (): Promise<Downtime> => NEVER,
  "the node that sends and takes callbacks is killed": (testbed: NodesTestbed) =>
    away(
      () => testbed.kill(0),
      () => testbed.start(0),
    ),
  "the node that takes callbacks is killed while the database is slow": (testbed: NodesTestbed) =>
    away(
      async () => {
        // A transaction without keys blocks all others. The node spools replies that wait for a second.
        const slow = testbed.db.transaction(() => pause(SLOW_MS));
        await pause(SPOOLED_MS);
        await testbed.kill(0);
        await slow;
      },
      () => testbed.start(0),
    ),
  "the node of the visitors is killed": (testbed: NodesTestbed) =>
    away(
      () => testbed.kill(1),
      () => testbed.start(1),
    ),
  "Redis is killed": (testbed: NodesTestbed) =>
    away(
      () => testbed.redis?.kill(),
      () => testbed.redis?.start(),
    ),
  "both nodes are restarted, one after the other": (testbed: NodesTestbed) =>
    away(async () => {
      for (const node of [0, 1]) {
        await testbed.stop(node);
        await testbed.start(node);
      }
    }, NOTHING),
  "PostgreSQL is killed": (testbed: NodesTestbed) =>
    away(
      () => testbed.postgres.kill(),
      () => testbed.postgres.start(),
    ),
  "connections to PostgreSQL are cut before or after a COMMIT": cutCommits,
  "every connection to PostgreSQL is busy": keepBusy,
  "the node that sends is paused past its lease": (testbed: NodesTestbed) =>
    away(
      () => testbed.signal(0, "SIGSTOP"),
      () => testbed.signal(0, "SIGCONT"),
      STANDSTILL_MS,
    ),
};

/** A copy of the relay that loses 30 % of its hints. */
const dropsHints = (): string =>
  writeChangedSources({
    name: "drops hints",
    edits: [{ in: "createSender", find: "link.send($text);", replace: "if (Math.random() >= 0.3) $0" }],
  });

/** S7 and S8: two nodes on one PostgreSQL lose nothing during the fault. */
export async function nodes(options: Options): Promise<Report> {
  const { seed = 8, fault, visitors, messages, latest = 3_000, progress = () => {} } = options;
  const begun = performance.now();
  const standsStill = fault === "the node that sends is paused past its lease";
  // Both nodes need readers, to use all connections.
  const isBusy = fault === "every connection to PostgreSQL is busy";
  const root = fault === "30 % of the hints are lost" ? dropsHints() : options.root;
  const testbed = await openNodes({
    seed,
    root,
    nodes: 2,
    redis: true,
    callbacksTo: standsStill ? 1 : 0,
    visitorsTo: 1,
    // Slow enough that some call is always under way.
    service: { delayMs: 30 },
  });
  try {
    const tabs = Array.from({ length: visitors }, (_, v) => testbed.tab(`visitor${v}`, isBusy ? v % 2 : undefined));
    await until(() => tabs.every((tab) => tab.connected() && tab.person.token !== undefined));
    const downtime = await write(tabs, options, () => FAULTS[fault](testbed), progress);
    if (standsStill) await until(() => afterStandstill(testbed, downtime).length > 0);
    const { violations } = await testbed.verdict(120_000);
    const delays = delaysOf(testbed, downtime);
    const slow = [...delays.messages, ...delays.replies].filter((ms) => ms > latest);
    const { effects, posted, calls } = testbed.mock;
    return {
      violations: [
        ...violations,
        ...slow.slice(0, 3).map((ms) => `late: a message arrived after ${Math.round(ms)} ms`),
        ...(standsStill ? doubleRecordings(testbed, downtime) : []),
        ...posted.flatMap(({ text, status }) => (status === 200 ? [] : [`refused: "${text}" was answered ${status}`])),
        ...(effects.length === messages ? [] : [`lost: ${effects.length} of ${messages} messages arrived`]),
      ],
      figures: {
        messages: effects.length,
        replies: posted.length,
        ...losses(violations),
        "calls beyond one a message": [...calls.values()].reduce((sum, times) => sum + times - 1, 0),
        "ms away": Math.round(downtime.to - downtime.from),
        "latest message, ms": Math.round(Math.max(...delays.messages)),
        "latest reply, ms": Math.round(Math.max(...delays.replies)),
        "late or lost": slow.length,
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
  }
}

type LogLine = { time: string; event: string; message?: string };

const linesOf = ({ lines }: { lines: readonly string[] }): LogLine[] =>
  lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as LogLine);

/** The first node's log lines about messages that were being sent when it was paused. */
function afterStandstill({ processes: [sender] }: NodesTestbed, downtime: Downtime): LogLine[] {
  const after = performance.timeOrigin + downtime.to;
  const late = sender === undefined ? [] : linesOf(sender).filter(({ time }) => Date.parse(time) >= after);
  return late.filter(({ event }) => event === DELIVERED_EVENT || event === "cluster.lease_lost");
}

/**
 * Checks that the stopped node recorded no delivery that the node with its lease recorded too. PostgreSQL may commit a delivery
 * before the stop and its log line may follow after it; no other node records that one.
 */
function doubleRecordings(testbed: NodesTestbed, downtime: Downtime): string[] {
  const late = afterStandstill(testbed, downtime);
  const others = testbed.processes.slice(1).flatMap(linesOf);
  const elsewhere = new Set(others.flatMap(({ event, message }) => (event === DELIVERED_EVENT ? [message] : [])));
  const twice = late.filter(({ event, message }) => event === DELIVERED_EVENT && elsewhere.has(message));
  return [
    ...twice.map(({ message }) => `fencing: it recorded ${message}, which another node sends`),
    ...(late.length > 0 ? [] : ["vacuous: nothing was under way when the node was stopped"]),
  ];
}

/** Lets the visitors write at an even pace, and starts the fault halfway. */
async function write(
  tabs: readonly Tab[],
  { messages, perSecond }: Options,
  fault: () => Promise<Downtime>,
  progress: (words: string) => void,
): Promise<Downtime> {
  const begun = performance.now();
  let downtime: Promise<Downtime> | undefined;
  for (let n = 0; n < messages; ) {
    const due = Math.min(messages, ((performance.now() - begun) / 1_000) * perSecond);
    for (; n < due; n++) tabs[n % tabs.length]?.type(`message ${n}`);
    if (n * 2 >= messages && downtime === undefined) {
      progress(`${n} messages written, the fault begins`);
      downtime = fault();
    }
    await pause(20);
  }
  return (await downtime) ?? NEVER;
}

/**
 * The delay of each message to the service and of each reply to its visitor. A message that waited for a failed part counts
 * from when that part worked again.
 */
function delaysOf({ mock, tabs }: NodesTestbed, downtime: Downtime): { messages: number[]; replies: number[] } {
  const since = (begun: number, arrived: number): number =>
    arrived -
    (arrived > downtime.from && begun < downtime.to ? Math.min(arrived, Math.max(begun, downtime.to)) : begun);
  const arrivals = new Map(mock.effects.map(({ text, at }) => [text, at]));
  const shown = new Map(tabs.flatMap((tab) => [...tab.receivedAt]));
  return {
    messages: tabs.flatMap((tab) =>
      tab.typed.map(({ text, at }) => since(at, arrivals.get(text) ?? Number.POSITIVE_INFINITY)),
    ),
    replies: mock.posted.map(({ text, begun }) => since(begun, shown.get(text) ?? Number.POSITIVE_INFINITY)),
  };
}

/** Every fault, one after the other. */
export async function allFaults({ progress = () => {}, ...options }: Omit<Options, "fault">): Promise<Report> {
  const begun = performance.now();
  const reports: Report[] = [];
  for (const fault of Object.keys(FAULTS) as Fault[]) {
    const report = await nodes({ ...options, fault });
    const { violations, figures } = report;
    progress(`${fault}: ${JSON.stringify(figures)}`);
    reports.push({ figures, violations: violations.map((line) => `${line} (${fault})`) });
  }
  const all = (name: string): number[] => reports.map(({ figures }) => Number(figures[name]));
  const sum = (name: string): number => all(name).reduce((a, b) => a + b, 0);
  return {
    violations: reports.flatMap(({ violations }) => violations),
    figures: {
      faults: reports.length,
      ...Object.fromEntries(["messages", "replies", "lost", "doubled", "disordered"].map((name) => [name, sum(name)])),
      "latest message, ms": Math.max(...all("latest message, ms")),
      "latest reply, ms": Math.max(...all("latest reply, ms")),
      seconds: seconds(begun),
    },
  };
}
