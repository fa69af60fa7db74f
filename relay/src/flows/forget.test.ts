import { PROTOCOL } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realClock } from "../base/clock.ts";
import { createBus } from "../bus/bus.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database, Transaction } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { unfinishedDeletions } from "../records/deletions.ts";
import { setDetails } from "../records/details.ts";
import { beginRequest, endRequest } from "../records/requests.ts";
import { createSites } from "../records/sites.ts";
import { addUser, addVisitor, findVisitor } from "../records/visitors.ts";
import { createForget } from "./forget.ts";
import {
  addLongOutbox,
  addLongThread,
  countRows,
  interceptCommits,
  LONG_THREAD,
  MESSAGES,
  writeAgain,
} from "./long-thread.fixture.ts";
import { createSession, type OpenedSession } from "./session/session.ts";

const ORIGIN = "https://shop.example";
const HELLO = { t: "hello", v: PROTOCOL, site: "default" } as const;

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

/** @param person who signs in, when a `hello` carries an identity */
async function setUp(person?: string) {
  const epoch = await migrate(db);
  const site = { account: "main", origins: [ORIGIN], channel: "website", business: "default", campaign: undefined };
  const parts = { db, bus: createBus(), clock: realClock, signing: "signing key", epoch, wake: () => {} };
  const sites = createSites([{ ...site, public: DEFAULT_SITE }], () => []);
  const sessions = createSession({
    ...parts,
    sites,
    identity: () => (person === undefined ? undefined : async () => ({ subject: person, claims: {} })),
    nameOf: async () => undefined,
  });
  const rows = async (): Promise<number> => {
    const tables = ["visitors", "forgotten", "revoked"];
    const counts = await Promise.all(
      tables.map((table) => db.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)),
    );
    return counts.flat().reduce((sum, { n }) => sum + n, 0);
  };
  const remembered = async (): Promise<number> => (await db.all("SELECT 1 FROM forgotten")).length;
  /** Statements of the deletions. `reads`: those outside of transactions. */
  const statements: string[] = [];
  const reads: string[] = [];
  const watched: Database = {
    ...db,
    all(sql, ...values) {
      statements.push(sql);
      reads.push(sql);
      return db.all(sql, ...values);
    },
    transaction(work, ...keys) {
      const note = (tx: Transaction): Transaction => ({
        ...tx,
        run(sql, ...values) {
          statements.push(sql);
          return tx.run(sql, ...values);
        },
        all(sql, ...values) {
          statements.push(sql);
          return tx.all(sql, ...values);
        },
      });
      return db.transaction((tx) => work(note(tx)), ...keys);
    },
  };
  return { ...sessions, forget: createForget({ ...parts, db: watched }), rows, remembered, statements, reads };
}

describe("a visitor who connects and leaves without writing", () => {
  it("leaves no row behind, whether they delete the chat or log out", async () => {
    const { open, forget, logout, rows } = await setUp();
    for (let n = 0; n < 50; n++) {
      const { visitor, session } = (await open(HELLO, ORIGIN)) as OpenedSession;
      await (n % 2 === 0 ? forget(visitor) : logout(visitor, session));
    }
    expect(await rows()).toBe(0);
  });

  it("causes no search of the stored answers, which takes time, when they delete the chat (A27)", async () => {
    const { open, forget, statements } = await setUp();
    const searches = () => statements.filter((sql) => sql.includes("FROM requests")).length;
    const { visitor } = (await open(HELLO, ORIGIN)) as OpenedSession;
    await forget(visitor);
    expect(searches()).toBe(0);
    await db.transaction((tx) => addVisitor(tx, visitor, "default", 1));
    await forget(visitor);
    expect(searches()).toBeGreaterThan(0);
  });

  it("is remembered as deleted or logged out only if they had written", async () => {
    const { open, forget, logout, rows } = await setUp();
    for (const leave of [(visitor: string) => forget(visitor), logout]) {
      const { visitor, session } = (await open(HELLO, ORIGIN)) as OpenedSession;
      await db.transaction((tx) => addVisitor(tx, visitor, "default", 1));
      await leave(visitor, session);
    }
    expect(await rows()).toBe(3);
  });
});

describe("a person who signs in with another anonymous session each time", () => {
  it("leaves no permanent row behind, if nothing was written in those sessions (A27)", async () => {
    const { open, remembered } = await setUp("somebody");
    for (let n = 0; n < 50; n++) {
      const { welcome } = (await open(HELLO, ORIGIN)) as OpenedSession;
      const hello = { ...HELLO, token: welcome.token ?? "", identity: "signed" };
      expect(await open(hello, ORIGIN)).toHaveProperty("visitor");
      // The browser's other tabs cannot use the anonymous session any more.
      expect(await open({ ...HELLO, token: welcome.token ?? "" }, ORIGIN)).toHaveProperty("code", 4401);
    }
    expect(await remembered()).toBe(0);
  });

  it("is deleted with one search of the stored answers, however many sessions they wrote in (A27)", async () => {
    const { open, forget, remembered, statements, reads } = await setUp("somebody");
    let user = "";
    const former: string[] = [];
    for (let n = 0; n < 30; n++) {
      const { visitor, welcome } = (await open(HELLO, ORIGIN)) as OpenedSession;
      await db.transaction((tx) => addVisitor(tx, visitor, "default", 1));
      former.push(visitor);
      user = ((await open({ ...HELLO, token: welcome.token ?? "", identity: "signed" }, ORIGIN)) as OpenedSession)
        .visitor;
    }
    expect(await remembered()).toBe(30);
    const store = async (key: string, path: string, body: object): Promise<void> => {
      await beginRequest(db, { token: "t", key, digest: key, path, now: 1 });
      await endRequest(db, { token: "t", key }, { status: 200, body: JSON.stringify(body) });
    };
    for (const [i, id] of [user, ...former].entries()) {
      await store(`of ${i}`, `/visitors/${id}/messages`, { id: "m" });
      await store(`about ${i}`, "/messages", { to: id });
      await store(`erasure ${i}`, `/visitors/${id}`, {});
    }
    for (let n = 0; n < 600; n++) await store(`other ${n}`, `/visitors/v_${n}/messages`, { to: `v_${n}` });
    await forget(user);
    // One search of 693 answers, in slices of 200, and one of the newest answers.
    expect(reads.filter((sql) => sql.includes("requests"))).toHaveLength(4);
    expect(statements.filter((sql) => sql.includes("requests WHERE at >="))).toHaveLength(1);
    const left = await db.all<{ key: string }>("SELECT key FROM requests");
    expect(left.filter(({ key }) => !/^(other|erasure) /.test(key))).toEqual([]);
    expect(left).toHaveLength(600 + 31);
  });
});

