/** Round trips: visitor → server → service → callback → server → visitor. */
import { type Contender, startContender } from "../contender.ts";
import { pace, type Rounds, saturate, warmUp } from "../load.ts";
import { alternate, type Plan, type Row, withContenders } from "../row.ts";
import type { ServerKind } from "../server.ts";

const VISITORS = 200;
const RATE = ["perSecond", "cpu"] as const;
const TIMES = ["p50", "p99", "backlog", "cpu"] as const;
const KINDS: readonly ServerKind[] = ["bare", "naive", "relay"];

/** Measures 200 visitors at full speed, each with one message under way. */
const saturated = (bytes: number, keep: boolean) => async (plan: Plan) =>
  withContenders(
    KINDS.map((kind) => () => startContender(kind, { visitors: VISITORS, keep })),
    async (contenders) => {
      for (const contender of contenders)
        await warmUp(plan.warmMs, (ms) => saturate(contender, { ms, bytes, wanted: "reply" }));
      return alternate(contenders, plan.rounds, (contender) =>
        saturate(contender, { ms: plan.roundMs, bytes, wanted: "reply" }),
      );
    },
  );

/**
 * Measures at a fixed rate. The warm-up runs at full speed, because a server that runs for days has compiled its code.
 */
async function measurePaced(contenders: readonly Contender[], plan: Plan, perSecond: number): Promise<Rounds> {
  for (const contender of contenders)
    await warmUp(plan.warmMs, (ms) => saturate(contender, { ms, bytes: 22, wanted: "reply" }));
  return alternate(contenders, plan.rounds, (contender) => pace(contender, { ms: plan.roundMs, bytes: 22, perSecond }));
}

const paced = (perSecond: number) => async (plan: Plan) =>
  withContenders(
    KINDS.map((kind) => () => startContender(kind, { visitors: VISITORS })),
    (contenders) => measurePaced(contenders, plan, perSecond),
  );

/**
 * Compares the relay at a fixed rate with a bare chain that also waits for two flushes, which is the least that a relay that
 * loses nothing can do.
 */
const pacedFlushes = (perSecond: number) => async (plan: Plan) =>
  withContenders(
    [
      () => startContender("bare", { visitors: VISITORS }),
      () => startContender("bare", { name: "two flushes", visitors: VISITORS, env: { FLUSHES: "1" } }),
      () => startContender("relay", { visitors: VISITORS }),
    ],
    (contenders) => measurePaced(contenders, plan, perSecond),
  );

export const TRIPS: readonly Row[] = [
  { name: "trip", title: "Round trip, 22 bytes", shown: RATE, quick: true, measure: saturated(22, true) },
  { name: "trip-400", title: "Round trip, 400 bytes", shown: RATE, quick: false, measure: saturated(400, true) },
  {
    name: "trip-closed",
    title: "Round trip, the service closes its connections",
    shown: RATE,
    quick: true,
    measure: saturated(22, false),
  },
  { name: "paced-200", title: "200 round trips a second", shown: TIMES, quick: false, measure: paced(200) },
  { name: "paced-500", title: "500 round trips a second", shown: TIMES, quick: true, measure: paced(500) },
  {
    name: "flushes-500",
    title: "500 round trips a second, beside a bare chain with two flushes",
    shown: TIMES,
    quick: false,
    measure: pacedFlushes(500),
  },
  { name: "paced-1000", title: "1,000 round trips a second", shown: TIMES, quick: true, measure: paced(1_000) },
];
