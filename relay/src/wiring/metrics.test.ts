import type { Message } from "@porchlight/shared/protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ManualClock, manualClock } from "../base/clock.fixture.ts";
import { createMetrics } from "../base/metrics.ts";
import { type Bus, createBus } from "../bus/bus.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { appendReplies, appendSent, numbersOf, questionsBefore } from "../records/threads.ts";
import { addVisitor } from "../records/visitors.ts";
import { countingBus } from "./metrics.ts";

let db: Database;
let clock: ManualClock;
let reads: { begun: number; done: number };
const START = 1_000_000;

beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  clock = manualClock(START);
  reads = { begun: 0, done: 0 };
  await db.transaction((tx) => addVisitor(tx, "v", "shop", START));
});
afterEach(() => db.close());

/** A relay on the database, with its counts. @param shared whether other relays work on it too */
function node(shared: boolean) {
  const metrics = createMetrics();
  const { lossless, ...lossy } = createBus();
  const bus: Bus = shared ? lossy : { ...lossy, ...(lossless && { lossless }) };
  const counting = countingBus(bus, metrics, clock, async (replies) => {
    reads.begun++;
    const asked = await questionsBefore(db, replies);
    reads.done++;
    return asked;
  });
  /** Stores a message of the conversation after `seconds`, and publishes it. */
  async function write(from: "visitor" | "reply", seconds: number): Promise<void> {
    clock.skip(seconds * 1_000);
    const entry = { visitor: "v", id: `m${clock.now()}`, text: "", at: clock.now() };
    const message = await db.transaction(async (tx) => {
      const numbers = await numbersOf(tx, ["v"]);
      const [written] =
        from === "visitor"
          ? await appendSent(tx, numbers, [{ ...entry, sid: entry.id }])
          : await appendReplies(tx, numbers, [{ ...entry, external: entry.id }]);
      await numbers.write(tx);
      return (typeof written === "object" && "message" in written ? written.message : written) as Message;
    });
    counting.publish({ visitor: "v", head: message.n, changes: [message] });
  }
  return { write, metrics };
}

/** The number of measured replies, and the class of each time. */
const measured = ({ metrics }: ReturnType<typeof node>): number[] =>
  metrics.totals.reply.flatMap((count, bucket) => Array.from({ length: count }, () => bucket));

/** Lets the collected reads run. */
async function settle(): Promise<void> {
  clock.pass(1_000);
  await expect.poll(() => reads.begun - reads.done, { interval: 1 }).toBe(0);
}

it("measures each question once, without reading the thread, when one relay does all", async () => {
  const relay = node(false);
  await relay.write("visitor", 0);
  await relay.write("reply", 2);
  await relay.write("reply", 3_600);
  await settle();
  const alone = node(false);
  await alone.write("visitor", 0);
  await alone.write("reply", 2);
  expect([measured(relay), reads.begun]).toEqual([measured(alone), 0]);
  expect(measured(relay)).toHaveLength(1);
});

it("measures a reply that another relay stores, and not its follow-up through the first one", async () => {
  const [a, b] = [node(true), node(true)];
  await a.write("visitor", 0);
  await b.write("reply", 2);
  await a.write("reply", 3_600);
  await settle();
  const alone = node(false);
  await alone.write("visitor", 0);
  await alone.write("reply", 2);
  expect([measured(a), measured(b)]).toEqual([[], measured(alone)]);
});

it("measures the reply to a question from before a restart", async () => {
  await node(false).write("visitor", 0);
  const restarted = node(false);
  await restarted.write("reply", 2);
  await settle();
  expect(measured(restarted)).toHaveLength(1);
});
