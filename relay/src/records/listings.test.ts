import { afterEach, beforeEach, expect, it } from "vitest";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database, Value } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { type DeliveryRow, deliveriesPage, failedMessages, newestCallback, waitingMessages } from "./listings.ts";

/** Most rows that one statement may read: SQLite reads them on the event loop. */
const ROWS_MAX = 1_000;

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

const SITES = ["shop", "club", "news"] as const;
const PER_VISITOR = 6;

/**
 * Visitors of the sites in turn, with two failed messages, a failed one that was discarded, two that wait, and a delivered one.
 * @returns how many rows the largest statement has read since
 */
async function fill(visitors: number): Promise<() => number> {
  const messages = Array.from({ length: visitors * PER_VISITOR }, (_, n) => {
    const [v, pos] = [Math.floor(n / PER_VISITOR), (n % PER_VISITOR) + 1];
    const state = [1, 4, 5].includes(pos) ? "failed" : pos === 6 ? "delivered" : "sent";
    return { visitor: `v${v}`, pos, state, discarded: pos === 5 ? 1 : null };
  });
  await db.runEach(
    "INSERT INTO visitors (id, site, created, head) VALUES ($1, $2, 1, 6)",
    Array.from({ length: visitors }, (_, v) => [`v${v}`, SITES[v % SITES.length] ?? ""]),
  );
  await db.runEach(
    `INSERT INTO messages (visitor, pos, n, id, author, at, text, state, discarded)
     VALUES ($1, $2, $2, $3, 'visitor', $4, '', $5, $6)`,
    messages.map(({ visitor, pos, state, discarded }, n) => [visitor, pos, `m${pos}`, (n * 7) % 50, state, discarded]),
  );
  await db.runEach(
    "INSERT INTO outbox (visitor, turn, pos, account, due, expires) VALUES ($1, $2, $2, 'a', 1, 1)",
    messages.filter(({ state }) => state === "sent").map(({ visitor, pos }) => [visitor, pos]),
  );
  let most = 0;
  const { all } = db;
  db.all = async <Row>(sql: string, ...values: Value[]) => {
    const rows = await all<Row>(sql, ...values);
    most = Math.max(most, rows.length);
    return rows;
  };
  return () => most;
}

const nameOf = ({ visitor, pos, state }: Pick<DeliveryRow, "visitor" | "pos" | "state">): string =>
  `${visitor} ${pos} ${state}`;

it("pages through a site's deliveries, each once, by visitor and place, without reading a long list at once (A24)", async () => {
  const largest = await fill(600);
  const ids = Array.from({ length: 600 }, (_, v) => v).filter((v) => v % SITES.length === 1);
  const expected = ids
    .map((v) => `v${v}`)
    .sort()
    .flatMap((v) => [`${v} 1 failed`, `${v} 2 waiting`, `${v} 3 waiting`, `${v} 4 failed`]);
  for (const [state, limit] of [
    [undefined, 37],
    ["failed", 10],
    ["waiting", 1_000],
  ] as const) {
    const found: DeliveryRow[] = [];
    for (let after: DeliveryRow | undefined; ; after = found.at(-1)) {
      const page = await deliveriesPage(db, { site: "club", limit, ...(state && { state }), ...(after && { after }) });
      found.push(...page);
      if (page.length < limit) break;
    }
    expect(found.map(nameOf)).toEqual(expected.filter((name) => state === undefined || name.endsWith(state)));
  }
  expect(largest()).toBeLessThanOrEqual(ROWS_MAX);
});

it("lists the failed messages of a site or of all, newest first, without reading a long list at once (A24)", async () => {
  const largest = await fill(600);
  const all = await failedMessages(db, null, { skip: 0, limit: 5_000 });
  expect(all).toHaveLength(1_200);
  const order = all.map(({ at, visitor, pos }) => [-at, visitor, pos] as const);
  expect(order).toEqual(
    order.toSorted((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0) || a[2] - b[2]),
  );
  const ofSite = all.filter(({ site }) => site === "news");
  expect(await failedMessages(db, "news", { skip: 100, limit: 50 })).toEqual(ofSite.slice(100, 150));
  expect(largest()).toBeLessThanOrEqual(ROWS_MAX);
});

