import { join } from "node:path";
import { forbidWrites, smallDisk } from "../process/disk.ts";
import { FULL, limitFiles } from "../process/limit.ts";
import { NotStarted } from "../process/relay.ts";
import { openTestbed, type Testbed, until, visit } from "../process/testbed.ts";
import { visitorOf } from "../tab.ts";
import { type Common, count, type Report, seconds } from "./suite.ts";

/** How a test makes the disk refuse writes, and undoes it. */
type Way = { name: string; fill: () => void; free: () => void };

/** The only events that the relay may log while it cannot write. */
const EXPECTED_EVENTS = ["database.failing", "callback.spooled", "callback.lost"];

/**
 * S10: the disk fills up while the relay runs, and has room again later. Meanwhile the relay acknowledges only what it has
 * written, and writes replies to the spool while that is possible. Afterwards it continues without a restart.
 */
export async function disk({ root, seed = 11 }: Common): Promise<Report> {
  const begun = performance.now();
  const small = smallDisk();
  const env = small === undefined ? {} : { DATABASE_URL: `sqlite:${join(small.folder, "porchlight.db")}` };
  const testbed = await openTestbed({ seed, root, env });
  try {
    const relay = await testbed.start();
    const pid = relay.child.pid ?? 0;
    const limit = (bytes: number) => () => limitFiles(pid, bytes);
    const ways: Way[] = [
      { name: "files may not grow", fill: limit(FULL), free: () => limitFiles(pid, "unlimited") },
      ...(small === undefined ? [] : [{ name: "disk full", fill: small.fill, free: small.free }]),
      { name: "nothing can be written", fill: limit(0), free: () => limitFiles(pid, "unlimited") },
    ];
    const tabs = [0, 1, 2].flatMap((v) => visit(testbed, `visitor${v}`, 1));
    for (const tab of tabs) tab.type(`${tab.name} before`);
    await until(testbed.settled);
    const violations: string[] = [];
    const totals = { acked: 0, unwritten: 0, spooled: 0, refused: 0 };
    for (const way of ways) violations.push(...(await writeWhileFull(testbed, way, totals)));
    const { violations: after } = await testbed.verdict({ unwritable: true, expected: EXPECTED_EVENTS });
    const restarts = testbed.processes.length - 1;
    violations.push(...after, ...(await refusesReadOnly(testbed, small)));
    return {
      violations,
      figures: {
        "full disks": ways.length,
        // A commit may still fit into the part of the log that is reused. It is then durable like any other.
        "acknowledged while full": totals.acked,
        "acknowledged and not written": totals.unwritten,
        "replies spooled": totals.spooled,
        "replies refused with 503": totals.refused,
        "restarts needed": restarts,
        lost: count(violations, "lost"),
        "real full file system": small === undefined ? "no" : "yes",
        seconds: seconds(begun),
      },
    };
  } finally {
    await testbed.close();
    small?.stop();
  }
}

async function writeWhileFull(testbed: Testbed, way: Way, totals: Record<string, number>): Promise<string[]> {
  const { tabs, mock } = testbed;
  const before = new Set(tabs.flatMap((tab) => [...tab.acked.keys()]));
  const posted = mock.posted.length;
  way.fill();
  for (const tab of tabs) tab.type(`${tab.name} while ${way.name}`);
  for (let n = 0; n < 40; n++) {
    const tab = tabs[n % tabs.length];
    if (tab !== undefined)
      await mock.reply({ toId: visitorOf(tab.person), messageId: `${way.name}-${n}`, text: `${way.name} ${n}` });
  }
  const acked = tabs.flatMap((tab) => [...tab.acked.keys()]).filter((id) => !before.has(id));
  const written = new Set(testbed.read<{ id: string }>("SELECT id FROM messages").map(({ id }) => id));
  const unwritten = acked.filter((id) => !written.has(id)).length;
  way.free();
  const answers = mock.posted.slice(posted).map(({ status }) => status);
  totals.acked = (totals.acked ?? 0) + acked.length;
  totals.unwritten = (totals.unwritten ?? 0) + unwritten;
  totals.spooled = (totals.spooled ?? 0) + answers.filter((status) => status === 200).length;
  totals.refused = (totals.refused ?? 0) + answers.filter((status) => status === 503).length;
  const odd = answers.filter((status) => status !== 200 && status !== 503);
  const recovered = await until(testbed.settled, 90_000);
  return [
    ...(unwritten > 0 ? [`acknowledged: ${unwritten} messages that were written nowhere while ${way.name}`] : []),
    ...(odd.length > 0
      ? [
          `answer: ${odd.length} replies were ${odd[0] === undefined ? "not answered" : `answered ${odd[0]}`} while ${way.name}`,
        ]
      : []),
    ...(recovered ? [] : [`recovery: the relay did not continue after ${way.name}`]),
  ];
}

/**
 * Checks that a relay on a read-only disk reports it and does not start, and starts once the disk is writable again.
 */
async function refusesReadOnly(testbed: Testbed, small: ReturnType<typeof smallDisk>): Promise<string[]> {
  const folder = join(testbed.database, "..");
  const readOnly = (on: boolean): void => (small === undefined ? forbidWrites(folder, on) : small.readOnly(on));
  // Root may write everywhere, unless the file system itself is read-only.
  if (small === undefined && process.getuid?.() === 0) return [];
  await testbed.stop();
  readOnly(true);
  const refused = await testbed.start().then(
    () => "started",
    (error: unknown) => (error instanceof NotStarted ? error : String(error)),
  );
  readOnly(false);
  const failure = await testbed.start().then(
    () => undefined,
    (error: unknown) => String(error),
  );
  const isReported = refused instanceof NotStarted && (refused.ended.code ?? 0) > 0 && refused.message.includes(folder);
  return [
    ...(isReported ? [] : [`read-only: the relay ${refused instanceof NotStarted ? refused.message : refused}`]),
    ...(failure === undefined
      ? []
      : [`read-only: the relay did not start when the disk was writable again: ${failure}`]),
  ];
}
