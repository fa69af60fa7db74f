import { openTestbed, type Testbed, until, visit } from "../process/testbed.ts";
import type { Tab } from "../tab.ts";
import { type Common, losses, type Report, seconds } from "./suite.ts";

type Options = Common & { seconds: number; kills: number };

/**
 * Three visitors with two tabs each write at the pace of people, while the relay is killed and the service drops
 * answers and fails.
 */
export async function killWhileServiceFails({ root, seed = 8, seconds: lasts, kills }: Options): Promise<Report> {
  const begun = performance.now();
  let acked: () => void = () => {};
  const testbed = await openTestbed({ seed, root, service: { failing: 0.1, lost: 0.1, replies: 2, replyMs: 400 } });
  try {
    await testbed.start();
    const tabs = [0, 1, 2].flatMap((v) => visit(testbed, `visitor${v}`, 2, { onAcked: () => acked() }));
    // The tabs write until the last kill, which comes later on a slow machine.
    let killing = true;
    const more = (): boolean => killing || performance.now() < begun + lasts * 1_000;
    const writing = Promise.all(tabs.map((tab) => write(testbed, tab, more)));
    for (let kill = 0; kill < kills; kill++) {
      const next = begun + ((kill + 0.5) * lasts * 1_000) / kills;
      await until(() => performance.now() >= next, lasts * 1_000);
      const first = Promise.withResolvers<void>();
      acked = first.resolve;
      await first.promise;
      await new Promise((resolve) => setTimeout(resolve, 5 + testbed.random() * 75));
      await testbed.kill();
      await testbed.start();
    }
    killing = false;
    await writing;
    const { violations, rows } = await testbed.verdict({}, 180_000);
    return {
      violations,
      figures: {
        "visitors, tabs": "3, 6",
        kills,
        messages: tabs.reduce((sum, tab) => sum + tab.typed.length, 0),
        delivered: testbed.mock.effects.length,
        "replies accepted": testbed.mock.posted.filter(({ status }) => status === 200).length,
        "replies shown": rows.filter(({ author }) => author === "reply").length,
        ...losses(violations),
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
  }
}

/** Types a message every 0.2 to 0.5 seconds. */
async function write(testbed: Testbed, tab: Tab, more: () => boolean): Promise<void> {
  while (more()) {
    tab.type(`${tab.name} ${tab.typed.length}`);
    await new Promise((resolve) => setTimeout(resolve, 200 + testbed.random() * 300));
  }
}
