import { afterEach, beforeEach, expect, it } from "vitest";
import { manualClock } from "../../relay/src/base/clock.fixture.ts";
import { openTestDatabase } from "../../relay/src/db/database.fixture.ts";
import type { Database } from "../../relay/src/db/database.ts";
import { createLeases } from "../../relay/src/db/leases.ts";
import { migrate } from "../../relay/src/db/migrate.ts";

/** Interval of renewals, in ms. */
const RENEW_MS = 750;
/** Longer than a node uses a lease that it does not renew, in ms. */
const PAST_LEASE_MS = 3_000;
/** A lease until this time, in ms since 1970, does not end during a test, however busy the machine is. */
const NEVER = 2 ** 52;

let db: Database;
let errors: unknown[];
beforeEach(async () => {
  errors = [];
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

/** A node whose renewals the test starts by its clock. @param own the database as this node reaches it */
function nodeOf(name: string, own: Pick<Database, "all"> = db) {
  const clock = manualClock();
  const onError = (error: unknown): void => void errors.push(error);
  const leases = createLeases({ db: own, clock, node: name, names: ["a", "b"], onError });
  const ended = () => expect.poll(clock.waiting).toBe(1);
  return { ...leases, clock, ended };
}

/** Locks the row of the lease `a` until `free` is called. */
async function lockRow(): Promise<{ free: () => Promise<void> }> {
  const [locked, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.transaction(
    async (tx) => {
      await tx.run("SET LOCAL idle_in_transaction_session_timeout = 0");
      await tx.all("SELECT 1 FROM leases WHERE name = 'a' FOR UPDATE");
      locked.resolve();
      await freed.promise;
    },
    ["test"],
  );
  await locked.promise;
  return {
    free() {
      freed.resolve();
      return holding;
    },
  };
}

it("a node releases its leases while another node requests them, without a deadlock", async () => {
  const [first, second] = [nodeOf("first"), nodeOf("second")];
  await first.start();
  // PostgreSQL writes changed rows after the others, so it now finds `a` last.
  for (const name of ["b", "a"]) await db.run("UPDATE leases SET until = 0 WHERE name = $1", name);
  const { free } = await lockRow();
  const waiting = async (): Promise<number> => {
    const sql =
      "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    return (await db.all<{ n: number }>(sql))[0]?.n ?? 0;
  };
  const asking = second.start();
  await expect.poll(waiting).toBe(1);
  const leaving = first.stop();
  await expect.poll(waiting).toBe(2);
  await Promise.all([free(), asking, leaving]);
  expect(errors).toEqual([]);
  await second.stop();
});

it("a node that waits for another node's leases locks none of their rows", async () => {
  const [first, second] = [nodeOf("first"), nodeOf("second")];
  await first.start();
  await db.run("UPDATE leases SET until = $1", NEVER);
  const { free } = await lockRow();
  await second.start();
  expect([errors, first.holds("a"), second.holds("a")]).toEqual([[], true, false]);
  await free();
  await Promise.all([first.stop(), second.stop()]);
});

it("a node renews its leases while the preparation of another one takes long", async () => {
  await db.run("INSERT INTO leases (name, node, epoch, until) VALUES ('b', 'elsewhere', 1, $1)", NEVER);
  const node = nodeOf("node");
  await node.start();
  node.clock.pass(0);
  await node.ended();
  const slow = Promise.withResolvers<void>();
  const prepared: string[] = [];
  node.beforeAcquire((names) => {
    prepared.push(...names);
    return slow.promise;
  });
  await db.run("UPDATE leases SET until = 0 WHERE name = 'b'");
  for (let passed = 0; passed < PAST_LEASE_MS; passed += RENEW_MS) {
    node.clock.pass(RENEW_MS);
    await node.ended();
  }
  expect([node.holds("a"), node.holds("b")]).toEqual([true, false]);
  slow.resolve();
  await expect.poll(() => node.holds("b")).toBe(true);
  expect([prepared, errors]).toEqual([["b"], []]);
  await node.stop();
});

it("a node prepares a lease again when the preparation failed", async () => {
  const node = nodeOf("node");
  let fails = true;
  node.beforeAcquire(async () => {
    if (fails) throw new Error("away");
  });
  await node.start();
  expect([node.holds("a"), errors]).toEqual([false, [new Error("away")]]);
  fails = false;
  node.clock.pass(0);
  await expect.poll(() => node.holds("a")).toBe(true);
  await node.stop();
});

it("a node releases some of its leases, also those that a renewal under way takes again, and renews the others", async () => {
  let open = Promise.withResolvers<void>();
  open.resolve();
  const slow: Pick<Database, "all"> = {
    async all(sql, ...values) {
      if (sql.includes("INSERT INTO leases")) await open.promise;
      return db.all(sql, ...values);
    },
  };
  const [first, second] = [nodeOf("first", slow), nodeOf("second")];
  await first.start();
  open = Promise.withResolvers<void>();
  first.clock.pass(0);
  const leaving = first.keepOnly(["b"]);
  expect([first.holds("a"), first.holds("b")]).toEqual([false, true]);
  // Meanwhile a node that did not wait for its renewal would release the leases too early.
  await db.transaction(async () => {}, ["test"]);
  open.resolve();
  await leaving;
  await db.run("UPDATE leases SET until = $1 WHERE name = 'b'", NEVER);
  await second.start();
  for (let passed = 0; passed < PAST_LEASE_MS; passed += RENEW_MS) {
    await first.ended();
    first.clock.pass(RENEW_MS);
  }
  await first.ended();
  expect(["a", "b"].map((name) => [first.holds(name), second.holds(name)])).toEqual([
    [false, true],
    [true, false],
  ]);
  expect(errors).toEqual([]);
  await Promise.all([first.stop(), second.stop()]);
});
