import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database, Value } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { openSqlite } from "../db/sqlite.ts";
import { failedSince } from "../records/alerts.ts";
import { allBlocks, blocksPage } from "../records/blocks.ts";
import { dueEvents, eventsPage, troubledEvent } from "../records/events.ts";
import { leadsPage } from "../records/leads.ts";
import {
  accountsCalling,
  claimableEntries,
  countStates,
  entriesPage,
  stuckEntries,
  undecidedEntries,
} from "../records/ledger/ledger.ts";
import { deliveriesPage, failedMessages, newestCallback, visitorsPage, waitingMessages } from "../records/listings.ts";
import { storedBytes } from "../records/media.ts";
import { auditPage } from "../records/operators.ts";
import { ratingsPage } from "../records/ratings.ts";
import { staleVisitors } from "../records/retention.ts";
import { countFailed, newestMails } from "../records/search.ts";
import { STEPS, samplesInSteps } from "../records/series.ts";
import { appendSent, createNumbers, findReply, findSent } from "../records/threads.ts";
import { messagesFormerly } from "../records/tries.ts";
import { visitorsInOrder } from "../records/visitors.ts";

/** SQLite reads on the event loop, so a list that reads or sorts a whole table delays every visitor (RELIABILITY A24). */

const [site, limit, now] = ["default", 51, 1_000_000];
const place = { at: 5, created: 5, id: "m", key: "m", visitor: "m", pos: 3, turn: 0 };
const grants = { kind: "grant", account: "default", limit } as const;

/** The same database, whose first read finds this row, so that the read that follows it is planned too. */
function findingFirst(db: Database, row: object): Database {
  const found: object[] = [row];
  return { ...db, all: async (sql, ...values) => [...(await db.all(sql, ...values)), ...found.splice(0)] as never };
}

/** The reads of the operator's pages and of the server API, and those that the relay makes every few seconds. */
const READS: Record<string, (db: Database) => Promise<unknown>> = {
  "failed messages of a site": (db) => failedMessages(db, site, { skip: 0, limit }),
  "failed messages of all sites": (db) => failedMessages(db, null, { skip: 0, limit }),
  "deliveries of a site": (db) => deliveriesPage(db, { site, limit }),
  "the next page of deliveries": (db) => deliveriesPage(db, { site, after: place, limit }),
  "waiting messages of a site": (db) => waitingMessages(db, site, { skip: 0, limit }),
  "waiting messages of all sites": (db) => waitingMessages(db, null, { skip: 0, limit }),
  "the number of failed messages": countFailed,
  "the series of a month": (db) =>
    samplesInSteps(db, [STEPS.quarterDay, STEPS.hour, STEPS.quarterHour, STEPS.minute], 0, now),
  "the newest reply": newestCallback,
  "recent failures": (db) => failedSince(db, now),
  visitors: (db) => visitorsPage(db, { site, after: place, limit }),
  "visitors whose sessions end": (db) => visitorsInOrder(db, { site, after: place, limit }),
  "conversations to delete": (db) => staleVisitors(db, { site, before: now, after: place }),
  leads: (db) => leadsPage(db, { site, after: place, limit }),
  events: (db) => eventsPage(db, { site, after: place, limit }),
  "events that are due": (db) => dueEvents(findingFirst(db, { site }), now, limit),
  "failed events": (db) => eventsPage(db, { site, state: "failed", limit }),
  "an event that waits after several tries": (db) => troubledEvent(db, site, 2),
  ratings: (db) => ratingsPage(db, { site, after: place, limit }),
  "the blocks of all sites": (db) => allBlocks(db).next(),
  blocks: (db) => blocksPage(db, { site, after: place, limit }),
  mails: (db) => newestMails(db, { sites: [site], skip: 0, limit }),
  "the audit log": (db) => auditPage(db, limit),
  grants: (db) => entriesPage(db, { ...grants, before: place }),
  "grants of a state": (db) => entriesPage(db, { ...grants, state: "unknown" }),
  "recharges without a decision": (db) => undecidedEntries(db, { ...grants, now }),
  "grants that are due": (db) => claimableEntries(db, { ...grants, ordered: false, now }),
  "sent messages that are due": (db) => claimableEntries(db, { ...grants, kind: "send", ordered: true, now }),
  "accounts with a call under way": (db) => accountsCalling(db, "grant", "node"),
  "entries in each state": (db) => countStates(db, "grant"),
};

