import { setTimeout as pause } from "node:timers/promises";
import { type NodesTestbed, openNodes } from "../../nodes/testbed.ts";
import { until } from "../process/testbed.ts";
import { type Common, losses, type Report, seconds } from "./suite.ts";

type Options = Common & {
  /** How often the node that sends is stopped; three times: each node once. */
  stops: number;
  visitors: number;
  /** Messages that all visitors together write in a second. */
  perSecond: number;
};

const NODES = 3;
/** Longest time until another node has the lease of a stopped one, in ms: a lease lasts 3 s. */
const TAKEN_WITHIN_MS = 30_000;

/** The node that holds the account's lease, by its index. */
async function holderIn({ db, ports }: NodesTestbed): Promise<number> {
  const [row] = await db.all<{ address: string }>(
    "SELECT n.address FROM leases l JOIN nodes n ON n.node = l.node WHERE l.name = 'account:main'",
  );
  return ports.findIndex((port) => row?.address.endsWith(`:${port}`));
}

/**
 * S7: three nodes. The node that sends is stopped with a call under way, until another node has its lease. Then this other
 * node is stopped too, and the first one continues. So each node in turn takes over, is stopped, and comes back with an old lease.
 */
export async function pausedNodes({
  root,
  seed = 7,
  stops,
  visitors,
  perSecond,
  progress = () => {},
}: Options): Promise<Report> {
  const begun = performance.now();
  const service = { delayMs: 60 };
  const testbed = await openNodes({ seed, root, nodes: NODES, redis: false, callbacksTo: 0, visitorsTo: 0, service });
  try {
    const tabs = Array.from({ length: visitors }, (_, v) => testbed.tab(`visitor${v}`, v % NODES));
    await until(() => tabs.every((tab) => tab.connected() && tab.person.token !== undefined));
    let written = 0;
    const writing = setInterval(() => tabs[written % visitors]?.type(`message ${written++}`), 1_000 / perSecond);
    const stopped: number[] = [];
    for (let n = 0; n < stops; n++) {
      await pause(500 + testbed.random() * 500);
      const sender = await holderIn(testbed);
      testbed.signal(sender, "SIGSTOP");
      stopped.push(sender);
      if (!(await until(async () => (await holderIn(testbed)) !== sender, TAKEN_WITHIN_MS)))
        throw new Error(`No node took the lease of node ${sender}`);
      const earlier = stopped.at(-2);
      if (earlier !== undefined) testbed.signal(earlier, "SIGCONT");
      progress(`node ${sender} was stopped, another one sends`);
    }
    clearInterval(writing);
    testbed.signal(stopped.at(-1) ?? 0, "SIGCONT");
    const { violations } = await testbed.verdict(120_000);
    const repeated = [...testbed.mock.calls.values()].reduce((sum, times) => sum + times - 1, 0);
    return {
      violations: [
        ...violations,
        ...recordedTwice(testbed),
        ...(new Set(stopped).size === NODES ? [] : [`vacuous: only the nodes ${stopped.join(", ")} were stopped`]),
        ...(repeated > 0 ? [] : ["vacuous: no call was under way when a node was stopped"]),
        ...(testbed.mock.effects.length === written ? [] : [`lost: ${written - testbed.mock.effects.length} messages`]),
      ],
      figures: {
        nodes: NODES,
        stops,
        messages: written,
        "calls repeated by another node": repeated,
        ...losses(violations),
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
  }
}

/** Messages whose delivery two nodes recorded. */
function recordedTwice({ processes }: NodesTestbed): string[] {
  const times = new Map<string, number>();
  for (const line of processes.flatMap(({ lines }) => lines)) {
    if (!line.includes('"delivery.done"')) continue;
    const { message = "" } = JSON.parse(line) as { message?: string };
    times.set(message, (times.get(message) ?? 0) + 1);
  }
  return [...times].flatMap(([message, n]) => (n > 1 ? [`fencing: ${n} nodes recorded ${message}`] : []));
}
