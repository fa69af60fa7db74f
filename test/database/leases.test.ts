import { expect, it } from "vitest";
import { realClock } from "../../relay/src/base/clock.ts";
import { openTestDatabase } from "../../relay/src/db/database.fixture.ts";
import { createLeases } from "../../relay/src/db/leases.ts";
import { migrate } from "../../relay/src/db/migrate.ts";

it("a node releases its leases while another node requests them, without a deadlock", async () => {
  const db = await openTestDatabase();
  await migrate(db);
  const errors: unknown[] = [];
  /** A clock without timers: no renewal interferes with the two statements of this test. */
  const clock = { ...realClock, after: () => () => {} };
  const node = (name: string) =>
    createLeases({ db, clock, node: name, names: ["a", "b"], onError: (error) => void errors.push(error) });
  const [first, second] = [node("first"), node("second")];
  await first.start();
  // PostgreSQL writes a changed row after the others, so it now finds this row last.
  await db.run("UPDATE leases SET until = until WHERE name = 'a'");
  const [locked, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = db.transaction(
    async (tx) => {
      await tx.run("SET LOCAL idle_in_transaction_session_timeout = 0");
      await tx.all("SELECT 1 FROM leases WHERE name = 'a' FOR UPDATE");
      locked.resolve();
      await free.promise;
    },
    ["test"],
  );
  await locked.promise;
  const waiting = async (): Promise<number> => {
    const sql =
      "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    return (await db.all<{ n: number }>(sql))[0]?.n ?? 0;
  };
  const asking = second.start();
  await expect.poll(waiting).toBe(1);
  const leaving = first.stop();
  await expect.poll(waiting).toBe(2);
  free.resolve();
  await Promise.all([holding, asking, leaving]);
  expect(errors).toEqual([]);
  await second.stop();
  await db.close();
});
