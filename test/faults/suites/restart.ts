import { openTestbed, until, visit } from "../process/testbed.ts";
import { type Common, type Report, seconds } from "./suite.ts";

/**
 * A restart without a supervisor that holds the socket. Two replies must arrive once and at the first attempt: one that comes
 * while the relay stops, and the one to the first message that the relay sends after its start (F31).
 */
export async function restart({ root, seed = 13 }: Common): Promise<Report> {
  const begun = performance.now();
  const testbed = await openTestbed({ seed, root, service: { replies: 1, replyMs: 0, delayMs: 700 } });
  const { mock } = testbed;
  try {
    await testbed.start();
    const tabs = [0, 1, 2].flatMap((v) => visit(testbed, `visitor${v}`, 1));
    await until(() => tabs.every((tab) => tab.person.token !== undefined));
    for (const tab of tabs) tab.type(`${tab.name} on its way`);
    await until(() => mock.calls.size === tabs.length);
    await testbed.stop();
    mock.behaviour.delayMs = 0;
    await testbed.start();
    await until(testbed.settled);
    mock.behaviour.down = true;
    for (const tab of tabs) tab.type(`${tab.name} during the outage`);
    await until(() => tabs.every((tab) => tab.unsent() === 0));
    await testbed.stop();
    mock.behaviour.down = false;
    await testbed.start();
    await until(() => mock.posted.length === 2 * tabs.length);
    const { violations } = await testbed.verdict();
    const refused = mock.posted.filter(({ status }) => status !== 200).length;
    if (refused > 0) violations.push(`refused: ${refused} replies arrived while no relay listened`);
    return { violations, figures: { replies: mock.posted.length, refused, seconds: seconds(begun) } };
  } finally {
    await testbed.close();
  }
}