/** Reads that sort the few rows that they find. */
const SORTING: typeof READS = {
  "messages by a former messageSid": (db) => messagesFormerly(findingFirst(db, { visitor: "v" }), "pl_1", "m"),
  "entries that need a person": (db) => stuckEntries(db, { kind: "grant", now, limit: 1 }),
};

let sqlite: Database;
const schema = new DatabaseSync(":memory:");
beforeAll(async () => {
  sqlite = openSqlite(":memory:");
  await migrate(sqlite);
  const made = await sqlite.all<{ sql: string }>("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL");
  for (const { sql } of made) schema.exec(sql);
});
afterAll(() => sqlite.close());

/** SQLite's plan of each statement of a read. */
async function plansOf(read: (db: Database) => Promise<unknown>): Promise<string[]> {
  const plans: string[] = [];
  const all = async <Row>(sql: string, ..._: Value[]): Promise<Row[]> => {
    const steps = schema.prepare(`EXPLAIN QUERY PLAN ${sql.replace(/\$(\d+)/g, "?$1")}`).all();
    plans.push(...steps.map(({ detail }) => String(detail)));
    return [];
  };
  const each = async <Row>(sql: string): Promise<(Row | undefined)[]> => all<Row>(sql);
  await read({ ...sqlite, all, each });
  expect(plans).not.toEqual([]);
  return plans;
}

/**
 * Whether a whole table is read. The audit log's index gives its rows in order, and the relay stops reading after a page. The
 * sites with waiting events (`w`, `waiting`) are the rows that the statement itself has found.
 */
const readsAll = (plan: string): boolean => /^SCAN (?!audit USING INDEX|(stuck|w|waiting)$)|^SEARCH \w+$/.test(plan);
/** Whether all rows are sorted before the first one is known. */
const sortsAll = (plan: string): boolean => /^USE TEMP B-TREE FOR (ORDER BY|DISTINCT)/.test(plan);

const PAGED = ["visitors", "leads", "events", "ratings", "blocks", "mails", "grants", "the next page of deliveries"];
it.each(PAGED)("begins a page of %s at its place", async (name) => {
  const [first] = await plansOf(READS[name] as (db: Database) => Promise<unknown>);
  expect(first).toMatch(/[<>]\(?\?/);
});

it.each(Object.entries(READS))("reads %s by an index", async (_, read) => {
  const plans = await plansOf(read);
  expect(plans.filter((plan) => readsAll(plan) || sortsAll(plan))).toEqual([]);
});

it.each(Object.entries(SORTING))("reads %s by an index, and sorts them", async (_, read) => {
  expect((await plansOf(read)).filter(readsAll)).toEqual([]);
});

const DRAFT = { visitor: "v", id: "m", text: "hello", at: now, sid: "pl_1" };
it.each([
  ["a repeated message", "messages_id", (db: Database) => appendSent(db, createNumbers([]), [DRAFT])],
  ["a failed message", "messages_id", (db: Database) => findSent(db, "v", "m")],
  ["a reply with a reaction", "messages_reacted", (db: Database) => findReply(db, "v", "r")],
])("finds %s by its id, without reading the thread", async (_, index, read) => {
  expect((await plansOf(read)).join()).toContain(`INDEX ${index} (visitor=? AND id=?)`);
});

it("sums the files of a visitor, but not those of a site", async () => {
  const plans = await plansOf((db) => storedBytes(db, { visitor: "v", site }));
  expect(plans.filter((plan) => /\bmedia\b/.test(plan))).toEqual([expect.stringContaining("(visitor=?)")]);
});
