import { CLOSE, type Ending } from "@porchlight/shared/close";
import { PROTOCOL } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, describe, expect, it } from "vitest";
import { type Clock, realClock } from "../base/clock.ts";
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
import type { Connection, Line } from "./live.ts";

/** A bus that loses every hint, as one between nodes may. */
const deaf: Bus = { publish: () => {}, subscribe: () => () => {} };
const ORIGIN = "https://shop.example";

let db: Database;
afterEach(() => db.close());

/** A visitor who is there and hears nothing but the heartbeat. */
async function enter(clock: Clock = realClock, more: Partial<Line> = {}) {
  db = openSqlite(":memory:");
  const epoch = await migrate(db);
  const site = { account: "main", origins: [ORIGIN], channel: "website", business: "default", campaign: undefined };
  const sites = createSites([{ ...site, public: DEFAULT_SITE }], () => []);
  const wake = (): void => {};
  const parts = { db, bus: deaf, clock, signing: "signing key", epoch, sites };
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
  const line = { send: () => {}, close: (ending: Ending) => void ended.push(ending), buffered: () => 0, ...more };
  const connection: Connection = connections.accept(line, ORIGIN, "address");
  async function says(frame: object): Promise<void> {
    connections.receive(connection, JSON.stringify(frame));
    await connection.turn;
  }
  await says({ t: "hello", v: PROTOCOL, site: "default" });
  if (clock !== realClock) connections.start();
  return { ...known, ended, alive: () => connections.alive(connection), beat: () => says({ t: "ping" }) };
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

describe("a client of whom nothing is heard", () => {
  /** Time that passes a second at a time, with the sweep at each. */
  function virtual() {
    let time = 0;
    let sweep = (): void => {};
    const clock: Clock = {
      now: () => time,
      uptime: () => time,
      after(_ms, fn) {
        sweep = fn;
        return () => {};
      },
    };
    const pass = (seconds: number): void => {
      for (let n = 0; n < seconds; n++) {
        time += 1_000;
        sweep();
      }
    };
    return { clock, pass };
  }

  it("is let go after two silent intervals, not before", async () => {
    const { clock, pass } = virtual();
    let asked = 0;
    const { ended, beat } = await enter(clock, { ping: () => void asked++ });
    pass(49);
    expect([asked, ended]).toEqual([2, []]);
    pass(26);
    expect([asked, ended]).toEqual([2, [CLOSE.overload]]);
    await beat();
  });

  it("stays while it answers, or says something, and where the transport asks for nothing", async () => {
    const answers = virtual();
    const one = await enter(answers.clock, { ping: () => one.alive() });
    answers.pass(300);
    await one.beat();
    expect(one.ended).toEqual([]);
    db.close();
    const speaks = virtual();
    const two = await enter(speaks.clock, { ping: () => {} });
    for (let n = 0; n < 8; n++) {
      speaks.pass(40);
      await two.beat();
    }
    expect(two.ended).toEqual([]);
    db.close();
    const polls = virtual();
    const three = await enter(polls.clock);
    polls.pass(300);
    await three.beat();
    expect(three.ended).toEqual([]);
  });
});