describe("the search of the stored answers for a deletion (A27)", () => {
  const REQUEST = { token: "t", digest: "d", now: 1 };
  const store = async (key: string, body: object, path = "/messages"): Promise<void> => {
    await beginRequest(db, { ...REQUEST, key, path });
    await endRequest(db, { token: "t", key }, { status: 200, body: JSON.stringify(body) });
  };

  it("lets others work between two slices, however many answers and deletions there are", async () => {
    const { open, forget, reads } = await setUp();
    for (let n = 0; n < 1_000; n++) await store(`other ${n}`, { to: `v_${n}` });
    const visitors: string[] = [];
    for (let n = 0; n < 5; n++) {
      const { visitor } = (await open(HELLO, ORIGIN)) as OpenedSession;
      await db.transaction((tx) => addVisitor(tx, visitor, "default", 1));
      visitors.push(visitor);
    }
    let most = 0;
    let done = false;
    const searches = (): number => reads.filter((sql) => sql.includes("requests")).length;
    const watch = (before: number): void => {
      most = Math.max(most, searches() - before);
      if (!done) setImmediate(watch, searches());
    };
    watch(0);
    await Promise.all(visitors.map((visitor) => forget(visitor)));
    done = true;
    expect([searches(), most]).toEqual([5 * 6, 1]);
  });

  it("finds the answers to requests that were under way when it began", async () => {
    const { open, forget } = await setUp();
    const { visitor } = (await open(HELLO, ORIGIN)) as OpenedSession;
    await db.transaction((tx) => addVisitor(tx, visitor, "default", 1));
    for (let n = 0; n < 250; n++) await store(`other ${n}`, { to: `v_${n}` });
    // The first answers in the order of the search.
    const late = { token: "a", key: "late" };
    await beginRequest(db, { ...late, digest: "d", path: "/messages", now: Date.now() });
    const deletion = forget(visitor);
    await new Promise((resolve) => setImmediate(resolve));
    await endRequest(db, late, { status: 200, body: JSON.stringify({ to: visitor }) });
    await deletion;
    expect(await db.all("SELECT key FROM requests WHERE key = 'late'")).toEqual([]);
  });

  it("is repeated for a name that the visitor gets meanwhile", async () => {
    const { open, forget } = await setUp();
    const { visitor } = (await open(HELLO, ORIGIN)) as OpenedSession;
    await db.transaction((tx) => addVisitor(tx, visitor, "default", 1));
    await store("a", { email: "ada@shop.example" });
    for (let n = 0; n < 250; n++) await store(`other ${n}`, { to: `v_${n}` });
    const deletion = forget(visitor);
    await new Promise((resolve) => setImmediate(resolve));
    await db.transaction((tx) => setDetails(tx, visitor, { email: "ada@shop.example" }, { signed: false }));
    await deletion;
    expect(await db.all("SELECT key FROM requests WHERE key = 'a'")).toEqual([]);
  });
});

describe("the deletion of a thread with many messages (A27)", () => {
  const PARTS = { bus: createBus(), clock: realClock };

  it("takes many short transactions, between which messages of others are stored", async () => {
    await migrate(db);
    await addLongThread(db);
    await addLongOutbox(db);
    const deleted: number[] = [];
    let before = await countRows(db);
    const counted = interceptCommits(db, async () => {
      const left = await countRows(db);
      deleted.push(before - left);
      before = left;
    });
    expect(await createForget({ ...PARTS, db: counted })(LONG_THREAD)).toBe(true);
    expect(Math.max(...deleted)).toBeLessThanOrEqual(500);
    expect(await countRows(db)).toBe(0);
    expect(await unfinishedDeletions(db)).toEqual([]);
  });

  it("stops as soon as an old visitor writes again, and does not go on later", async () => {
    await migrate(db);
    await addLongThread(db);
    const written = interceptCommits(db, async (commit) => {
      if (commit === 2) await writeAgain(db, 2_000);
    });
    expect(await createForget({ ...PARTS, db: written })(LONG_THREAD, { staleBefore: 100 })).toBe(false);
    expect(await countRows(db)).toBe(MESSAGES + 1 - 500);
    expect(await unfinishedDeletions(db)).toEqual([]);
  });

  it("does not delete a person who returned after another call had ended the deletion", async () => {
    await migrate(db);
    await addLongThread(db);
    const overtaken = interceptCommits(db, async (commit) => {
      if (commit > 1) return;
      await createForget({ ...PARTS, db })(LONG_THREAD);
      await db.transaction((tx) => addUser(tx, LONG_THREAD, "default", 2));
    });
    expect(await createForget({ ...PARTS, db: overtaken })(LONG_THREAD)).toBe(false);
    expect(await findVisitor(db, LONG_THREAD)).toMatchObject({ generation: 2 });
  });
});
