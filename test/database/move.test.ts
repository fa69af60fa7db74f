import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { realClock } from "../../relay/src/base/clock.ts";
import { openTestDatabase } from "../../relay/src/db/database.fixture.ts";
import type { Database } from "../../relay/src/db/database.ts";
import { createLeases } from "../../relay/src/db/leases.ts";
import { migrate } from "../../relay/src/db/migrate.ts";
import { assertMoved, moveDatabase } from "../../relay/src/db/move.ts";
import { openSqlite } from "../../relay/src/db/sqlite.ts";

const VISITORS = 3;
const MESSAGES = 400;

/** A SQLite database with threads of more than one page, and with every type of value. */
async function source(): Promise<Database> {
  const db = openSqlite(join(mkdtempSync(join(tmpdir(), "porchlight-move-")), "from.db"));
  await migrate(db);
  const visitors = Array.from({ length: VISITORS }, (_, i) => `v_${"Zaé"[i]}`);
  await db.runEach(
    "INSERT INTO visitors (id, site, created, head) VALUES ($1, 'default', 1, $2)",
    visitors.map((visitor) => [visitor, MESSAGES]),
  );
  for (const visitor of visitors)
    await db.runEach(
      "INSERT INTO messages (visitor, pos, n, id, author, at, text, attempts) VALUES ($1, $2, $2, $3, 'visitor', $4, $5, NULL)",
      Array.from({ length: MESSAGES }, (_, i) => [
        visitor,
        i + 1,
        `m${i}`,
        Number.MAX_SAFE_INTEGER - i,
        `„Grüße“ ${i}\n🙂\\`,
      ]),
    );
  return db;
}

/** The same database, which fails at its `n`th transaction. */
function failingAt(db: Database, n: number): Database {
  let left = n;
  return {
    ...db,
    transaction: (body, key) => (--left === 0 ? Promise.reject(new Error("away")) : db.transaction(body, key)),
  };
}

it("moves a SQLite database to PostgreSQL, continues after an interruption, and finds both equal", async () => {
  const [from, to] = [await source(), await openTestDatabase()];
  await migrate(to);
  await expect(moveDatabase(from, failingAt(to, 4), { report: () => {} })).rejects.toThrow("away");
  // No relay starts on a partial copy.
  await expect(assertMoved(to)).rejects.toThrow("has not finished");
  const steps: [string, number, number][] = [];
  const moved = await moveDatabase(from, to, { report: (...step) => void steps.push(step) });
  const rows = Object.fromEntries(moved.map(({ table, rows }) => [table, rows]));
  expect(rows).toMatchObject({ visitors: VISITORS, messages: VISITORS * MESSAGES });
  // Tables that were copied before the interruption are not copied again.
  const again = steps.filter(([table]) => table === "visitors" || table === "messages").map(([, count]) => count);
  expect(Math.max(...again)).toBeLessThan(VISITORS * MESSAGES);
  const sql = "SELECT * FROM messages ORDER BY visitor, pos";
  expect(await to.all(sql)).toEqual((await from.all<object>(sql)).map((row) => ({ ...row })));
  const epoch = "SELECT value FROM meta WHERE name = 'epoch'";
  expect(await to.all(epoch)).toEqual((await from.all<object>(epoch)).map((row) => ({ ...row })));
  await assertMoved(to);
  await expect(moveDatabase(from, to, { report: () => {} })).rejects.toThrow("other conversations");
  await Promise.all([from.close(), to.close()]);
});

it("moves texts with NUL as a relay on PostgreSQL would store them, in keys too", async () => {
  const [from, to] = [await source(), await openTestDatabase()];
  await migrate(to);
  const add = "INSERT INTO callback_fields (kind, field, type, at) VALUES ('reply', $1, $2, 1)";
  const fields = ["a", "a\0", "a\0z", "ab", "\ud800"];
  for (const field of fields) await from.run(add, field, `type\0of ${field}`);
  await moveDatabase(from, to, { report: () => {} });
  const select = "SELECT type FROM callback_fields WHERE field = $1";
  for (const field of fields)
    expect(await to.all(select, field)).toEqual([{ type: `type\ufffdof ${field.replace(/\0|\ud800/u, "\ufffd")}` }]);
  await Promise.all([from.close(), to.close()]);
});

it("refuses a database that a relay uses", async () => {
  const [from, to] = [await source(), await openTestDatabase()];
  await migrate(to);
  const leases = createLeases({ db: to, clock: realClock, node: "n", names: ["mail"], onError: () => {} });
  await leases.start();
  await expect(moveDatabase(from, to, { report: () => {} })).rejects.toThrow("A relay uses");
  await leases.stop();
  expect(await to.all("SELECT 1 FROM visitors")).toEqual([]);
  await moveDatabase(from, to, { report: () => {} });
  await Promise.all([from.close(), to.close()]);
});

it("names the table that differs", async () => {
  const [from, to] = [await source(), await openTestDatabase()];
  await migrate(to);
  const forgetful: Database = {
    ...to,
    transaction: (body, key) =>
      to.transaction(
        (tx) =>
          body({
            ...tx,
            run: (sql, ...values) => (sql.includes("INTO messages") ? Promise.resolve(0) : tx.run(sql, ...values)),
          }),
        key,
      ),
  };
  await expect(moveDatabase(from, forgetful, { report: () => {} })).rejects.toThrow(
    "messages differs: 1200 rows in SQLite, 0 in",
  );
  await Promise.all([from.close(), to.close()]);
});
