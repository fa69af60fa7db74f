import { CLOSE, type Ending } from "@porchlight/shared/close";
import { PROTOCOL } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, describe, expect, it } from "vitest";
import { realClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import type { Bus } from "../bus/bus.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { openSqlite } from "../db/sqlite.ts";
import { createSession } from "../flows/session.ts";
import { revoke } from "../records/sessions.ts";
import { createSites } from "../records/sites.ts";
import { addUser, findVisitor, forgetVisitor, succeed } from "../records/visitors.ts";
import { createConnections } from "./connections.ts";
import type { Connection } from "./live.ts";

/** A bus that loses every hint, as one between nodes may. */
const deaf: Bus = { publish: () => {}, subscribe: () => () => {} };
const ORIGIN = "https://shop.example";

let db: Database;
afterEach(() => db.close());

/** A visitor who is there and hears nothing but the heartbeat. */
async function enter() {
  db = openSqlite(":memory:");
  const epoch = await migrate(db);
  const site = { account: "main", origins: [ORIGIN], channel: "website", business: "default", campaign: undefined };
  const sites = createSites([{ ...site, public: DEFAULT_SITE }], () => []);
  const wake = (): void => {};
  const parts = { db, bus: deaf, clock: realClock, signing: "signing key", epoch, sites };
  const sessions = createSession({ ...parts, identity: () => undefined, nameOf: async () => undefined, wake });
  let known = { visitor: "", session: "" };
  const ended: Ending[] = [];
  const connections = createConnections({
    ...parts,
    log: silentLog,
    async open(hello, origin) {
      const opened = await sessions.open(hello, origin);
      if ("visitor" in opened) known = opened;
      return opened;
    },
    take: async (desk, connection, live) => desk.beat(connection, live),
    link: (key) => key,
    delivery: () => "ok",
  });
  const line = { send: () => {}, close: (ending: Ending) => void ended.push(ending), buffered: () => 0 };
  const connection: Connection = connections.accept(line, ORIGIN, "address");
  async function says(frame: object): Promise<void> {
    connections.receive(connection, JSON.stringify(frame));
    await connection.turn;
  }
  await says({ t: "hello", v: PROTOCOL, site: "default" });
  return { ...known, ended, beat: () => says({ t: "ping" }) };
}

describe("a heartbeat finds what the bus lost", () => {
  it("and leaves a visitor alone of whom nothing was written yet", async () => {
    const { ended, beat } = await enter();
    await beat();
    expect(ended).toEqual([]);
  });

  it("a chat that was deleted elsewhere", async () => {
    const { visitor, ended, beat } = await enter();
    await db.transaction((tx) => forgetVisitor(tx, visitor, 1));
    await beat();
    expect(ended).toEqual([CLOSE.gone]);
  });

  it("a visitor who logged in elsewhere: the chat is not gone, it belongs to a session of theirs", async () => {
    const { visitor, ended, beat } = await enter();
    await db.transaction(async (tx) => {
      const user = await addUser(tx, "u_somebody", "default", 1);
      await succeed(tx, await findVisitor(tx, visitor), visitor, user, 1);
    });
    await beat();
    expect(ended).toEqual([CLOSE.badToken]);
  });

  it("a session that was logged out elsewhere", async () => {
    const { session, ended, beat } = await enter();
    await db.transaction((tx) => revoke(tx, session, 2, 1));
    await beat();
    expect(ended).toEqual([CLOSE.badToken]);
  });
});
