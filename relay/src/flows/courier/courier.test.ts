import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ManualClock, manualClock } from "../../base/clock.fixture.ts";
import { type Log, silentLog } from "../../base/log.ts";
import { createBus } from "../../bus/bus.ts";
import { openTestDatabase } from "../../db/database.fixture.ts";
import type { Database } from "../../db/database.ts";
import { accountLease } from "../../db/lease-names.ts";
import { LeaseLost } from "../../db/leases.ts";
import { migrate } from "../../db/migrate.ts";
import { addOutboxEntries, type LaneHead, laneHead, removeOutboxEntries } from "../../records/outbox.ts";
import { discardMessage } from "../../records/search.ts";
import { appendSent, markMessage, messagesBefore, numbersOf } from "../../records/threads.ts";
import { triesOf } from "../../records/tries.ts";
import { addVisitor } from "../../records/visitors.ts";
import { createGates } from "../../service/gates.ts";
import type { Outcome } from "../../service/outcome.ts";
import { createCourier } from "./courier.ts";

let db: Database;
let clock: ManualClock;
const HORIZON = 3_600_000;
/** How often the courier looks for messages past their horizon. */
const EXPIRY_CHECK_MS = 30_000;

beforeEach(async () => {
  clock = manualClock(1_000_000);
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

/** Advances the clock by `ms` in steps, until `done`. */
async function pass(ms: number, done: () => Promise<boolean>): Promise<void> {
  clock.skip(ms);
  await expect
    .poll(
      async () => {
        clock.fireDue();
        if (await done()) return true;
        clock.skip(1_000);
        return false;
      },
      { interval: 1 },
    )
    .toBe(true);
}

async function write(visitor: string, texts: string[]): Promise<void> {
  await db.transaction(async (tx) => {
    await addVisitor(tx, visitor, "shop", clock.now());
    const numbers = await numbersOf(tx, [visitor]);
    const written = await appendSent(
      tx,
      numbers,
      texts.map((text) => ({ visitor, id: `id-${text}`, text, at: clock.now(), sid: `sid-${text}` })),
    );
    await numbers.write(tx);
    const [due, expires] = [clock.now(), clock.now() + HORIZON];
    const none = { reaction: null, reaction_sid: null };
    await addOutboxEntries(
      tx,
      written.map((entry) => {
        const pos = entry?.message.pos ?? 0;
        return { visitor, turn: pos, pos, account: "main", attempts: 0, due, expires, ...none };
      }),
    );
  });
}

function courier(
  deliver: (head: LaneHead) => Promise<Outcome>,
  parts: Partial<Parameters<typeof createCourier>[0]> = {},
) {
  const gates = createGates({
    accounts: [{ id: "main", url: "http://service/v1", rate: 600 }],
    clock,
    log: silentLog,
    keyOf: () => "key",
    reloadKeys: () => false,
    onDelivery: () => {},
    onOpen: () => {},
  });
  const made = createCourier({ db, bus: createBus(), clock, log: silentLog, gates, deliver, ...parts });
  return { ...made, delivery: gates.delivery };
}
const statesOf = async (visitor: string) =>
  (await messagesBefore(db, visitor, Number.MAX_SAFE_INTEGER, 5_000)).map(
    (message) => "state" in message && message.state,
  );

it("sends no message of a deleted visitor, even one handed over in memory", async () => {
  const sent: string[] = [];
  const { wake, drop, stop } = courier(async ({ visitor }) => {
    sent.push(visitor);
    return { kind: "ok", status: 200, message: "" };
  });
  const rest = { account: "main", turn: 1, pos: 1, attempts: 0, expires: clock.now() + HORIZON, reaction: null };
  const hand = (visitor: string): void =>
    wake({ visitor, account: "main", first: true, head: { ...rest, visitor } as LaneHead });
  const visitors = Array.from({ length: 40 }, (_, i) => `v${i}`);
  for (const visitor of visitors) hand(visitor);
  // The pace allows some messages at once. The last one waits for its permit: less than the second for which a message stays in
  // memory.
  drop("v39");
  for (let step = 0; step < 9; step++) {
    clock.skip(100);
    clock.fireDue();
    await db.transaction(async () => undefined);
  }
  expect(sent).toEqual(visitors.slice(0, -1));
  await stop();
});

it.each(["permanent", "transient", "ok"] as const)(
  "stores nothing about a call whose answer (%s) comes after another node took the lease",
  async (kind) => {
    await write("v", ["hello"]);
    const events: string[] = [];
    const assertHeld = async (): Promise<void> => {
      throw new LeaseLost("another node holds the lease");
    };
    const leases = { holds: () => true, onAcquired: () => {}, assertHeld };
    const log = (event: string): void => void events.push(event);
    const { start, stop } = courier(async () => ({ kind, status: 400, message: "refused" }), { leases, log });
    await start();
    await expect.poll(() => events, { interval: 1 }).toContain("cluster.lease_lost");
    expect([await triesOf(db, "v", 1, 9), await statesOf("v")]).toEqual([[], ["sent"]]);
    expect(await laneHead(db, "v")).toMatchObject({ attempts: 0, error: null });
    await stop();
  },
);

it("marks every message past its horizon as failed at once, however many there are", async () => {
  const texts = Array.from({ length: 700 }, (_, n) => `message ${n}`);
  await write("v", texts);
  const { start, stop } = courier(async () => ({ kind: "transient", status: 0, message: "away" }));
  await start();
  clock.skip(HORIZON);
  // One check fails all messages past their horizon. A lane whose message is on its way then waits for the next check.
  await pass(EXPIRY_CHECK_MS, async () => (await statesOf("v")).every((state) => state === "failed"));
  await stop();
});

it("marks a message past its horizon as failed although more than it reads at once wait for other accounts", async () => {
  await write(
    "a",
    Array.from({ length: 700 }, (_, n) => `message ${n}`),
  );
  await db.run("UPDATE outbox SET account = 'removed'");
  const holds = (name: string): boolean => name === accountLease("main");
  const leases = { holds, onAcquired: () => {}, assertHeld: async () => {} };
  const { start, stop } = courier(async () => ({ kind: "transient", status: 0, message: "away" }), { leases });
  await start();
  // No attempt is due, so only the check can mark this message.
  await write("v", ["hello"]);
  await db.run("UPDATE outbox SET due = $1 WHERE visitor = 'v'", clock.now() + 2 * HORIZON);
  clock.skip(HORIZON);
  await pass(EXPIRY_CHECK_MS, async () => (await statesOf("v"))[0] === "failed");
  expect(new Set(await statesOf("a"))).toEqual(new Set(["sent"]));
  await stop();
});

it("continues after a call that could not be made, also when the service has just refused one", async () => {
  await write("v", ["first", "second", "third"]);
  const outcomes: (Outcome | Error)[] = [
    new Error("the database is unreachable"),
    { kind: "throttle", status: 429, message: "", waitMs: 1_000 },
    new Error("the database is unreachable"),
    { kind: "unknown", status: 0, message: "" },
    { kind: "unknown", status: 0, message: "" },
  ];
  const { start, stop } = courier(async () => {
    const outcome = outcomes.shift() ?? { kind: "ok", status: 200, message: "" };
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  await start();
  await pass(0, async () => (await statesOf("v")).every((state) => state === "delivered"));
  await stop();
});

it("delays only the message that the relay cannot prepare; other messages are sent, and the service counts as available", async () => {
  await write("a", ["lacking"]);
  const others = Array.from({ length: 12 }, (_, n) => `other-${n}`);
  for (const other of others) await write(other, [`message of ${other}`, `second of ${other}`]);
  let lacking = 0;
  const { start, stop, delivery } = courier(async (head) => {
    if (head.visitor !== "a") return { kind: "ok", status: 200, message: "" };
    return { kind: lacking++ < 20 ? "unready" : "ok", status: 0, message: "its site is gone" };
  });
  await start();
  const delivered = async (visitor: string) => (await statesOf(visitor)).every((state) => state === "delivered");
  await pass(0, async () => (await Promise.all(others.map(delivered))).every(Boolean));
  expect([lacking < 20, delivery("main")]).toEqual([true, "ok"]);
  await pass(0, async () => {
    expect(delivery("main")).toBe("ok");
    return delivered("a");
  });
  await stop();
});

it("continues after more failed attempts to call than it makes at once", async () => {
  const visitors = Array.from({ length: 80 }, (_, n) => `v${n}`);
  for (const visitor of visitors) await write(visitor, [`message of ${visitor}`]);
  const tried = new Set<string>();
  const { start, stop } = courier(async (head) => {
    if (tried.has(head.visitor)) return { kind: "ok", status: 200, message: "" };
    tried.add(head.visitor);
    throw new Error("the database is unreachable");
  });
  await start();
  const delivered = async () =>
    (await Promise.all(visitors.map(statesOf))).flat().every((state) => state === "delivered");
  await pass(0, delivered);
  await stop();
});

it.each([
  ["delivered, when the service accepted it", "ok", "delivered"],
  ["failed without another attempt, when the service did not accept it", "transient", "failed"],
] as const)("a message that is discarded while it is on its way is %s", async (_, kind, state) => {
  await write("v", ["discarded", "next"]);
  const sent: string[] = [];
  const flight = Promise.withResolvers<Outcome>();
  const { start, stop } = courier(async ({ id }) => {
    sent.push(id);
    return id === "id-discarded" ? flight.promise : { kind: "ok", status: 200, message: "" };
  });
  await start();
  await pass(0, async () => sent.length === 1);
  expect(await db.transaction((tx) => discardMessage(tx, "v", "id-discarded", clock.now()))).toBe(true);
  // Meanwhile the courier looks for messages past their horizon. A second expired message shows when it has done so.
  await write("w", ["over"]);
  await db.run("UPDATE outbox SET expires = 0, due = $1 WHERE visitor = 'w'", clock.now() + HORIZON);
  await pass(EXPIRY_CHECK_MS, async () => (await statesOf("w"))[0] === "failed");
  expect(await statesOf("v")).toEqual(["sent", "sent"]);
  flight.resolve({ kind, status: 500, message: "" });
  await pass(0, async () => !(await statesOf("v")).includes("sent"));
  expect(await statesOf("v")).toEqual([state, "delivered"]);
  expect(sent).toEqual(["id-discarded", "id-next"]);
  await stop();
});

it.each([
  { kind: "throttle", status: 429, message: "Too many calls" },
  { kind: "config", status: 401, message: "Unknown key" },
  { kind: "edge", status: 403, message: "Forbidden" },
] as const)("stores a call that the service refused with $status, with its time and answer", async (refusal) => {
  await write("v", ["hello"]);
  const { start, stop } = courier(async () => refusal);
  const begun = clock.now();
  await start();
  await expect.poll(() => triesOf(db, "v", 1, 9), { interval: 1 }).toHaveLength(1);
  const answer = `${refusal.status}: ${refusal.message}`;
  expect(await triesOf(db, "v", 1, 9)).toEqual([{ at: begun, answer }]);
  expect(await laneHead(db, "v")).toMatchObject({ attempts: 1, error: answer });
  await stop();
});

it("repeats a message soon after its first failure, however often the service refused it by its rate limit before", async () => {
  await write("v", ["hello"]);
  const limited = { kind: "throttle", status: 429, message: "", waitMs: 1_000 } as const;
  const outcomes: Outcome[] = [...Array(8).fill(limited), { kind: "transient", status: 500, message: "" }];
  const waits: unknown[] = [];
  const log: Log = (event, details) => void (event === "delivery.retry" && waits.push(details?.wait));
  const deliver = async (): Promise<Outcome> => outcomes.shift() ?? { kind: "ok", status: 200, message: "" };
  const { start, stop } = courier(deliver, { log, random: () => 0.999 });
  await start();
  await pass(0, async () => (await statesOf("v"))[0] === "delivered");
  expect(waits).toEqual([999]);
  await stop();
});

it("counts no attempt when the relay itself holds a message back, and says so", async () => {
  await write("blocked", ["hello"]);
  await write("over budget", ["hello"]);
  const { start, stop } = courier(async ({ visitor }) =>
    visitor === "blocked"
      ? { kind: "permanent", status: 0, message: "the visitor is blocked" }
      : { kind: "unready", status: 0, message: "the budget is used", waitMs: 60_000 },
  );
  await start();
  await expect.poll(() => laneHead(db, "blocked"), { interval: 1 }).toBeUndefined();
  await expect.poll(() => triesOf(db, "over budget", 1, 9), { interval: 1 }).toHaveLength(1);
  const failed = "SELECT attempts, error FROM messages WHERE visitor = 'blocked'";
  expect(await db.all(failed)).toEqual([{ attempts: 0, error: "not sent: the visitor is blocked" }]);
  expect(await laneHead(db, "over budget")).toMatchObject({ attempts: 0, error: "not sent: the budget is used" });
  expect((await triesOf(db, "blocked", 1, 9)).map(({ answer }) => answer)).toEqual([
    "not sent: the visitor is blocked",
  ]);
  await stop();
});

describe("a message that waits for its site's budget", () => {
  const DAY = 86_400_000;
  /** The relay's answer for a message that is due later. */
  const held = ({ due }: LaneHead): Outcome | undefined =>
    due > clock.now()
      ? { kind: "unready", status: 0, message: "the budget is used", waitMs: due - clock.now() }
      : undefined;
  /** Writes messages that are due a day later. */
  async function writeForTomorrow(texts: string[]): Promise<void> {
    await write("v", texts);
    await db.run("UPDATE outbox SET due = $1, expires = $2", clock.now() + DAY, clock.now() + 2 * DAY);
  }

  it("is sent, once, when the outbox is read again after the budget was raised; those behind it follow", async () => {
    await writeForTomorrow(["first", "second"]);
    const sent: string[] = [];
    const answer = Promise.withResolvers<Outcome>();
    const { start, reread, stop } = courier(async (head) => {
      const refusal = held(head);
      if (refusal === undefined) sent.push(head.text);
      return refusal ?? answer.promise;
    });
    await start();
    await expect.poll(() => triesOf(db, "v", 1, 9), { interval: 1 }).toHaveLength(1);
    await reread();
    await pass(0, async () => clock.now() > 1_005_000);
    expect(await triesOf(db, "v", 1, 9)).toHaveLength(1);
    await db.run("UPDATE outbox SET due = $1", clock.now());
    await reread();
    await pass(0, async () => sent.length > 0);
    // The time comes for which it waited before the budget was raised.
    clock.pass(DAY);
    await db.transaction(async () => undefined);
    expect(sent).toEqual(["first"]);
    answer.resolve({ kind: "ok", status: 200, message: "" });
    await pass(0, async () => (await statesOf("v")).every((state) => state === "delivered"));
    expect(sent).toEqual(["first", "second"]);
    await stop();
  });

  it("is sent when the budget is raised while the courier handles the message", async () => {
    await writeForTomorrow(["hello"]);
    const { start, stop } = courier(async (head) => {
      const refusal = held(head);
      if (refusal !== undefined) await db.run("UPDATE outbox SET due = $1", clock.now());
      return refusal ?? { kind: "ok", status: 200, message: "" };
    });
    await start();
    await pass(0, async () => (await statesOf("v"))[0] === "delivered");
    expect(clock.now()).toBeLessThan(1_000_000 + DAY);
    await stop();
  });

  it("is sent when the outbox is read again while the courier handles the message", async () => {
    await writeForTomorrow(["hello"]);
    const { start, reread, stop } = courier(async (head) => {
      const refusal = held(head);
      if (refusal !== undefined) await reread();
      return refusal ?? { kind: "ok", status: 200, message: "" };
    });
    await start();
    await expect.poll(() => triesOf(db, "v", 1, 9), { interval: 1 }).toHaveLength(1);
    await db.run("UPDATE outbox SET due = $1", clock.now());
    await pass(0, async () => (await statesOf("v"))[0] === "delivered");
    expect(clock.now()).toBeLessThan(1_000_000 + DAY);
    await stop();
  });
});

it("stores the status with which the service accepted a message", async () => {
  await write("v", ["first", "second"]);
  const outcomes: Outcome[] = [
    { kind: "ok", status: 200, message: "" },
    { kind: "duplicate", status: 409, message: "already exists" },
  ];
  const { start, stop } = courier(async () => outcomes.shift() ?? { kind: "ok", status: 200, message: "" });
  await start();
  await pass(0, async () => (await statesOf("v")).every((state) => state === "delivered"));
  expect(await db.all("SELECT accepted FROM messages ORDER BY pos")).toEqual([{ accepted: 200 }, { accepted: 409 }]);
  await stop();
});

it("keeps the state that another node stored, although its own answer comes late and it holds the lease again", async () => {
  await write("v", ["one", "two"]);
  const events: string[] = [];
  const log: Log = (event) => void events.push(event);
  const answer = Promise.withResolvers<Outcome>();
  const heads: LaneHead[] = [];
  const deliver = async (head: LaneHead): Promise<Outcome> =>
    heads.push(head) === 1 ? answer.promise : { kind: "ok", status: 200, message: "" };
  const { start, stop } = courier(deliver, { log });
  await start();
  await expect.poll(() => heads.length).toBe(1);
  await db.transaction(async (tx) => {
    await removeOutboxEntries(tx, heads);
    await markMessage(tx, "v", 1, "delivered");
  });
  answer.resolve({ kind: "permanent", status: 400, message: "refused" });
  await expect.poll(() => statesOf("v")).toEqual(["delivered", "delivered"]);
  await stop();
  expect([heads.map(({ text }) => text), events]).toEqual([["one", "two"], ["delivery.done"]]);
});
