import { afterEach, beforeEach, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { addEntry, type LedgerVerdict } from "../records/ledger/ledger.ts";
import { createLedgerWorker } from "./ledger-worker.ts";

const NOW = 1_000_000_000;
let db: Database;

beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

/** Stores a message to the visitor `lane` that has not been sent. */
const addIntent = (lane: string, key: string, now: number) =>
  db.transaction((tx) =>
    addEntry(tx, {
      ...{ kind: "send", account: "main", key, lane, digest: key, content: "{}", state: "intent", reason: null },
      ...{ actor: "test", now },
    }),
  );

/**
 * A worker whose permits come when `permit` has resolved. `answers`: verdicts by key; a call without one has no end until the test
 * answers it.
 */
function workerWith(answers: Record<string, LedgerVerdict>, permit = Promise.resolve()) {
  const clock = manualClock(NOW);
  const called: string[] = [];
  const open: ((verdict: LedgerVerdict) => void)[] = [];
  const counts = { permits: 0, verdicts: 0, searches: 0, searchesAfterVerdict: 0 };
  /** The rows of a search come when this has resolved. */
  const slow = { until: Promise.resolve() };
  const all: Database["all"] = async (sql, ...values) => {
    if (!sql.includes("due <=")) return db.all(sql, ...values);
    counts.searches++;
    if (counts.verdicts > 0) counts.searchesAfterVerdict++;
    const { until } = slow;
    const rows = await db.all(sql, ...values);
    await until;
    return rows as never;
  };
  const worker = createLedgerWorker({
    db: { ...db, all },
    clock,
    log: () => {},
    kind: "send",
    node: "node",
    ordered: true,
    accounts: ["main"],
    gates: {
      enter(_account, _rank, go) {
        counts.permits++;
        void permit.then(() => go({ settle: () => {} }));
        return () => {};
      },
    },
    call({ key }) {
      called.push(key);
      const answer = answers[key];
      return answer === undefined ? new Promise((resolve) => void open.push(resolve)) : Promise.resolve(answer);
    },
    async settled() {
      counts.verdicts++;
      return undefined;
    },
  });
  return { worker, clock, called, counts, slow, answer: (verdict: LedgerVerdict) => open.shift()?.(verdict) };
}

/** Longer than the time that passes while the worker searches on a slow database. */
const YEARS = 10 * 365 * 86_400_000;
const DONE: LedgerVerdict = { kind: "done", result: {} };

it("takes no permit for a message whose visitor waits for an earlier one, and sends other visitors' messages", async () => {
  for (let n = 0; n < 9; n++) await addIntent("slow", `slow ${n}`, NOW + n - 100);
  await addIntent("other", "other", NOW);
  const { worker, clock, called, counts, answer } = workerWith({ other: DONE });
  const calls = (): string[] => {
    clock.pass(0);
    return called;
  };
  await worker.start();
  await expect.poll(calls).toEqual(["slow 0", "other"]);
  expect(counts.permits).toBe(2);
  answer(DONE);
  await expect.poll(calls).toEqual(["slow 0", "other", "slow 1"]);
  expect(counts.permits).toBe(3);
  answer(DONE);
  await worker.stop();
});

it("takes no permit for a message whose visitor has an earlier one that is tried again later", async () => {
  await addIntent("visitor", "first", NOW - 2);
  await addIntent("visitor", "second", NOW - 1);
  const later: LedgerVerdict = { kind: "again", reason: "503: later", waitMs: YEARS };
  const { worker, clock, called, counts } = workerWith({ first: later });
  const searches = (): number => {
    clock.pass(5_000);
    return counts.searchesAfterVerdict;
  };
  await worker.start();
  await expect.poll(searches, { interval: 1 }).toBeGreaterThan(3);
  expect([called, counts.permits]).toEqual([["first"], 1]);
  await worker.stop();
});

it("takes no second permit for a message that a slow search read before it was claimed", async () => {
  await addIntent("visitor", "message", NOW - 1);
  const permit = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  const { worker, clock, called, counts, slow } = workerWith({ message: DONE }, permit.promise);
  const count = (of: "searches" | "verdicts") => (): number => {
    clock.pass(0);
    return counts[of];
  };
  await worker.start();
  await expect.poll(count("searches")).toBe(1);
  await expect.poll(() => counts.permits).toBe(1);
  slow.until = read.promise;
  worker.wake();
  await expect.poll(count("searches")).toBe(2);
  permit.resolve();
  await expect.poll(count("verdicts")).toBe(1);
  slow.until = Promise.resolve();
  read.resolve();
  await expect.poll(count("searches")).toBe(3);
  expect([called, counts.permits]).toEqual([["message"], 1]);
  await worker.stop();
});
