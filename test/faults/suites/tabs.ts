import { openTestbed, type Testbed, until, visit } from "../process/testbed.ts";
import type { Tab } from "../tab.ts";
import { type Common, count, type Report, seconds } from "./suite.ts";

type Options = Common & { sends: number; tabs?: number };

/**
 * S4: ten tabs of one visitor write at once, lose their connections, are closed while sending and opened again, and
 * several of them send the same message from the browser's storage. In the end all show the same thread.
 */
export async function tabs({ root, seed = 4, sends, tabs: number = 10 }: Options): Promise<Report> {
  const begun = performance.now();
  const testbed = await openTestbed({ seed, root, service: { replies: 1 } });
  const { random } = testbed;
  let cuts = 0;
  let closed = 0;
  let replays = 0;
  try {
    await testbed.start();
    visit(testbed, "visitor", number);
    // Unlike the widget, a scripted tab writes before the relay's welcome. If the first tab lost the first token, its message
    // would reach the service again from another visitor.
    await until(() => testbed.tabs.every((tab) => tab.person.token !== undefined));
    for (let n = 0; n < sends; n++) {
      const tab = randomTab(testbed);
      const item = tab.type(`${tab.name} ${n}`);
      if (random() < 0.3) for (let copy = 0; copy < 3; copy++, replays++) randomTab(testbed).replay(item);
      if (random() < 0.1) {
        randomTab(testbed).cut();
        cuts++;
      }
      if (random() < 0.03) {
        reopen(testbed, randomTab(testbed), closed++);
      }
      await new Promise((resolve) => setTimeout(resolve, random() * 4));
    }
    const { violations } = await testbed.verdict();
    const [first] = testbed.tabs;
    return {
      violations,
      figures: {
        messages: sends,
        tabs: number,
        "connections cut": cuts,
        "tabs closed": closed,
        replays,
        delivered: testbed.mock.effects.length,
        "shown in every tab": first?.thread().length ?? 0,
        lost: count(violations, "lost"),
        doubled: count(violations, "doubled"),
        "tabs that differ": count(violations, "thread"),
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
  }
}

const randomTab = ({ tabs: all, random }: Testbed): Tab => all[Math.floor(random() * all.length)] as Tab;

/** Closes a tab and opens another one, which finds the unsent messages in the storage. */
function reopen(testbed: Testbed, gone: Tab, number: number): void {
  const left = [...gone.left()];
  testbed.removeTab(gone);
  const next = testbed.tab(`visitor-tab-again${number}`, gone.person);
  for (const item of left) next.inherit(item);
}
