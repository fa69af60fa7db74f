import { type TestClock, testClock } from "../process/clock.ts";
import { openTestbed, type Testbed, until, visit } from "../process/testbed.ts";
import type { Tab } from "../tab.ts";
import { type Common, count, type Report, seconds } from "./suite.ts";

type Options = Common & {
  visitors: number;
  messages: number;
  /** How many times faster than real time the relay's clock runs, besides the hours that are skipped. */
  speed?: number;
};

const HOUR = 3_600_000;
/** The relay checks for expired messages every 30 s. */
const NOTICED_MS = 60_000;

/** How the hours pass: the clock of a running relay is set, or the relay is killed and started later. */
type Way = "set" | "killed";

/**
 * S6: the service cannot be reached for eleven hours, and for thirteen. Within the horizon of twelve hours everything
 * is delivered automatically; beyond it everything fails visibly, and Retry delivers it. No test waits for hours: the
 * relay's clock is set.
 */
export async function outage({ root, seed = 6, visitors, messages, speed = 1 }: Options): Promise<Report> {
  const begun = performance.now();
  const runs: OutageRun[] = [];
  for (const hours of [11, 13])
    for (const way of ["set", "killed"] as const)
      runs.push(await runOutage({ root, seed, visitors, messages, speed, hours, way }));
  const sum = (of: (run: OutageRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const violations = runs.flatMap((run) => run.violations);
  return {
    violations,
    figures: {
      outages: runs.length,
      messages: sum((run) => run.messages),
      "delivered after 11 h": sum((run) => (run.hours === 11 ? run.delivered : 0)),
      "failed after 13 h": sum((run) => run.failed),
      "delivered by Retry": sum((run) => (run.hours === 13 ? run.delivered : 0)),
      lost: count(violations, "lost"),
      doubled: count(violations, "doubled"),
      seconds: seconds(begun),
    },
  };
}

type OutageRun = {
  hours: number;
  messages: number;
  failed: number;
  delivered: number;
  violations: string[];
};

async function runOutage({
  root,
  seed = 6,
  visitors,
  messages,
  speed = 1,
  hours,
  way,
}: Options & { hours: number; way: Way }) {
  const clock = testClock(speed);
  const testbed = await openTestbed({ seed, root, env: clock.env, service: { down: true, replies: 1 } });
  try {
    await testbed.start();
    const tabs = Array.from({ length: visitors }, (_, v) => visit(testbed, `visitor${v}`, 1)).flat();
    write(tabs, messages);
    if (!(await until(() => tabs.every((tab) => tab.unsent() === 0))))
      throw new Error("The relay did not acknowledge the messages");
    await pass(testbed, clock, hours * HOUR, way);
    const late = hours > 12;
    const failing = (): number => tabs.reduce((sum, tab) => sum + tab.failing().length, 0);
    const visible = !late || (await until(() => failing() === messages, NOTICED_MS));
    const failed = failing();
    testbed.mock.behaviour.down = false;
    // Setting the clock back must not stop anything either.
    if (way === "set" && !late) clock.set(0, testbed.relay()?.child.pid);
    for (const tab of tabs) for (const { id } of tab.failing()) tab.press(id);
    await until(() => testbed.mock.effects.length >= messages, 120_000);
    const { violations } = await testbed.verdict({ jump: hours * HOUR }, 120_000);
    const { effects } = testbed.mock;
    const which = `after ${hours} h, ${way}`;
    return {
      hours,
      messages,
      failed,
      delivered: effects.length,
      violations: [
        ...violations.map((line) => `${line} (${which})`),
        ...(visible ? [] : [`silent: ${messages - failed} of ${messages} messages do not show as failed ${which}`]),
        ...(late || failed === 0 ? [] : [`early: ${failed} messages failed ${which}`]),
        ...(effects.length === messages
          ? []
          : [`lost: ${messages - effects.length} messages were not delivered ${which}`]),
      ],
    };
  } finally {
    await testbed.close();
    clock.remove();
  }
}

function write(tabs: readonly Tab[], messages: number): void {
  for (let n = 0; n < messages; n++) {
    const tab = tabs[n % tabs.length];
    tab?.type(`${tab.name} ${tab.typed.length}`);
  }
}

async function pass(testbed: Testbed, clock: TestClock, ms: number, way: Way): Promise<void> {
  if (way === "set") return clock.set(ms, testbed.relay()?.child.pid);
  await testbed.kill();
  clock.set(ms);
  await testbed.start();
}
