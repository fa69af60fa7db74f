import { PROTOCOL } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realClock } from "../base/clock.ts";
import { createBus } from "../bus/bus.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database, Transaction } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { beginRequest, endRequest } from "../records/requests.ts";
import { createSites } from "../records/sites.ts";
import { addVisitor } from "../records/visitors.ts";
import { createForget } from "./forget.ts";
import { createSession, type Opened } from "./session/session.ts";

const ORIGIN = "https://shop.example";
const HELLO = { t: "hello", v: PROTOCOL, site: "default" } as const;

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
});
afterEach(() => db.close());

/** @param person who signs in, when a `hello` carries an identity */
async function stage(person?: string) {
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
  /** Statements of the last deletion. */
  const statements: string[] = [];
  const watched: Database = {
    ...db,
    transaction(work, ...keys) {
      statements.length = 0;
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
  return { ...sessions, forget: createForget({ ...parts, db: watched }), rows, remembered, statements };
}

describe("a visitor who connects and leaves without writing", () => {
  it("leaves no row behind, whether they delete the chat or log out", async () => {
    const { open, forget, logout, rows } = await stage();
    for (let n = 0; n < 50; n++) {
      const { visitor, session } = (await open(HELLO, ORIGIN)) as Opened;
      await (n % 2 === 0 ? forget(visitor) : logout(visitor, session));
    }
    expect(await rows()).toBe(0);
  });

  it("causes no search of the stored answers, which takes time, when they delete the chat (A27)", async () => {
    const { open, forget, statements } = await stage();
    const searches = () => statements.filter((sql) => sql.includes("FROM requests")).length;
    const { visitor } = (await open(HELLO, ORIGIN)) as Opened;
    await forget(visitor);
    expect(searches()).toBe(0);
    await db.transaction((tx) => addVisitor(tx, visitor, "default", 1));
    await forget(visitor);
    expect(searches()).toBeGreaterThan(0);
  });

  it("is remembered as deleted or logged out only if they had written", async () => {
    const { open, forget, logout, rows } = await stage();
    for (const leave of [(visitor: string) => forget(visitor), logout]) {
      const { visitor, session } = (await open(HELLO, ORIGIN)) as Opened;
      await db.transaction((tx) => addVisitor(tx, visitor, "default", 1));
      await leave(visitor, session);
    }
    expect(await rows()).toBe(3);
  });
});

describe("a person who signs in with another anonymous session each time", () => {
  it("leaves no row behind that stays, if nothing was written in those sessions (A27)", async () => {
    const { open, remembered } = await stage("somebody");
    for (let n = 0; n < 50; n++) {
      const { welcome } = (await open(HELLO, ORIGIN)) as Opened;
      const hello = { ...HELLO, token: welcome.token ?? "", identity: "signed" };
      expect(await open(hello, ORIGIN)).toHaveProperty("visitor");
      // The browser's other tabs cannot use the anonymous session any more.
      expect(await open({ ...HELLO, token: welcome.token ?? "" }, ORIGIN)).toHaveProperty("code", 4401);
    }
    expect(await remembered()).toBe(0);
  });

  it("is deleted with one search of the stored answers, however many sessions they wrote in (A27)", async () => {
    const { open, forget, remembered, statements } = await stage("somebody");
    let user = "";
    const former: string[] = [];
    for (let n = 0; n < 30; n++) {
      const { visitor, welcome } = (await open(HELLO, ORIGIN)) as Opened;
      await db.transaction((tx) => addVisitor(tx, visitor, "default", 1));
      former.push(visitor);
      user = ((await open({ ...HELLO, token: welcome.token ?? "", identity: "signed" }, ORIGIN)) as Opened).visitor;
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
    expect(statements.filter((sql) => sql.includes("requests")).length).toBeLessThan(5);
    const left = await db.all<{ key: string }>("SELECT key FROM requests");
    expect(left.filter(({ key }) => !/^(other|erasure) /.test(key))).toEqual([]);
    expect(left).toHaveLength(600 + 31);
  });
});