it("lists a message only once when it fails while the list is read", async () => {
  await fill(2);
  const { all } = db;
  db.all = async <Row>(sql: string, ...values: Value[]) => {
    const rows = await all<Row>(sql, ...values);
    // After the waiting messages are read, one of them fails.
    if (sql.includes("FROM outbox")) {
      await db.run("DELETE FROM outbox WHERE visitor = 'v0' AND pos = 2");
      await db.run("UPDATE messages SET state = 'failed' WHERE visitor = 'v0' AND pos = 2");
    }
    return rows;
  };
  const page = await deliveriesPage(db, { site: "shop", limit: 10 });
  expect(page.map(nameOf)).toEqual(["v0 1 failed", "v0 2 failed", "v0 3 waiting", "v0 4 failed"]);
});

it("finds the newest reply although many visitors wrote after it, and one of them has an older reply", async () => {
  const visitors = Array.from({ length: 400 }, (_, v) => ({ id: `v${v}`, active: 1_000 + v }));
  await db.runEach(
    "INSERT INTO visitors (id, site, created, active) VALUES ($1, 'shop', 1, $2)",
    visitors.map(({ id, active }) => [id, active]),
  );
  expect(await newestCallback(db)).toBeUndefined();
  await db.runEach(
    "INSERT INTO messages (visitor, pos, n, id, author, at, text) VALUES ($1, 1, 1, 'r_1', 'reply', $2, '')",
    [
      ["v399", 7],
      ["v100", 1_100],
      ["v50", 1_050],
    ],
  );
  expect(await newestCallback(db)).toBe(1_100);
});

it("lists each reaction that waits, also several on one reply, at every border of a page and of a slice", async () => {
  const lanes = 301;
  await db.runEach(
    "INSERT INTO visitors (id, site, created, head) VALUES ($1, 'shop', 1, 9)",
    Array.from({ length: lanes }, (_, v) => [`v${v}`]),
  );
  await db.runEach(
    "INSERT INTO messages (visitor, pos, n, id, author, at, text) VALUES ($1, 1, 1, 'r_1', 'reply', 1, '')",
    Array.from({ length: lanes }, (_, v) => [`v${v}`]),
  );
  const turns = Array.from({ length: lanes * 3 }, (_, n) => [`v${Math.floor(n / 3)}`, (n % 3) + 2] as const);
  await db.runEach(
    `INSERT INTO outbox (visitor, turn, pos, account, due, expires, reaction, reaction_sid)
     VALUES ($1, $2, 1, 'a', 1, $3, '👍', 'sid')`,
    turns.map(([visitor, turn]) => [visitor, turn, turn]),
  );
  for (const limit of [20, 5_000]) {
    const found: DeliveryRow[] = [];
    for (let after: DeliveryRow | undefined; ; after = found.at(-1)) {
      const page = await deliveriesPage(db, { site: "shop", limit, ...(after && { after }) });
      found.push(...page);
      if (page.length < limit) break;
    }
    const names = found.map(({ visitor, turn }) => `${visitor} ${turn}`);
    expect(names).toEqual(turns.map(([visitor, turn]) => `${visitor} ${turn}`).sort());
  }
});

it("lists the waiting messages of a site or of all, the oldest first, without reading a long list at once (A24)", async () => {
  const largest = await fill(600);
  await db.run("UPDATE outbox SET expires = 100 + pos WHERE visitor LIKE '%7'");
  const all = await waitingMessages(db, null, { skip: 0, limit: 5_000 });
  expect(all).toHaveLength(1_200);
  const late = (visitor: string): boolean => visitor.endsWith("7");
  const order = all.map(({ visitor, pos }) => [late(visitor) ? pos : 0, visitor, pos] as const);
  expect(order).toEqual(
    order.toSorted((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0) || a[2] - b[2]),
  );
  const ofSite = all.filter(({ site }) => site === "news");
  expect(await waitingMessages(db, "news", { skip: 100, limit: 50 })).toEqual(ofSite.slice(100, 150));
  expect(largest()).toBeLessThanOrEqual(ROWS_MAX);
});
