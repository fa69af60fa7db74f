import { openTestbed, type Testbed, until, visit } from "../process/testbed.ts";
import type { Tab } from "../tab.ts";
import { type Common, losses, type Report, seconds } from "./suite.ts";

type Options = Common & { starts: number; messages: number; visitors?: number };

/**
 * S1: the relay is killed 5 to 80 ms after the first acknowledgement of each start, while two tabs of each visitor
 * write. All tabs start to write when the last one has reconnected. A kill on a timer would mostly hit a process that is still
 * starting, and prove nothing (RELIABILITY finding 11).
 */
export async function kill({
  root,
  seed = 1,
  starts,
  messages,
  visitors = 10,
  progress = () => {},
}: Options): Promise<Report> {
  const begun = performance.now();
  let acked: () => void = () => {};
  let acknowledged = 0;
  let [back, open] = [0, false];
  const testbed = await openTestbed({ seed, root });
  try {
    await testbed.start();
    const tabs = Array.from({ length: visitors }, (_, v) =>
      visit(testbed, `visitor${v}`, 2, { onAcked: () => acked(), onConnected: () => back++, maySend: () => open }),
    ).flat();
    for (let start = 0; start < starts; start++) {
      const first = new Promise<void>((resolve) => {
        acked = resolve;
      });
      write(tabs, Math.floor(((start + 1) * messages) / starts) - Math.floor((start * messages) / starts));
      await until(() => back >= tabs.length);
      open = true;
      for (const tab of tabs) tab.send();
      await awaitFirst(first, testbed);
      await new Promise((resolve) => setTimeout(resolve, 5 + testbed.random() * 75));
      await testbed.kill();
      [back, open] = [0, false];
      acknowledged = tabs.reduce((sum, { typed, acked }) => sum + typed.filter(({ id }) => acked.has(id)).length, 0);
      await testbed.start();
      if (start % 20 === 19) progress(`${start + 1} of ${starts} starts, ${acknowledged} messages acknowledged`);
    }
    open = true;
    for (const tab of tabs) tab.send();
    const { violations, rows } = await testbed.verdict({}, 60_000 + messages * 60);
    const { effects, posted, calls } = testbed.mock;
    return {
      violations,
      figures: {
        messages: tabs.reduce((sum, tab) => sum + tab.typed.length, 0),
        kills: starts,
        "acknowledged before the last kill": acknowledged,
        delivered: effects.length,
        ...losses(violations),
        posts: [...calls.values()].reduce((sum, times) => sum + times, 0),
        "replies accepted": posted.filter(({ status }) => status === 200).length,
        "replies shown": rows.filter(({ author }) => author === "reply").length,
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
  }
}

/** Waits for the first acknowledgement of this process. @throws Error when there is none */
async function awaitFirst(first: Promise<void>, testbed: Testbed): Promise<void> {
  let done = false;
  void first.then(() => {
    done = true;
  });
  if (!(await until(() => done)))
    throw new Error(`The relay acknowledged no message: ${testbed.relay()?.lines.slice(-3).join("\n")}`);
}

function write(tabs: readonly Tab[], messages: number): void {
  for (let i = 0; i < messages; i++) {
    const tab = tabs[i % tabs.length];
    tab?.type(`${tab.name} ${tab.typed.length}`);
  }
}
