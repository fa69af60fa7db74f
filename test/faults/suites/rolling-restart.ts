import { CLOSE } from "@porchlight/shared/close";
import { type NodesTestbed, openNodes } from "../../nodes/testbed.ts";
import { socketTo } from "../process/socket.ts";
import { until } from "../process/testbed.ts";
import type { Tab } from "../tab.ts";
import { leastSpread, peak } from "./drain.ts";
import { type Common, count, losses, type Report, seconds } from "./suite.ts";

type Options = Common & {
  visitors: number;
  /** Messages that all visitors together write in a second. */
  perSecond: number;
  /** Whether the bounds of time count. A machine that is busy with other work misses them. */
  timed: boolean;
};

const NODES = 3;
const ALL = Array.from({ length: NODES }, (_, node) => node);
/** Visitors who connect at once at the beginning. */
const VISITORS_AT_ONCE = 50;
/** Longest time from SIGTERM to the end of a node, and until all of its visitors are back, in ms. */
const EXIT_MS = 30_000;
const BACK_MS = 180_000;
/** Most reconnects in one second: this multiple of an even spread, and a few more, because the times are random. */
const PEAK = 1.5;
const CHANCE = 12;

/** How one node's restart went. `perSecond`: reconnects in a second if they were spread evenly; `peak`: the most that there were. */
type Restart = { connections: number; exitMs: number; code: number | null; perSecond: number; peak: number };

/** Visitors whom a load balancer sends to any node that serves them. */
function createBalancedVisitors(testbed: NodesTestbed) {
  const serving = new Set(ALL);
  const places = new Map<Tab, number>();
  /** When visitors who lost their connection try again. */
  const back: number[] = [];
  function visit(name: string): void {
    const open = socketTo(() => {
      const place = [...serving][Math.floor(testbed.random() * serving.size)] ?? 0;
      places.set(tab, place);
      return testbed.urlOf(place);
    });
    const tab: Tab = testbed.tab(name, undefined, {
      open,
      reconnectDelay() {
        const [min, max] = tab.codes().at(-1) === CLOSE.restart.code ? (tab.spread() ?? [0, 0]) : [20, 100];
        tab.clearCodes();
        const wait = min + testbed.random() * (max - min);
        back.push(performance.now() + wait);
        return wait;
      },
    });
    tab.connect();
  }
  return { serving, places, back, visit };
}
type BalancedVisitors = ReturnType<typeof createBalancedVisitors>;

const allConnected = ({ tabs }: NodesTestbed, { places, serving }: BalancedVisitors): boolean =>
  tabs.every((tab) => tab.live() && serving.has(places.get(tab) ?? -1));

/** Restarts a node. Its visitors come back to the others. */
async function restart(testbed: NodesTestbed, balanced: BalancedVisitors, node: number): Promise<Restart> {
  const { serving, places, back } = balanced;
  const leaving = testbed.tabs.filter((tab) => places.get(tab) === node);
  serving.delete(node);
  back.length = 0;
  const stoppedAt = performance.now();
  const ended = await testbed.stop(node);
  const exitMs = performance.now() - stoppedAt;
  await testbed.start(node);
  if (!(await until(() => allConnected(testbed, balanced), BACK_MS)))
    throw new Error(`Not all visitors of node ${node} came back`);
  serving.add(node);
  const perSecond = (leaving.length / leastSpread(leaving.length)) * 1_000;
  return { connections: leaving.length, exitMs, code: ended?.code ?? null, perSecond, peak: peak(back) };
}

/** Every visitor connects to each node in turn, and has the same session there. */
async function visitEach(testbed: NodesTestbed, balanced: BalancedVisitors): Promise<void> {
  for (const node of ALL) {
    balanced.serving.clear();
    balanced.serving.add(node);
    for (const tab of testbed.tabs) tab.cut();
    if (!(await until(() => allConnected(testbed, balanced), BACK_MS)))
      throw new Error(`Not all visitors reached node ${node}`);
  }
}

function violationsOf({ connections, exitMs, code, perSecond, peak }: Restart, node: number, timed: boolean): string[] {
  return [
    ...(code === 0 ? [] : [`exit: node ${node} ended with ${code}`]),
    ...(connections > 0 ? [] : [`vacuous: node ${node} had no visitors`]),
    ...(exitMs <= EXIT_MS || !timed ? [] : [`exit: node ${node} took ${Math.round(exitMs)} ms`]),
    ...(peak <= PEAK * perSecond + CHANCE || !timed ? [] : [`peak: ${peak} visitors came back in one second`]),
  ];
}

/** Callbacks that no node took, and visitors who lost their session. */
const refusals = ({ mock, tabs }: NodesTestbed): string[] => [
  ...mock.posted.flatMap(({ text, status }) => (status === 200 ? [] : [`refused: "${text}" was answered ${status}`])),
  ...tabs.flatMap((tab) => (tab.person.deleted === 0 ? [] : [`session: ${tab.name} lost its session`])),
];

/** The violations, except the order of replies when a node spooled some: these may change places (guide Several nodes, Failures). */
const withoutSpooledOrder = ({ processes }: NodesTestbed, violations: readonly string[]): string[] =>
  processes.some(({ lines }) => lines.some((line) => line.includes('"callback.spooled"')))
    ? violations.filter((line) => !line.startsWith('order: "reply '))
    : [...violations];

/** The nodes of this suite, and a service that takes a moment for each call. */
const SETUP = {
  nodes: NODES,
  redis: true,
  env: { SOCKETS_PER_ADDRESS: "0" },
  service: { delayMs: 30 },
  callbacksTo: 0,
  visitorsTo: 0,
} as const;

/** S9: three nodes are restarted, one after the other, while their visitors write. */
export async function rollingRestart({
  root,
  seed = 19,
  visitors,
  perSecond,
  timed,
  progress = () => {},
}: Options): Promise<Report> {
  const begun = performance.now();
  const testbed = await openNodes({ seed, root, ...SETUP });
  try {
    const balanced = createBalancedVisitors(testbed);
    for (let v = 0; v < visitors; v++) {
      balanced.visit(`visitor${v}`);
      if (v % VISITORS_AT_ONCE === VISITORS_AT_ONCE - 1 || v === visitors - 1)
        await until(() => allConnected(testbed, balanced));
    }
    let written = 0;
    const writing = setInterval(
      () => testbed.tabs[written % visitors]?.type(`message ${written++}`),
      1_000 / perSecond,
    );
    const restarts: Restart[] = [];
    for (const node of ALL) {
      restarts.push(await restart(testbed, balanced, node));
      progress(`node ${node} was restarted: ${JSON.stringify(restarts.at(-1))}`);
    }
    await visitEach(testbed, balanced);
    clearInterval(writing);
    const violations = withoutSpooledOrder(testbed, (await testbed.verdict(180_000)).violations);
    const most = (of: (one: Restart) => number): number => Math.max(...restarts.map(of));
    return {
      violations: [
        ...violations,
        ...refusals(testbed),
        ...restarts.flatMap((one, node) => violationsOf(one, node, timed)),
        ...(testbed.mock.effects.length === written ? [] : [`lost: ${written - testbed.mock.effects.length} messages`]),
      ],
      figures: {
        nodes: NODES,
        connections: visitors,
        messages: written,
        refused: count(refusals(testbed), "refused"),
        ...losses(violations),
        "seconds to exit at most": Math.round(most(({ exitMs }) => exitMs) / 100) / 10,
        "back in one second, even spread": Math.round(most(({ perSecond }) => perSecond)),
        "back in one second at most": most(({ peak }) => peak),
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
  }
}
