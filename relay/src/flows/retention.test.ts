import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { silentLog } from "../base/log.ts";
import { createBus } from "../bus/bus.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { addEvent } from "../records/events.ts";
import { auditPage } from "../records/operators.ts";
import { dayOf, takeOne } from "../records/quotas.ts";
import { addSamples, STEPS, samplesBetween } from "../records/series.ts";
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

function retention(bus = createBus(), forget = createForget({ db, bus, clock }), given = db) {
  const site = (id: string, rules: object) => ({
    public: { ...DEFAULT_SITE, id },
    account: "main",
    origins: [],
    channel: "website",
    business: "x",
    campaign: undefined,
    retention: rules,
  });
  const sites = { all: [site("shop", RULES), site("kept", {})] };
  return createRetention({ db: given, clock, log: silentLog, sites, seriesDays: 35, forget, works: () => true });
}

/** A visitor with a message, a file, a lead and a mail, all of them `days` days old. */
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

it("deletes each kind of data past its site's limit, and nothing of a site that keeps everything", async () => {
  await somebody("a-new", "shop", 1);
  await somebody("b-middle", "shop", 12);
  await somebody("c-old", "shop", 31);
  await somebody("d-kept", "kept", 900);
  const counts = [
    { site: "shop", kind: "files", days: 10, count: 2 },
    { site: "shop", kind: "leads", days: 20, count: 1 },
    { site: "shop", kind: "mails", days: 5, count: 2 },
    { site: "shop", kind: "conversations", days: 30, count: 1 },
    { site: null, kind: "series", days: 35, count: 2 },
  ];
  const old = [34, 36, 400].map((days) => ({ at: clock.now() - days * DAY, node: "", body: "{}" }));
  for (const step of [STEPS.hour, STEPS.quarterDay]) await addSamples(db, step, old);
  const { run } = retention();
  expect(await run({ dry: true, actor: "test" })).toEqual(counts);
  expect(await left("messages")).toHaveLength(4);
  expect(await samplesBetween(db, STEPS.hour, 0, clock.now())).toHaveLength(3);
  expect(await auditPage(db, 10)).toEqual([]);

  expect(await run({ dry: false, actor: "test" })).toEqual(counts);
  expect(await left("messages")).toEqual(["a-new", "b-middle", "d-kept"]);
  expect(await left("media")).toEqual(["a-new", "d-kept"]);
  expect(await left("leads")).toEqual(["a-new", "b-middle", "d-kept"]);
  expect(await left("mails")).toEqual(["a-new", "d-kept"]);
  const audit = (await auditPage(db, 10)).map(({ actor, subject }) => `${actor}: ${subject}`).sort();
  expect(audit).toEqual([
    "test: 1 conversations of shop, older than 30 days",
    "test: 1 leads of shop, older than 20 days",
    "test: 2 files of shop, older than 10 days",
    "test: 2 hours of series, older than 35 days",
    "test: 2 mails of shop, older than 5 days",
  ]);
  for (const step of [STEPS.hour, STEPS.quarterDay])
    expect((await samplesBetween(db, step, 0, clock.now())).map(({ at }) => at)).toEqual([clock.now() - 34 * DAY]);
});

/** What may still wait for a visitor whose conversation is old. */
const WAITING = {
  "a message": "INSERT INTO outbox (visitor, turn, pos, account, due, expires) VALUES ('waits', 1, 1, 'main', 0, 0)",
  "a lead": "UPDATE leads SET state = 'open'",
  "a mail": "UPDATE mails SET state = 'waiting'",
  "a mail that is being sent": "UPDATE mails SET state = 'sending'",
  "an event for the backend":
    "INSERT INTO events (id, site, visitor, type, body, at, state, due) VALUES ('e', 'shop', 'waits', 'lead.captured', '', 0, 'waiting', 0)",
  "a message of the backend": `INSERT INTO ledger (kind, account, key, lane, digest, content, state, due, created, changed)
    VALUES ('send', 'main', 'k', 'waits', '', '{}', 'calling', 0, 0, 0)`,
};

it.each(Object.entries(WAITING))("keeps an old conversation while %s still waits to be sent", async (_, sql) => {
  await somebody("waits", "shop", 31);
  await db.run(sql);
  await retention().run({ dry: false, actor: "test" });
  expect(await left("messages")).toEqual(["waits"]);
});

it("keeps an old file while its message waits to be sent", async () => {
  await somebody("waits", "shop", 12);
  await db.run("UPDATE messages SET media = 'k-waits'");
  await db.run(WAITING["a message"]);
  const { run } = retention();
  await run({ dry: false, actor: "test" });
  expect(await left("media")).toEqual(["waits"]);
  await db.run("DELETE FROM outbox");
  await run({ dry: false, actor: "test" });
  expect(await left("media")).toEqual([]);
});

