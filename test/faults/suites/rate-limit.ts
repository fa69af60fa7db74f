import type { SandboxConfig } from "../../../relay/sandbox/options.ts";
import { startSandbox } from "../../../relay/sandbox/server.ts";
import { testClock } from "../process/clock.ts";
import { openTestbed, type Testbed, until, visit } from "../process/testbed.ts";
import { type Common, percent, type Report, seconds } from "./suite.ts";

type Style = SandboxConfig["rateHeaders"];
type Options = Common & {
  limits: readonly number[];
  styles: readonly Style[];
  minutes: number;
  /** How many times faster than real time they pass, for both the relay and the service. */
  speed?: number;
  /** Share of the limit that must be used after the first minute, and share of the calls that may be refused. */
  least?: number;
  most?: number;
};

type Run = { limit: number; style: Style; used: number; refused: number; lost: number; doubled: number };

const MINUTE = 60_000;
const VISITORS = 20;

/**
 * S5: the service accepts a limited number of calls a minute and does not announce the limit; with each style of
 * headers on a 429. After the first minute the relay uses nearly all of the limit, and is hardly ever refused.
 */
export async function rateLimit({
  root,
  seed = 5,
  limits,
  styles,
  minutes,
  speed = 1,
  least = 0.9,
  most = 0.02,
}: Options): Promise<Report> {
  const begun = performance.now();
  const all = limits.flatMap((limit) => styles.map((style) => ({ limit, style })));
  const runs = await Promise.all(all.map((each, i) => run({ ...each, root, seed: seed + i, minutes, speed })));
  const violations = runs.flatMap(({ limit, style, used, refused, lost, doubled }) => [
    ...(lost > 0 ? [`lost: ${lost} messages under a limit of ${limit}, stated by ${style}`] : []),
    ...(doubled > 0 ? [`doubled: ${doubled} messages under a limit of ${limit}, stated by ${style}`] : []),
    ...(used < least ? [`slow: ${percent(used)} of a limit of ${limit} was used, stated by ${style}`] : []),
    ...(refused >= most
      ? [`refused: ${percent(refused)} of the calls under a limit of ${limit}, stated by ${style}`]
      : []),
  ]);
  return {
    violations,
    figures: {
      limits: limits.join(", "),
      minutes,
      "header styles": styles.length,
      "used at least": percent(Math.min(...runs.map(({ used }) => used))),
      "refused at most": percent(Math.max(...runs.map(({ refused }) => refused))),
      lost: runs.reduce((sum, { lost }) => sum + lost, 0),
      doubled: runs.reduce((sum, { doubled }) => sum + doubled, 0),
      seconds: seconds(begun),
    },
  };
}

/** One limit, stated by one style of headers. */
type RunOptions = {
  root?: string | undefined;
  seed: number;
  limit: number;
  style: Style;
  minutes: number;
  speed: number;
};

async function run({ root, seed, limit, style, minutes, speed }: RunOptions): Promise<Run> {
  const clock = testClock(speed);
  const sandbox = await startSandbox({
    now: clock.now,
    config: { rateLimit: limit, rateWindowMs: MINUTE, rateHeaders: style, botActive: false, journalSize: 100_000 },
  });
  const other = { url: sandbox.url, key: sandbox.config.apiKey };
  const testbed = await openTestbed({ seed, root, other, rate: 60, ...(speed === 1 ? {} : { env: clock.env }) });
  try {
    await testbed.start();
    const tabs = Array.from({ length: VISITORS }, (_, v) => visit(testbed, `visitor${v}`, 1)).flat();
    // More messages than the limit allows, so that the relay always has something to send.
    for (let n = 0; n < limit * minutes * 1.5 + VISITORS; n++) tabs[n % VISITORS]?.type(`message ${n}`);
    await until(() => sandbox.state().counts.requests > 0);
    const start = clock.now();
    await until(() => clock.now() >= start + MINUTE * minutes, MINUTE * (minutes + 1));
    const end = start + MINUTE * minutes;
    const calls = sandbox.requests().filter(({ at }) => at >= start + MINUTE && at < end);
    const refused = calls.filter(({ status }) => status === 429).length;
    return {
      limit,
      style,
      used: (calls.length - refused) / (limit * (minutes - 1)),
      refused: calls.length === 0 ? 1 : refused / calls.length,
      ...countLosses(
        testbed,
        sandbox.messages().map(({ body }) => body),
      ),
    };
  } finally {
    await testbed.close();
    await sandbox.close();
    clock.remove();
  }
}

/** Counts the acknowledged messages that are neither at the service nor waiting, and those that are at the service twice. */
function countLosses(testbed: Testbed, arrived: readonly string[]): { lost: number; doubled: number } {
  const waiting = testbed.read<{ text: string }>(
    "SELECT m.text FROM outbox o JOIN messages m ON m.visitor = o.visitor AND m.pos = o.pos",
  );
  const known = new Set([...arrived, ...waiting.map(({ text }) => text)]);
  const acked = testbed.tabs.flatMap((tab) => tab.typed.filter(({ id }) => tab.acked.has(id)));
  return {
    lost: acked.filter(({ text }) => !known.has(text)).length,
    doubled: arrived.length - new Set(arrived).size,
  };
}

/**
 * S5b: a single 429 with `Retry-After: 2` on a quiet account. The relay waits these two seconds, and sends the next
 * six messages within ten seconds.
 */
export async function single429({ root, seed = 5 }: Common): Promise<Report> {
  const sandbox = await startSandbox({ config: { rateLimit: 0, botActive: false } });
  const testbed = await openTestbed({ seed, root, other: { url: sandbox.url, key: sandbox.config.apiKey }, rate: 60 });
  try {
    await testbed.start();
    const refusal = { kind: "status", status: 429, headers: { "Retry-After": "2" }, when: "before" } as const;
    sandbox.failNext("incoming", 1, refusal);
    const tabs = Array.from({ length: 7 }, (_, v) => visit(testbed, `visitor${v}`, 1)).flat();
    tabs[0]?.type("refused at first");
    const answered = (status: number) => sandbox.requests().filter((request) => request.status === status);
    await until(() => answered(429).length > 0, MINUTE);
    for (const [n, tab] of tabs.entries()) if (n > 0) tab.type(`message ${n}`);
    await until(() => sandbox.messages().length === 7, 10 * MINUTE);
    const refusedAt = answered(429)[0]?.at ?? 0;
    const waits = answered(200).map(({ at }) => at - refusedAt);
    const [soonest, latest] = [Math.min(...waits), Math.max(...waits)];
    return {
      violations: [
        ...(soonest < 2_000 ? [`early: a call went ${soonest} ms after a refusal with Retry-After: 2`] : []),
        ...(latest > 10_000 ? [`slow: six messages were out ${latest} ms after a single refusal`] : []),
      ],
      figures: { "ms to the first call": soonest, "ms to the last of seven": latest, refused: answered(429).length },
    };
  } finally {
    await testbed.close();
    await sandbox.close();
  }
}
