/** Connections: returning visitors, a wave of them after a restart, and idle ones. */
import { HEARTBEAT_MS } from "@porchlight/shared/limits";
import { type Contender, startContender } from "../contender.ts";
import { cpuOf, type Figures } from "../load.ts";
import { alternate, among, type Plan, type Rounds, type Row } from "../row.ts";
import { type Seeded, seeded } from "../seed.ts";
import { connect, inParallel, type Known, type Visitor } from "../visitors.ts";

/** Connections being made at once. */
const WIDTH = 100;
const RETURNING = 100_000;
const CROWD = 10_000;
const CROWD_MESSAGES = 1_000_000;
/**
 * Milliseconds between the connects and the measurement of idle CPU, so that work left from connecting does not count.
 */
const REST_MS = 3_000;
/** Windows in which a crowd's CPU is measured. */
const WINDOWS = 5;
const FLOOR_WINDOW_MS = 500;
/** Sockets opened before memory is measured, so that one-time growth of the process does not count. */
const WARM = 500;

/** Visitors return, learn that nothing is new, and leave. */
async function come({ server }: Contender, visitors: readonly Known[], count: number): Promise<void> {
  await inParallel(count, WIDTH, async (i) => {
    const known = visitors[i % visitors.length];
    (await connect(server, { ...(known && { known }) })).cut();
  });
}

async function rateOf(contender: Contender, load: () => Promise<void>, count: number): Promise<Figures> {
  const begin = performance.now();
  const cpu = await cpuOf(contender, load);
  return { perSecond: count / ((performance.now() - begin) / 1_000), cpu: cpu / count };
}

async function connects(plan: Plan): Promise<Rounds> {
  const seed = await seeded(RETURNING);
  const count = plan.long ? 8_000 : 1_500;
  const known = ({ server }: Contender): Known[] => (server.kind === "relay" ? seed.visitors : []);
  try {
    return await among(
      [() => startContender("floor"), () => startContender("relay", { folder: seed.folder })],
      async (contenders) => {
        for (const each of contenders) await come(each, known(each), count / 2);
        return alternate(contenders, plan.rounds, (each) => rateOf(each, () => come(each, known(each), count), count));
      },
    );
  } finally {
    seed.remove();
  }
}

/** Opens the crowd's connections; with the seeded visitors, each resumes a thread of their own. */
const gather = ({ server }: Contender, visitors: readonly Known[], count: number): Promise<Visitor[]> =>
  inParallel(count, WIDTH, (i) => {
    const known = visitors[i];
    return connect(server, { ...(known && { known }) });
  });

/** CPU of a server while its sockets are idle, in % of a core: one figure for each window. */
async function idlePercents(contender: Contender, windowMs: number): Promise<number[]> {
  const percents: number[] = [];
  for (let window = 0; window < WINDOWS; window++) {
    const cpu = await cpuOf(contender, () => new Promise((resolve) => setTimeout(resolve, windowMs)));
    percents.push(cpu / windowMs / 10);
  }
  return percents;
}

/**
 * 10,000 idle sockets: what they cost, and how long it takes until all are back after a cut. Memory and the wave are
 * measured once; the CPU in five windows over one whole heartbeat interval. The floor has no heartbeats, so its windows
 * are short.
 */
async function crowd(contender: Contender, visitors: readonly Known[]): Promise<Figures[]> {
  const { server } = contender;
  const warm = await gather(contender, [], WARM);
  const before = (await server.settled()).rss;
  let sockets = await gather(contender, visitors, CROWD);
  const bytes = ((await server.settled()).rss - before) / CROWD;
  const beats = server.kind === "relay";
  if (beats) await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const percents = await idlePercents(contender, beats ? HEARTBEAT_MS / WINDOWS : FLOOR_WINDOW_MS);
  for (const socket of sockets) socket.cut();
  const begin = performance.now();
  sockets = await gather(contender, visitors, CROWD);
  const waveMs = performance.now() - begin;
  for (const socket of [...warm, ...sockets]) socket.cut();
  return percents.map((idlePercent, i) => (i === 0 ? { idlePercent, bytes, waveMs } : { idlePercent }));
}

async function crowds(plan: Plan): Promise<Rounds> {
  const results: Rounds = { floor: [], relay: [] };
  for (let round = 0; round < (plan.long ? plan.rounds : 1); round++) {
    for (const kind of ["floor", "relay"] as const) {
      const seed: Seeded | undefined = kind === "relay" ? await seeded(CROWD_MESSAGES) : undefined;
      const contender = await startContender(kind, seed === undefined ? {} : { folder: seed.folder });
      try {
        results[kind]?.push(...(await crowd(contender, seed?.visitors ?? [])));
      } finally {
        await contender.stop();
        seed?.remove();
      }
    }
  }
  return results;
}

export const CONNECTS: readonly Row[] = [
  { name: "connects", title: "Connects with resume", shown: ["perSecond", "cpu"], quick: true, measure: connects },
  {
    name: "crowd",
    title: "10,000 idle sockets, then all cut and back",
    shown: ["bytes", "idlePercent", "waveMs"],
    quick: true,
    measure: crowds,
  },
];
