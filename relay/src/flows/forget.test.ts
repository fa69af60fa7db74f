import { PROTOCOL } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realClock } from "../base/clock.ts";
import { createBus } from "../bus/bus.ts";
import { openTestDatabase } from "../db/database.fixture.ts";
import type { Database, Transaction } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
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

async function stage() {
  const epoch = await migrate(db);
  const site = { account: "main", origins: [ORIGIN], channel: "website", business: "default", campaign: undefined };
  const parts = { db, bus: createBus(), clock: realClock, signing: "signing key", epoch, wake: () => {} };
  const sites = createSites([{ ...site, public: DEFAULT_SITE }], () => []);
  const sessions = createSession({ ...parts, sites, identity: () => undefined, nameOf: async () => undefined });
  const rows = async (): Promise<number> => {
    const tables = ["visitors", "forgotten", "revoked"];
    const counts = await Promise.all(
      tables.map((table) => db.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)),
    );
    return counts.flat().reduce((sum, { n }) => sum + n, 0);
  };
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
      });
      return db.transaction((tx) => work(note(tx)), ...keys);
    },
  };
  return { ...sessions, forget: createForget({ ...parts, db: watched }), rows, statements };
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
    const searches = () => statements.filter((sql) => sql.includes("LIKE")).length;
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
