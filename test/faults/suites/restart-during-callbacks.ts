import { type Supervisor, supervise } from "../process/supervisor.ts";
import { openTestbed, until, visit } from "../process/testbed.ts";
import { visitorOf } from "../tab.ts";
import { RELAY } from "../workers.ts";
import { type Common, count, type Report, seconds } from "./suite.ts";

/** A line outside the relay's JSON log, which it prints when it crashes. */
const isCrashOutput = (line: string): boolean => !line.startsWith("{");

type Options = Common & { restarts: number; perSecond?: number };

/**
 * S9b: the relay restarts many times while callbacks arrive. A supervisor keeps the listening socket, so a callback
 * that arrives between two processes waits for the next one. Half of the callbacks use keep-alive connections.
 */
export async function restartDuringCallbacks({
  root = RELAY,
  seed = 10,
  restarts,
  perSecond = 10,
}: Options): Promise<Report> {
  const begun = performance.now();
  const testbed = await openTestbed({ seed, service: { replies: 0, closing: 0.5 } });
  let supervisor: Supervisor | undefined;
  try {
    supervisor = await supervise(root, testbed.settings);
    const { started, signal, exits, port } = supervisor;
    testbed.usePort(port);
    await until(() => started() === 1);
    const [tab] = visit(testbed, "visitor", 1);
    tab?.type("hello");
    await until(() => testbed.mock.effects.length === 1);
    const toId = tab === undefined ? "" : visitorOf(tab.person);

    let n = 0;
    const stream = setInterval(() => {
      void testbed.mock.reply({ toId, messageId: `i${n}`, text: `reply ${n++}` });
    }, 1_000 / perSecond);
    for (let restart = 0; restart < restarts; restart++) {
      const before = n;
      await until(() => n >= before + 3);
      signal("SIGTERM");
      await until(() => started() === restart + 2);
    }
    clearInterval(stream);
    await until(() => testbed.mock.pending() === 0);
    const { violations } = await testbed.verdict();
    const refused = testbed.mock.posted.filter(({ status }) => status !== 200).length;
    if (refused > 0) violations.push(`refused: ${refused} callbacks were not answered 200`);
    const bad = exits.filter((code) => code !== 0);
    if (bad.length > 0)
      violations.push(
        `exit: the relay ended with ${bad.join(", ")}: ${supervisor.lines.filter(isCrashOutput).join(" ")}`,
      );
    const waits = testbed.mock.posted.map(({ begun, taken = begun }) => taken - begun);
    return {
      violations,
      figures: {
        restarts,
        callbacks: n,
        refused,
        lost: count(violations, "lost"),
        "longest wait in seconds": Math.round(Math.max(...waits) / 100) / 10,
        seconds: seconds(begun),
      },
    };
  } finally {
    await supervisor?.stop();
    await testbed.close();
  }
}
