import { openStage, type Stage, until, visit } from "../process/stage.ts";
import type { Tab } from "../tab.ts";
import { type Common, count, type Report, seconds } from "./suite.ts";

type Options = Common & { sends: number; tabs?: number };

/**
 * S4: ten tabs of one visitor write at once, lose their connections, are closed while sending and opened again, and
 * several of them send the same message from the browser's storage. In the end all show the same thread.
 */
export async function tabs({ root, seed = 4, sends, tabs: number = 10 }: Options): Promise<Report> {
  const begun = performance.now();
  const stage = await openStage({ seed, root, service: { replies: 1 } });
  const { random } = stage;
  let cuts = 0;
  let closed = 0;
  let replays = 0;
  try {
    await stage.start();
    visit(stage, "visitor", number);
    // Unlike the widget, a scripted tab writes before the relay's welcome. If the first tab lost the first token, its message
    // would reach the service again from another visitor.
    await until(() => stage.tabs.every((tab) => tab.person.token !== undefined));
    for (let n = 0; n < sends; n++) {
      const tab = randomTab(stage);
      const item = tab.type(`${tab.name} ${n}`);
      if (random() < 0.3) for (let copy = 0; copy < 3; copy++, replays++) randomTab(stage).replay(item);
      if (random() < 0.1) {
        randomTab(stage).cut();
        cuts++;
      }
      if (random() < 0.03) {
        reopen(stage, randomTab(stage), closed++);
      }
      await new Promise((resolve) => setTimeout(resolve, random() * 4));
    }
    const { violations } = await stage.verdict();
    const [first] = stage.tabs;
    return {
      violations,
      figures: {
        messages: sends,
        tabs: number,
        "connections cut": cuts,
        "tabs closed": closed,
        replays,
        delivered: stage.mock.effects.length,
        "shown in every tab": first?.thread().length ?? 0,
        lost: count(violations, "lost"),
        doubled: count(violations, "doubled"),
        "tabs that differ": count(violations, "thread"),
        seconds: seconds(begun),
      },
    };
  } finally {
    await stage.close();
  }
}

const randomTab = ({ tabs: all, random }: Stage): Tab => all[Math.floor(random() * all.length)] as Tab;

/** Closes a tab and opens another one, which finds the unsent messages in the storage. */
function reopen(stage: Stage, gone: Tab, number: number): void {
  const left = [...gone.left()];
  stage.removeTab(gone);
  const next = stage.tab(`visitor-tab-again${number}`, gone.person);
  for (const item of left) next.inherit(item);
}
