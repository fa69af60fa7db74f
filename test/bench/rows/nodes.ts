/** Two relays on one PostgreSQL: callbacks to one, visitors on the other. */
import { openPostgresLink, openRedisLink } from "../../../relay/src/bus/links.ts";
import { type Postgres, startPostgres } from "../../setup/postgres.ts";
import { startRedis } from "../../setup/redis.ts";
import { type Contender, startContender } from "../contender.ts";
import { type Figures, quantile, type Rounds, saturate, warmUp } from "../load.ts";
import { alternate, type Plan, type Row, withContenders } from "../row.ts";
import { startServer } from "../server.ts";
import { startService } from "../service.ts";
import { connect, inParallel } from "../visitors.ts";

const VISITORS = 200;
const CONNECTING = 50;

/** A server as a deployment runs it: every commit is flushed to the disk. */
const durable = (): Promise<Postgres> =>
  startPostgres({ fsync: "on", full_page_writes: "on", autovacuum: "on", shared_buffers: "128MB" });

/** @param hints the transport of hints between the nodes */
async function startPair(hints: "Redis" | "NOTIFY"): Promise<Contender> {
  const [postgres, redis] = [await durable(), hints === "Redis" ? await startRedis() : undefined];
  const service = await startService();
  const env = { DATABASE_URL: postgres.url("postgres"), ...(redis && { REDIS_URL: redis.url }) };
  const [first, second] = [
    await startServer("relay", service.url, { env }),
    await startServer("relay", service.url, { env }),
  ];
  service.callTo(first.port, first.callbacks, true);
  const contender: Contender = {
    name: `two nodes, ${hints}`,
    server: {
      ...second,
      /** CPU of both nodes, memory of the second. */
      async usage() {
        const [a, b] = [await first.usage(), await second.usage()];
        return { ...a, ...b, cpu: a.cpu + b.cpu };
      },
    },
    service,
    visitors: [],
    onMessage: () => {},
    async stop() {
      for (const visitor of contender.visitors) visitor.cut();
      await Promise.all([first.stop(), second.stop()]);
      service.close();
      await Promise.all([postgres.stop(), redis?.stop()]);
    },
  };
  contender.visitors = await inParallel(VISITORS, CONNECTING, (i) =>
    connect(second, { onMessage: (...what) => contender.onMessage(i, ...what) }),
  );
  return contender;
}

const trips = async (plan: Plan): Promise<Rounds> =>
  withContenders(
    [() => startContender("relay", { visitors: VISITORS }), () => startPair("NOTIFY"), () => startPair("Redis")],
    async (contenders) => {
      const load = (contender: Contender, ms: number) => saturate(contender, { ms, bytes: 22, wanted: "reply" });
      for (const contender of contenders) await warmUp(plan.warmMs, (ms) => load(contender, ms));
      return alternate(contenders, plan.rounds, (contender) => load(contender, plan.roundMs));
    },
  );

/** Hints a second while the hop is measured, and the length of a hint in characters. */
const HINTS_PER_SECOND = 200;
const HINT = "x".repeat(120);

type Hop = { name: string; round: (ms: number) => Promise<Figures>; close: () => Promise<void> };

/** Measures a hint from one node's connection to the other's. */
async function startHop(name: "Redis" | "NOTIFY"): Promise<Hop> {
  const server = name === "Redis" ? await startRedis() : await durable();
  const quiet = { onState: () => {} };
  const open = () =>
    "url" in server && typeof server.url === "string"
      ? openRedisLink(server.url, quiet)
      : openPostgresLink((server as Postgres).url("postgres"), quiet);
  const [from, to] = [await open(), await open()];
  const times: number[] = [];
  to.onText((text) => void times.push(performance.now() - Number(text.split(" ")[0])));
  return {
    name,
    async round(ms) {
      times.length = 0;
      const begun = performance.now();
      for (let sent = 0; performance.now() < begun + ms; ) {
        for (const due = ((performance.now() - begun) / 1_000) * HINTS_PER_SECOND; sent < due; sent++)
          from.send(`${performance.now()} ${HINT}`);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      const sorted = times.toSorted((a, b) => a - b);
      return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
    },
    async close() {
      await Promise.all([from.close(), to.close()]);
      await server.stop();
    },
  };
}

async function hops(plan: Plan): Promise<Rounds> {
  const all = [await startHop("NOTIFY"), await startHop("Redis")];
  try {
    for (const hop of all) await hop.round(plan.warmMs);
    return await alternate(all, plan.rounds, (hop) => hop.round(plan.roundMs));
  } finally {
    for (const hop of all) await hop.close();
  }
}

export const NODES: readonly Row[] = [
  { name: "nodes", title: "Round trip over two nodes", shown: ["perSecond", "cpu"], quick: true, measure: trips },
  { name: "hop", title: "A hint from node to node", shown: ["p50", "p99"], quick: true, measure: hops },
];