it("keeps a conversation that continues while the job runs", async () => {
  await somebody("a-old", "shop", 31);
  await somebody("b-old", "shop", 31);
  const bus = createBus();
  // The second visitor writes when the first one is deleted.
  const write =
    "INSERT INTO messages (visitor, pos, n, id, author, at, text) VALUES ('b-old', 2, 2, 'm2', 'visitor', $1, 'again')";
  const publish: typeof bus.publish = (hint) => {
    if (hint.visitor === "a-old") void db.run(write, clock.now());
    bus.publish(hint);
  };
  const done = await retention({ ...bus, publish }).run({ dry: false, actor: "test" });
  expect(done).toContainEqual(expect.objectContaining({ kind: "conversations", count: 1 }));
  expect(await left("messages")).toEqual(["b-old", "b-old"]);
});

it("records in the audit log what it deleted before the database failed", async () => {
  await somebody("a-old", "shop", 31);
  await somebody("b-old", "shop", 31);
  let calls = 0;
  const erase = createForget({ db, bus: createBus(), clock });
  const forget: typeof erase = (...given) => (++calls > 1 ? Promise.reject(new Error("disk")) : erase(...given));
  await expect(retention(createBus(), forget).run({ dry: false, actor: "test" })).rejects.toThrow("disk");
  const audit = (await auditPage(db, 10)).map(({ subject }) => subject);
  expect(audit).toContain("1 conversations of shop, older than 30 days");
});

it("deletes more rows than one transaction takes", async () => {
  await db.run("INSERT INTO visitors (id, site, created) VALUES ('v', 'shop', $1)", clock.now());
  for (let n = 0; n < 600; n++)
    await db.run(
      "INSERT INTO media (key, visitor, site, name, type, size, created, sent) VALUES ($1, 'v', 'shop', '', '', 1, 0, 1)",
      `k-${n}`,
    );
  const [files] = await retention().run({ dry: false, actor: "test" });
  expect(files?.count).toBe(600);
  expect(await left("media")).toEqual([]);
});

it("finds old conversations behind more recent ones than fit into one slice", async () => {
  for (let n = 0; n < 600; n++)
    await db.run("INSERT INTO visitors (id, site, created) VALUES ($1, 'shop', $2)", `v-${n}`, n);
  await db.run(
    `INSERT INTO messages (visitor, pos, n, id, author, at, text)
     SELECT id, 1, 1, 'm', 'visitor', $1, '' FROM visitors WHERE created < 550`,
    clock.now(),
  );
  const done = await retention().run({ dry: true, actor: "test" });
  expect(done.find(({ kind }) => kind === "conversations")?.count).toBe(50);
});

it("deletes finished mails, finished webhook events and counters after 30 days, whatever sites keep and even if a site's run fails", async () => {
  await somebody("fails", "shop", 31);
  await somebody("old", "kept", 31);
  await somebody("young", "kept", 29);
  await somebody("waits", "kept", 31, "waiting");
  for (const days of [31, 29]) {
    const at = clock.now() - days * DAY;
    const event: Parameters<typeof addEvent>[1] = {
      id: `event-${days}`,
      site: "kept",
      visitor: null,
      type: "delivery.failed",
      body: "{}",
      at,
    };
    await db.transaction((tx) => addEvent(tx, event));
    await db.transaction((tx) => takeOne(tx, { name: "messages", day: dayOf(at), cap: 9 }));
  }
  await db.run("UPDATE events SET state = 'sent'");
  const daily = retention(createBus(), () => Promise.reject(new Error("The visitor cannot be deleted.")));
  daily.start();
  clock.passEach(10 * 60_000);
  const left = async () => ({
    mails: (await db.all<{ id: string }>("SELECT id FROM mails ORDER BY id")).map(({ id }) => id),
    events: (await db.all<{ id: string }>("SELECT id FROM events")).map(({ id }) => id),
    counters: (await db.all("SELECT day FROM quotas")).length,
  });
  await expect.poll(left).toEqual({ mails: ["x-waits", "x-young"], events: ["event-29"], counters: 1 });
  await daily.stop();
});

it("deletes old webhook events in slices, so that visitors' messages do not wait for all of them", async () => {
  const at = clock.now() - 31 * DAY;
  const events = Array.from({ length: 1_200 }, (_, n) => [`event-${n}`, at]);
  await db.runEach(
    "INSERT INTO events (id, site, visitor, type, body, at, state, due) VALUES ($1, 'kept', NULL, 'delivery.failed', '{}', $2, 'sent', 0)",
    events,
  );
  const deleted: number[] = [];
  const transaction: Database["transaction"] = (work, lanes) =>
    db.transaction(async (tx) => {
      const run: typeof tx.run = async (sql, ...values) => {
        const count = await tx.run(sql, ...values);
        if (sql.startsWith("DELETE FROM events")) deleted.push(count);
        return count;
      };
      return work({ ...tx, run });
    }, lanes);
  const daily = retention(createBus(), undefined, { ...db, transaction });
  daily.start();
  clock.passEach(10 * 60_000);
  await expect.poll(() => deleted).toEqual([500, 500, 200]);
  expect(await db.all("SELECT id FROM events")).toEqual([]);
  await daily.stop();
});
