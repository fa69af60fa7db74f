import { openTestbed, type Testbed, until, visit } from "../process/testbed.ts";
import type { Tab } from "../tab.ts";
import { type Common, losses, type Report, seconds } from "./suite.ts";

type Options = Common & { visitors: number; messages: number; swaps?: number };

/**
 * S2: one call in five fails, one in ten is processed but its answer is lost, one in twenty is slow. One message in a hundred is
 * refused for good. The service replaces the key; nothing is lost while the relay has the old one (F32).
 */
export async function upstream({ root, seed = 2, visitors, messages, swaps = 1 }: Options): Promise<Report> {
  const begun = performance.now();
  const service = { failing: 0.2, lost: 0.1, slow: 0.05, slowMs: 2_000 };
  const testbed = await openTestbed({ seed, root, service });
  try {
    const relay = await testbed.start();
    const tabs = Array.from({ length: visitors }, (_, v) => visit(testbed, `visitor${v}`, 1)).flat();
    for (let swap = 0; swap <= swaps; swap++) {
      write(tabs, (swap * messages) / (swaps + 1), ((swap + 1) * messages) / (swaps + 1));
      if (swap < swaps) await swapKey(testbed, relay.child.pid ?? 0);
    }
    const { violations } = await testbed.verdict({ expected: ["account.paused"] }, 240_000 + messages * 2_000);
    const { calls, effects } = testbed.mock;
    const times = [...calls.values()];
    const typed = tabs.flatMap((tab) => tab.typed);
    const poison = typed.filter(({ text }) => text.includes("poison")).length;
    if (testbed.processes.length > 1) violations.push("restarted: the new key needed a restart");
    return {
      violations,
      figures: {
        messages: typed.length,
        delivered: effects.length,
        "refused for good": poison,
        "POSTs per message": Math.round((times.reduce((sum, n) => sum + n, 0) / times.length) * 100) / 100,
        "POSTs per message at most": Math.max(...times),
        "refused keys": testbed.mock.refused(),
        "key swaps": swaps,
        ...losses(violations),
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
  }
}

/** Writes messages, of which the service refuses every hundredth. */
function write(tabs: readonly Tab[], from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const tab = tabs[i % tabs.length];
    tab?.type(`${tab.name} ${tab.typed.length}${i % 100 === 50 ? " poison" : ""}`);
  }
}

/**
 * The service replaces its key. Once the relay was refused, the new key is put into the relay's file, and SIGHUP makes
 * the relay read it.
 */
async function swapKey(testbed: Testbed, pid: number): Promise<void> {
  const { mock } = testbed;
  await until(() => mock.effects.length > 0);
  const before = mock.refused();
  mock.behaviour.key = `key+${before}/=&`;
  for (const tab of testbed.tabs) tab.type(`${tab.name} ${tab.typed.length} while the key is wrong`);
  if (!(await until(() => mock.refused() > before))) throw new Error("The relay made no call with the old key");
  testbed.setKey(mock.behaviour.key);
  process.kill(pid, "SIGHUP");
}
