import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { silentLog } from "../base/log.ts";
import { createBus } from "../bus/bus.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { auditPage } from "../records/operators.ts";
import { createForget } from "./forget.ts";
import { createRetention } from "./retention.ts";

const DAY = 86_400_000;
let db: Database;
let clock: ReturnType<typeof manualClock>;
beforeEach(async () => {
  db = await openTestDatabase();
  await migrate(db);
  clock = manualClock(1_000 * DAY);
});
afterEach(() => db.close());

const RULES = { conversations: 30, files: 10, leads: 20, mails: 5 };

function retention() {
  const site = (id: string, rules: object) => ({
    ...{ public: { ...DEFAULT_SITE, id }, account: "main", origins: [], channel: "website", business: "x" },
    ...{ campaign: undefined, retention: rules },
  });
  const sites = { all: [site("shop", RULES), site("kept", {})] };
  const forget = createForget({ db, bus: createBus(), clock });
  return createRetention({ db, clock, log: silentLog, sites, forget, works: () => true });
}

/** A visitor with a message, a file, a lead and a mail, all of that many days ago. */
async function somebody(id: string, site: string, days: number, state = "done"): Promise<void> {
  const at = clock.now() - days * DAY;
  const insert = (into: string, ...values: (string | number)[]) =>
    db.run(`INSERT INTO ${into} VALUES (${values.map((_, n) => `$${n + 1}`).join(", ")})`, ...values);
  await insert("visitors (id, site, created)", id, site, at);
  await insert("messages (visitor, pos, n, id, author, at, text)", id, 1, 1, `m-${id}`, "visitor", at, "hello");
  await insert("media (key, visitor, site, name, type, size, created, sent)", `k-${id}`, id, site, "a", "b", 1, at, 1);
  await insert("leads (visitor, id, site, account, own, state, due, at)", id, "l", site, "main", 0, state, at, at);
  const mail = [
    `x-${id}`,
    id,
    "replies",
    "a@b.example",
    0,
    1,
    "p",
    "en",
    state === "done" ? "sent" : "waiting",
    at,
    at,
  ];
  await insert("mails (id, visitor, kind, address, since, upto, page, locale, state, due, at)", ...mail);
}

const left = async (table: string): Promise<unknown[]> =>
  (await db.all<{ visitor: string }>(`SELECT visitor FROM ${table} WHERE visitor IS NOT NULL ORDER BY visitor`)).map(
    ({ visitor }) => visitor,
  );

it("deletes what is older than its site keeps it, of each kind, and nothing of a site that keeps everything", async () => {
  await somebody("a-new", "shop", 1);
  await somebody("b-middle", "shop", 12);
  await somebody("c-old", "shop", 31);
  await somebody("d-kept", "kept", 900);
  const counts = [
    { site: "shop", kind: "conversations", days: 30, count: 1 },
    { site: "shop", kind: "files", days: 10, count: 2 },
    { site: "shop", kind: "leads", days: 20, count: 1 },
    { site: "shop", kind: "mails", days: 5, count: 2 },
  ];
  const { run } = retention();
  expect(await run({ dry: true, actor: "test" })).toEqual(counts);
  expect(await left("messages")).toHaveLength(4);
  expect(await auditPage(db, 10)).toEqual([]);

  const done = await run({ dry: false, actor: "test" });
  // The conversation took its own file, lead and mail along.
  expect(done.map(({ count }) => count)).toEqual([1, 1, 0, 1]);
  expect(await left("messages")).toEqual(["a-new", "b-middle", "d-kept"]);
  expect(await left("media")).toEqual(["a-new", "d-kept"]);
  expect(await left("leads")).toEqual(["a-new", "b-middle", "d-kept"]);
  expect(await left("mails")).toEqual(["a-new", "d-kept"]);
  const audit = (await auditPage(db, 10)).map(({ actor, subject }) => `${actor}: ${subject}`).sort();
  expect(audit[0]).toBe("test: 1 conversations of shop, older than 30 days");
  expect(audit).toHaveLength(3);
});

it("keeps what still waits to be sent, however old it is", async () => {
  await somebody("waits", "shop", 31, "open");
  await db.run("INSERT INTO outbox (visitor, turn, pos, account, due, expires) VALUES ('waits', 1, 1, 'main', 0, 0)");
  await retention().run({ dry: false, actor: "test" });
  for (const table of ["messages", "leads", "mails"]) expect(await left(table), table).toEqual(["waits"]);
});

it("finds old conversations behind more young ones than one slice holds", async () => {
  for (let n = 0; n < 600; n++)
    await db.run("INSERT INTO visitors (id, site, created) VALUES ($1, 'shop', $2)", `v-${n}`, n);
  await db.run(
    `INSERT INTO messages (visitor, pos, n, id, author, at, text)
     SELECT id, 1, 1, 'm', 'visitor', $1, '' FROM visitors WHERE created < 550`,
    clock.now(),
  );
  const [conversations] = await retention().run({ dry: true, actor: "test" });
  expect(conversations?.count).toBe(50);
});
