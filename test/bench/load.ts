import type { Contender } from "./contender.ts";

/** The figures of one round of a row. Times in milliseconds, CPU in microseconds. */
export type Figures = Record<string, number>;

/** The rounds of each contender, by its name. The others are compared with the first contender. */
export type Rounds = Record<string, Figures[]>;

/** What a visitor waits for: the reply of a whole round trip, or the acknowledgement of their own message. */
export type Wanted = "reply" | "acknowledged";

/** Milliseconds without an answer after which a load fails. */
const STUCK_MS = 30_000;
/** Messages on their way at the end of a paced round have this long (ms) to arrive. */
const DRAIN_MS = 5_000;

let texts = 0;

/** A unique text of `bytes` bytes. */
export const textOf = (bytes: number): string =>
  `k${(texts++).toString(36)} Do you ship to Norway? `.padEnd(bytes, "Hello. ").slice(0, bytes);

/** The value that the share `q` of the values does not exceed. */
export const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;

/**
 * The figures of a round. @param times milliseconds of each trip @param cpu microseconds of CPU of the server's process
 */
function figuresOf(times: number[], cpu: number): Figures {
  times.sort((a, b) => a - b);
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), cpu: cpu / times.length };
}

/** Resolves like `work`, or rejects when it takes longer than `ms` and `STUCK_MS` together. */
export function withTimeout<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} got stuck`)), ms + STUCK_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Runs `load` and returns the CPU time that the server spent on it, in microseconds. */
export async function cpuOf({ server }: Contender, load: () => Promise<void>): Promise<number> {
  const { cpu } = await server.usage();
  await load();
  return (await server.usage()).cpu - cpu;
}

/** A warm-up ends after this many operations, or after this many times its `ms`. */
const WARM_COUNT = 8_000;
const WARM_TIMES = 3;

/**
 * Runs rounds of `ms` until a server has done `WARM_COUNT` operations, or `WARM_TIMES` times `ms` have passed. It counts
 * operations because in a fixed time a slow server compiles less of its code than a fast one: the relay's first round of
 * callbacks took up to three times the CPU of the fifth.
 */
export async function warmUp(ms: number, round: (ms: number) => Promise<Figures>): Promise<void> {
  const begin = performance.now();
  let count = 0;
  do {
    const begun = performance.now();
    const { perSecond = 0 } = await round(ms);
    count += (perSecond * (performance.now() - begun)) / 1_000;
  } while (count < WARM_COUNT && performance.now() < begin + WARM_TIMES * ms);
}

export type Saturation = { ms: number; bytes: number; wanted: Wanted; echo?: boolean };

/** Measures at full speed: for `ms`, every visitor sends a message, waits for the answer, and sends the next one. */
export async function saturate(
  contender: Contender,
  { ms, bytes, wanted, echo = false }: Saturation,
): Promise<Figures> {
  const times: number[] = [];
  let seconds = 0;
  const cpu = await cpuOf(contender, async () => {
    const begin = performance.now();
    const end = begin + ms;
    const asked = contender.visitors.map(() => ({ text: "", at: 0 }));
    await withTimeout(
      new Promise<void>((resolve) => {
        let open = contender.visitors.length;
        function ask(i: number): void {
          const text = textOf(bytes);
          asked[i] = { text, at: performance.now() };
          const visitor = contender.visitors[i];
          if (echo) visitor?.echo(text);
          else visitor?.send(text);
        }
        contender.onMessage = (i, what, text) => {
          if (what !== wanted || asked[i]?.text !== text) return;
          const now = performance.now();
          times.push(now - asked[i].at);
          if (now < end) ask(i);
          else if (--open === 0) resolve();
        };
        for (const i of contender.visitors.keys()) ask(i);
      }),
      ms,
      contender.name,
    );
    seconds = (performance.now() - begin) / 1_000;
  });
  return { perSecond: times.length / seconds, trips: times.length, ...figuresOf(times, cpu) };
}

export type Pace = { ms: number; bytes: number; perSecond: number };

/**
 * Measures at a fixed rate: sends `perSecond` messages a second for `ms`, without waiting for answers. `backlog` counts
 * the messages without a reply at the end.
 */
export async function pace(contender: Contender, { ms, bytes, perSecond }: Pace): Promise<Figures> {
  const times: number[] = [];
  const sent = new Map<string, number>();
  contender.onMessage = (_, what, text) => {
    const at = what === "reply" ? sent.get(text) : undefined;
    if (at === undefined) return;
    times.push(performance.now() - at);
    sent.delete(text);
  };
  let backlog = 0;
  const cpu = await cpuOf(contender, async () => {
    const begin = performance.now();
    let count = 0;
    for (let now = begin; now < begin + ms; now = performance.now()) {
      for (const due = ((now - begin) / 1_000) * perSecond; count < due; count++) {
        const text = textOf(bytes);
        sent.set(text, performance.now());
        contender.visitors[count % contender.visitors.length]?.send(text);
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    backlog = sent.size;
    while (sent.size > 0 && performance.now() < begin + ms + DRAIN_MS)
      await new Promise((resolve) => setTimeout(resolve, 5));
  });
  // A message that did not arrive took at least as long as the load waited for it.
  for (const at of sent.values()) times.push(performance.now() - at);
  return { ...figuresOf(times, cpu), backlog };
}
