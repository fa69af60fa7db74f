/** A relay with many stored messages compared with one with few: start, round trips, and opening a long thread. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { COMPILE_CACHE } from "../../compile-cache.ts";
import { startContender } from "../contender.ts";
import { type Figures, type Rounds, saturate, warmUp, withTimeout } from "../load.ts";
import { alternate, type Plan, type Row, withContenders } from "../row.ts";
import { type Seeded, seededFolder } from "../seed.ts";
import { relayEnv } from "../server.ts";
import { connect, type Known } from "../visitors.ts";

const VISITORS = 200;
const MANY = 1_000_000;
const OPENINGS = 20;
const START = join(import.meta.dirname, "..", "servers", "start.ts");

const nameOf = (messages: number): string => `${messages.toLocaleString("en")} messages`;

/** Runs `measure` with data folders with these numbers of messages, and removes them. */
async function withSeeds(sizes: readonly number[], measure: (seeds: Seeded[]) => Promise<Rounds>): Promise<Rounds> {
  const seeds: Seeded[] = [];
  try {
    for (const size of sizes) seeds.push(await seededFolder(size));
    return await measure(seeds);
  } finally {
    for (const { remove } of seeds) remove();
  }
}

/** Round trips of new visitors on relays with different numbers of stored messages. */
const growth = (plan: Plan): Promise<Rounds> => {
  const sizes = plan.long ? [100, 1_000, 10_000, 100_000, MANY] : [100, MANY];
  return withSeeds(sizes, (seeds) =>
    withContenders(
      seeds.map(
        ({ folder }, i) =>
          () =>
            startContender("relay", { name: nameOf(sizes[i] ?? 0), folder, visitors: VISITORS }),
      ),
      async (contenders) => {
        const round = (ms: number) => ({ ms, bytes: 22, wanted: "reply" as const });
        for (const contender of contenders) await warmUp(plan.warmMs, (ms) => saturate(contender, round(ms)));
        return alternate(contenders, plan.rounds, (contender) => saturate(contender, round(plan.roundMs)));
      },
    ),
  );
};

/** Milliseconds from the relay's start until it listens, without and with loading its code. Stops it cleanly. */
async function start(folder: string): Promise<Figures> {
  const begin = performance.now();
  const child = fork(START, { env: { ...COMPILE_CACHE, ...relayEnv("http://127.0.0.1:9", folder) }, stdio: "ignore" });
  const ended = once(child, "exit");
  const [{ startMs }] = (await withTimeout(once(child, "message"), 0, "A start")) as [{ startMs: number }];
  const processMs = performance.now() - begin;
  await ended;
  return { startMs, processMs };
}

const ready = (plan: Plan): Promise<Rounds> => {
  const sizes = [100, MANY];
  return withSeeds(sizes, async (seeds) => {
    const starts = seeds.map(({ folder }, i) => ({ name: nameOf(sizes[i] ?? 0), folder }));
    // The first start compiles the sources.
    for (const { folder } of starts) await start(folder);
    return alternate(starts, plan.rounds, ({ folder }) => start(folder));
  });
};

/** Milliseconds from the connect until the newest page of the thread has arrived. */
async function opening(server: Parameters<typeof connect>[0], known: Known): Promise<number> {
  const begin = performance.now();
  let head = Number.POSITIVE_INFINITY;
  let newest = 0;
  let shown = (): void => {};
  const whole = new Promise<void>((resolve) => {
    shown = resolve;
  });
  const visitor = await connect(server, {
    known,
    onText(text) {
      if (text.startsWith('{"t":"welcome"')) head = Number(/"head":(\d+)/.exec(text)?.[1]);
      if (text.startsWith('{"t":"message"')) newest = Number(/"n":(\d+)/.exec(text)?.[1]);
      if (newest >= head) shown();
    },
  });
  await whole;
  visitor.cut();
  return performance.now() - begin;
}

const long = (plan: Plan): Promise<Rounds> =>
  withSeeds([MANY], ([seed]) =>
    withContenders([() => startContender("relay", { folder: seed?.folder ?? "" })], async ([contender]) => {
      if (contender === undefined || seed === undefined) return {};
      const { server } = contender;
      const short = seed.visitors.map(({ token }) => (token === undefined ? {} : { token }));
      const threads = [
        { name: "90 messages", known: (i: number) => short[i % short.length] ?? {} },
        { name: "100,000 messages", known: () => seed.longest },
      ];
      for (const { known } of threads) await opening(server, known(0));
      return alternate(threads, plan.rounds, async ({ known }) => {
        let ms = 0;
        for (let i = 0; i < OPENINGS; i++) ms += await opening(server, known(i));
        return { openMs: ms / OPENINGS };
      });
    }),
  );

export const SIZE: readonly Row[] = [
  {
    name: "growth",
    title: "Round trip beside stored messages",
    shown: ["perSecond", "cpu"],
    quick: true,
    measure: growth,
  },
  { name: "ready", title: "Start until ready", shown: ["startMs", "processMs"], quick: true, measure: ready },
  { name: "long-thread", title: "A visitor opens a thread", shown: ["openMs"], quick: true, measure: long },
];
