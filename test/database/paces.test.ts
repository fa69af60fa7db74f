import { afterEach, beforeEach, expect, it } from "vitest";
import { manualClock } from "../../relay/src/base/clock.fixture.ts";
import { openTestDatabase } from "../../relay/src/db/database.fixture.ts";
import type { Database } from "../../relay/src/db/database.ts";
import { accountLease } from "../../relay/src/db/lease-names.ts";
import { createLeases } from "../../relay/src/db/leases.ts";
import { migrate } from "../../relay/src/db/migrate.ts";
import { createPaces } from "../../relay/src/db/paces.ts";

/** A stored pace that makes `continuePace` throw. */
const UNREADABLE = "{";

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

/** A node with leases, and with paces that the test sets. `continued`: the paces that it continues with. */
function nodeOf(name: string, names = [accountLease("main")], paced: Pick<Database, "all"> = db) {
  const clock = manualClock();
  const unsaved = new Map<string, string>();
  const continued: [account: string, pace: string, isRecent: boolean][] = [];
  const events: string[] = [];
  const again: string[] = [];
  const onError = (error: unknown): void => void events.push(String(error));
  const leases = createLeases({ db, clock, node: name, names, onError });
  const source = {
    unsavedPaces() {
      const changed = new Map(unsaved);
      unsaved.clear();
      return changed;
    },
    savePaceAgain: (account: string) => void again.push(account),
    continuePace(account: string, pace: string, age: number) {
      if (pace === UNREADABLE) throw new SyntaxError("unreadable");
      events.push("continues");
      continued.push([account, pace, age >= 0 && age < 60_000]);
    },
  };
  const paces = createPaces({ db: paced, clock, node: name, source, onError });
  leases.beforeAcquire(paces.resume);
  leases.onAcquired((lease) => void events.push(`works for ${lease}`));
  return { clock, leases, paces, unsaved, continued, events, again };
}

it("a node continues with the pace of the earlier holder before it works for the account", async () => {
  const [first, second] = [nodeOf("first"), nodeOf("second")];
  await first.leases.start();
  await second.leases.start();
  first.unsaved.set("main", "the pace of the first node");
  await first.paces.stop();
  expect(second.leases.holds(accountLease("main"))).toBe(false);
  await first.leases.stop();
  await second.leases.start();
  expect(second.continued).toEqual([["main", "the pace of the first node", true]]);
  expect(second.events.slice(0, 2)).toEqual(["continues", "works for account:main"]);
  await second.leases.stop();
});

it("a node that no longer holds the lease stores nothing", async () => {
  const [paused, next, last] = [nodeOf("paused"), nodeOf("next"), nodeOf("last")];
  await paused.leases.start();
  await db.run("UPDATE leases SET until = 0");
  await next.leases.start();
  next.unsaved.set("main", "new");
  await next.paces.stop();
  paused.unsaved.set("main", "old");
  await paused.paces.stop();
  await next.leases.stop();
  await last.leases.start();
  expect(last.continued.map(([, pace]) => pace)).toEqual(["new"]);
  await Promise.all([paused.leases.stop(), last.leases.stop()]);
});

it("a node that takes its own lease again keeps the newer pace in its memory", async () => {
  const node = nodeOf("node");
  await node.leases.start();
  node.unsaved.set("main", "stored");
  await node.paces.stop();
  await node.leases.stop();
  await node.leases.start();
  expect(node.continued).toEqual([]);
  await node.leases.stop();
});

it("leases that are renewed together end together, so that a node takes all of them or none", async () => {
  const many = Array.from({ length: 2_000 }, (_, n) => accountLease(String(n)));
  const node = nodeOf("node", many);
  await node.leases.start();
  const ends = await db.all<{ ends: number }>("SELECT DISTINCT until AS ends FROM leases");
  expect(ends).toHaveLength(1);
  await node.leases.stop();
});

it("a pace that could not be stored is stored later, with the age that it has then", async () => {
  let isAway = false;
  const failing: Pick<Database, "all"> = {
    all: (sql, ...values) => (isAway ? Promise.reject(new Error("away")) : db.all(sql, ...values)),
  };
  const node = nodeOf("node", [accountLease("main")], failing);
  await node.leases.start();
  isAway = true;
  node.unsaved.set("main", "must wait");
  node.paces.start();
  node.clock.pass(0);
  await expect.poll(() => node.events).toContain("Error: away");
  isAway = false;
  node.clock.skip(30_000);
  await node.paces.stop();
  const [stored] = await db.all<{ pace: string; age: number }>(
    `SELECT pace, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) - pace_at AS age FROM leases
     WHERE name = 'account:main'`,
  );
  expect(stored?.pace).toBe("must wait");
  expect(stored?.age).toBeGreaterThanOrEqual(30_000);
  await node.leases.stop();
});

it("a node stores its pace again when it takes a lease, because late answers without the lease were not stored", async () => {
  const node = nodeOf("node");
  await node.leases.start();
  expect(node.again).toEqual(["main"]);
  await node.leases.stop();
});

it("a node takes a lease although its stored pace cannot be read, and reports the error", async () => {
  const [first, second] = [nodeOf("first"), nodeOf("second")];
  await first.leases.start();
  first.unsaved.set("main", UNREADABLE);
  await first.paces.stop();
  await first.leases.stop();
  await second.leases.start();
  expect(second.leases.holds(accountLease("main"))).toBe(true);
  expect(second.events).toContain("SyntaxError: unreadable");
  await second.leases.stop();
});

it("a node without the lease asks the database to store nothing, until it takes the lease", async () => {
  const stored: unknown[] = [];
  const counted: Pick<Database, "all"> = {
    all(sql, ...values) {
      if (sql.startsWith("UPDATE")) stored.push(values[1]);
      return db.all(sql, ...values);
    },
  };
  const lease = [accountLease("main")];
  const [holder, other] = [nodeOf("holder"), nodeOf("other", lease, counted)];
  await holder.leases.start();
  await other.leases.start();
  other.unsaved.set("main", "the pace of look-ups");
  await other.paces.stop();
  expect(other.unsaved.size).toBe(0);
  expect(stored).toEqual([]);
  await holder.leases.stop();
  await other.leases.start();
  expect(other.again).toEqual(["main"]);
  other.unsaved.set("main", "the pace of look-ups");
  await other.paces.stop();
  // Another node takes the lease: one statement finds that, and no other follows.
  await db.run("UPDATE leases SET until = 0");
  await holder.leases.start();
  for (const pace of ["the first without the lease", "the second"]) {
    other.unsaved.set("main", pace);
    await other.paces.stop();
  }
  expect(stored).toEqual(["the pace of look-ups", "the first without the lease"]);
  await Promise.all([holder.leases.stop(), other.leases.stop()]);
});
