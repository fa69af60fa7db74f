/** Connections: returning visitors, a wave of them after a restart, and idle ones. */
import { HEARTBEAT_MS } from "@porchlight/shared/limits";
import { type Contender, startContender } from "../contender.ts";
import { cpuOf, type Figures, type Rounds } from "../load.ts";
import { alternate, type Plan, type Row, withContenders } from "../row.ts";
import { seededFolder } from "../seed.ts";
import { connect, inParallel, type Known, type Visitor } from "../visitors.ts";

/** Connections being made at once. */
const WIDTH = 100;
const RETURNING = 100_000;
const CROWD = 10_000;
/** Sockets of the bare server while idle CPU is measured. Together with the relay's, they fit into the usual limit of 20,000 open files. */
const BARE_CROWD = 5_000;
const CROWD_MESSAGES = 1_000_000;
/**
 * Milliseconds between the connects and the measurement of idle CPU, so that work left from connecting does not count.
 */
const REST_MS = 3_000;
/** Windows in which a crowd's CPU is measured. */
const WINDOWS = 5;
/** Sockets opened before memory is measured, so that one-time growth of the process does not count. */
const WARM = 500;

/** Visitors reconnect, learn that nothing is new, and disconnect. */
async function reconnect({ server }: Contender, visitors: readonly Known[], count: number): Promise<void> {
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
  const seed = await seededFolder(RETURNING);
  const count = plan.long ? 8_000 : 1_500;
  const known = ({ server }: Contender): Known[] => (server.kind === "relay" ? seed.visitors : []);
  try {
    return await withContenders(
      [() => startContender("bare"), () => startContender("relay", { folder: seed.folder })],
      async (contenders) => {
        for (const each of contenders) await reconnect(each, known(each), count);
        return alternate(contenders, plan.rounds, (each) =>
          rateOf(each, () => reconnect(each, known(each), count), count),
        );
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

type Sockets = { count: number; contender: Contender };

/**
 * Measures the CPU of several servers while their sockets are idle, in the same windows. A window is a fifth of the heartbeat
 * interval. @returns for each server one figure per window: % of a core, scaled to `CROWD` sockets
 */
async function idlePercents(crowds: readonly Sockets[]): Promise<number[][]> {
  const percents: number[][] = crowds.map(() => []);
  const windowMs = HEARTBEAT_MS / WINDOWS;
  const used = (): Promise<number[]> =>
    Promise.all(crowds.map(async ({ contender }) => (await contender.server.usage()).cpu));
  for (let window = 0; window < WINDOWS; window++) {
    const before = await used();
    await new Promise((resolve) => setTimeout(resolve, windowMs));
    for (const [i, cpu] of (await used()).entries())
      percents[i]?.push(((cpu - (before[i] ?? 0)) / windowMs / 10) * (CROWD / (crowds[i]?.count ?? CROWD)));
  }
  return percents;
}

/** Opens a crowd. `bytes`: memory that the server holds for each of its sockets. */
async function fill(contender: Contender, visitors: readonly Known[]): Promise<{ sockets: Visitor[]; bytes: number }> {
  const warm = await gather(contender, [], WARM);
  const before = (await contender.server.settled()).rss;
  const sockets = await gather(contender, visitors, CROWD);
  const bytes = ((await contender.server.settled()).rss - before) / CROWD;
  for (const socket of warm) socket.cut();
  return { sockets, bytes };
}

/** Cuts a crowd. `waveMs`: how long it takes until all are back. */
async function wave(contender: Contender, visitors: readonly Known[], crowd: readonly Visitor[]) {
  for (const socket of crowd) socket.cut();
  const begin = performance.now();
  const sockets = await gather(contender, visitors, CROWD);
  return { sockets, waveMs: performance.now() - begin };
}

/**
 * 10,000 idle sockets: what they cost, and how long it takes until all are back after a cut. Memory and the
 * wave are measured once; the CPU in five windows over one whole heartbeat interval, of both servers at the same time. The
 * bare server sends the same heartbeats.
 */
async function crowd(bare: Contender, relay: Contender, visitors: readonly Known[]): Promise<Rounds> {
  const reference = await fill(bare, []);
  const referenceWave = await wave(bare, [], reference.sockets);
  for (const socket of referenceWave.sockets.splice(BARE_CROWD)) socket.cut();
  const ours = await fill(relay, visitors);
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const [barePercents = [], relayPercents = []] = await idlePercents([
    { contender: bare, count: BARE_CROWD },
    { contender: relay, count: CROWD },
  ]);
  const { waveMs, sockets } = await wave(relay, visitors, ours.sockets);
  for (const socket of [...sockets, ...referenceWave.sockets]) socket.cut();
  const rounds = (percents: readonly number[], once: Figures): Figures[] =>
    percents.map((idlePercent, i) => (i === 0 ? { idlePercent, ...once } : { idlePercent }));
  return {
    bare: rounds(barePercents, { bytes: reference.bytes, waveMs: referenceWave.waveMs }),
    relay: rounds(relayPercents, { bytes: ours.bytes, waveMs }),
  };
}

async function crowds(plan: Plan): Promise<Rounds> {
  const results: Rounds = { bare: [], relay: [] };
  for (let round = 0; round < (plan.long ? plan.rounds : 1); round++) {
    const seed = await seededFolder(CROWD_MESSAGES);
    try {
      const measured = await withContenders(
        [
          () => startContender("bare", { env: { HEARTBEATS: "1" } }),
          () => startContender("relay", { folder: seed.folder }),
        ],
        async ([bare, relay]) => (bare === undefined || relay === undefined ? {} : crowd(bare, relay, seed.visitors)),
      );
      for (const [name, rounds] of Object.entries(measured)) results[name]?.push(...rounds);
    } finally {
      seed.remove();
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
