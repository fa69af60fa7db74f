import { afterEach, beforeEach, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database, Value } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { createAccessPolicy } from "./access-policy.ts";

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
});
afterEach(() => db.close());

const POLL_MS = 2_000;
const REREAD_MS = 60_000;
/** Most rows that one statement may read: SQLite reads them on the event loop. */
const ROWS_MAX = 500;

function open(seen: Database = db) {
  const clock = manualClock(1_000_000);
  const hooks = { post: async () => ({ status: 200, text: "" }) };
  return { clock, policy: createAccessPolicy({ db: seen, clock, log: () => {}, hooks, signing: "secret" }) };
}

/** Lets the next refresh run to its end: `unblock` waits for it. */
async function nextRefresh({ clock, policy }: ReturnType<typeof open>): Promise<void> {
  clock.pass(POLL_MS);
  await policy.unblock("shop", "blk_none");
}

const blockOf = (value: string) => ({ site: "shop", value, reason: "", actor: "cli" });
const fill = (blocks: number): Promise<void> =>
  db.runEach(
    "INSERT INTO blocks (id, site, value, reason, actor, at) VALUES ($1, $2, $3, '', 'cli', 1)",
    Array.from({ length: blocks }, (_, n) => [`blk_${n}`, n % 3 === 0 ? "club" : "shop", `10.0.${n >> 8}.${n & 255}`]),
  );

/** The database, and what it read: the rows of the largest statement, and the ticks of the event loop meanwhile. */
function watched() {
  const seen = { rows: 0, statements: 0, ticks: 0 };
  const tick = (): void => {
    seen.ticks++;
    immediate = setImmediate(tick);
  };
  let immediate = setImmediate(tick);
  const all = async <Row>(sql: string, ...values: Value[]): Promise<Row[]> => {
    const rows = await db.all<Row>(sql, ...values);
    seen.rows = Math.max(seen.rows, rows.length);
    if (sql.includes("FROM blocks")) seen.statements++;
    return rows;
  };
  return { seen, db: { ...db, all }, stop: () => clearImmediate(immediate) };
}

it("reads a long list of blocks in slices, and lets other work run between two of them (A24)", async () => {
  await fill(1_300);
  const { seen, db: read, stop } = watched();
  const { policy } = open(read);
  await policy.start();
  stop();
  expect(seen.rows).toBeLessThanOrEqual(ROWS_MAX);
  expect(seen.ticks).toBeGreaterThanOrEqual(3);
  expect(["shop", "club"].map((site) => policy.isBlocked(site, "v", "10.0.5.19"))).toEqual([false, true]);
  await policy.stop();
});

it("finds no visitor for the token of a blocked visitor, or for a token that comes from a blocked address (A27)", async () => {
  const sql = "INSERT INTO blocks (id, site, value, reason, actor, at) VALUES ($1, 'shop', $1, '', '', 1)";
  for (const value of ["v_rude", "192.0.2.0/24"]) await db.run(sql, value);
  const { policy } = open();
  await policy.start();
  const find = policy.withoutBlocked(async (visitor) => ({ visitor, site: "shop" }));
  const found = [
    await find("v_rude", "https://shop.example", "198.51.100.1"),
    await find("v_kind", "https://shop.example", "192.0.2.7"),
    await find("v_kind", "https://shop.example", "::ffff:192.0.2.7"),
  ];
  expect(found).toEqual([undefined, undefined, undefined]);
  expect(await find("v_kind", "https://shop.example", "198.51.100.1")).toEqual({ visitor: "v_kind", site: "shop" });
  await policy.stop();
});

it("reads an unchanged list only once a minute", async () => {
  await fill(3);
  const { seen, db: read, stop } = watched();
  stop();
  const { clock, policy } = open(read);
  await policy.start();
  expect(seen.statements).toBe(1);
  for (let ms = POLL_MS; ms < REREAD_MS; ms += POLL_MS) await nextRefresh({ clock, policy });
  expect(seen.statements).toBe(1);
  await db.run("INSERT INTO blocks (id, site, value, reason, actor, at) VALUES ('b', 'shop', '192.0.2.1', '', '', 1)");
  await nextRefresh({ clock, policy });
  expect(policy.isBlocked("shop", "v", "192.0.2.1")).toBe(true);
  await policy.stop();
});

it("notices what another process blocks and unblocks, and tells its listener", async () => {
  const [here, there] = [open(), open()];
  let changes = 0;
  here.policy.onChange(() => changes++);
  await Promise.all([here.policy.start(), there.policy.start()]);
  const before = changes;
  const added = await there.policy.block(blockOf("192.0.2.0/24"), false);
  if (added === undefined || added === "too_broad") throw new Error("The block was refused");
  expect(there.policy.isBlocked("shop", "v", "192.0.2.9")).toBe(true);
  await nextRefresh(here);
  expect(here.policy.isBlocked("shop", "v", "192.0.2.9")).toBe(true);
  expect(changes).toBe(before + 1);
  expect(here.policy.isBlocked("club", "v", "192.0.2.9")).toBe(false);
  expect(await there.policy.unblock("shop", added.id)).toBe(true);
  await nextRefresh(here);
  expect(here.policy.isBlocked("shop", "v", "192.0.2.9")).toBe(false);
  await Promise.all([here.policy.stop(), there.policy.stop()]);
});
