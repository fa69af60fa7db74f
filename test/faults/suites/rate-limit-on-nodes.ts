import { startSandbox } from "../../../relay/sandbox/server.ts";
import { openNodes } from "../../nodes/testbed.ts";
import { until } from "../process/testbed.ts";
import { type Common, percent, type Report, seconds } from "./suite.ts";

/**
 * `limit`: the service's calls per minute. `least`: smallest share of the limit that must be used. `most`: the share of refused
 * calls must stay below it.
 */
type Options = Common & { limit: number; minutes: number; least?: number; most?: number };

type Testbed = Awaited<ReturnType<typeof openNodes>>;

const MINUTE = 60_000;
const NODES = 3;
const VISITORS = 20;

/** Acknowledged messages that have not arrived at the service and do not wait in the outbox. */
async function countLost(
  { db }: Testbed,
  tabs: ReturnType<Testbed["tab"]>[],
  arrived: readonly string[],
): Promise<number> {
  const waiting = await db.all<{ text: string }>(
    "SELECT m.text FROM outbox o JOIN messages m ON m.visitor = o.visitor AND m.pos = o.pos",
  );
  const known = new Set([...arrived, ...waiting.map(({ text }) => text)]);
  const acked = tabs.flatMap((tab) => tab.typed.filter(({ id }) => tab.acked.has(id)));
  return acked.filter(({ text }) => !known.has(text)).length;
}

/** S5 with three nodes and one key: together the nodes use as much of the service's limit as one node does, and do not exceed it. */
export async function rateLimitOnNodes(options: Options): Promise<Report> {
  const { root, seed = 5, limit, minutes, least = 0.9, most = 0.02, progress = () => {} } = options;
  const begun = performance.now();
  const sandbox = await startSandbox({
    config: { rateLimit: limit, rateWindowMs: MINUTE, rateHeaders: "ietf6", botActive: false, journalSize: 100_000 },
  });
  const other = { url: sandbox.url, key: sandbox.config.apiKey, rate: 60 };
  const testbed = await openNodes({ seed, root, nodes: NODES, redis: true, callbacksTo: 0, visitorsTo: 0, other });
  try {
    const tabs = Array.from({ length: VISITORS }, (_, v) => testbed.tab(`visitor${v}`, v % NODES));
    // More messages than the limit allows, so that the relays always have messages to send.
    for (let n = 0; n < limit * minutes * 1.5 + VISITORS; n++) tabs[n % VISITORS]?.type(`message ${n}`);
    await until(() => sandbox.state().counts.requests > 0);
    const start = Date.now();
    progress("the first call was made");
    await until(() => Date.now() >= start + MINUTE * minutes, MINUTE * (minutes + 1));
    const calls = sandbox.requests().filter(({ at }) => at >= start + MINUTE && at < start + MINUTE * minutes);
    const refused = calls.filter(({ status }) => status === 429).length;
    const usedShare = (calls.length - refused) / (limit * (minutes - 1));
    const refusedShare = calls.length === 0 ? 1 : refused / calls.length;
    const arrived = sandbox.messages().map(({ body }) => body);
    const lost = await countLost(testbed, tabs, arrived);
    const doubled = arrived.length - new Set(arrived).size;
    return {
      violations: [
        ...(lost > 0 ? [`lost: ${lost} messages`] : []),
        ...(doubled > 0 ? [`doubled: ${doubled} messages`] : []),
        ...(usedShare < least ? [`slow: ${percent(usedShare)} of the limit was used`] : []),
        ...(refusedShare >= most ? [`refused: ${percent(refusedShare)} of the calls`] : []),
      ],
      figures: {
        limit,
        minutes,
        nodes: NODES,
        used: percent(usedShare),
        refused: percent(refusedShare),
        lost,
        doubled,
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
    await sandbox.close();
  }
}
