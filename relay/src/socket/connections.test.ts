import { CLOSE, type Ending } from "@porchlight/shared/close";
import { PROTOCOL } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Clock, realClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { type Bus, createBus } from "../bus/bus.ts";
import { withPresence } from "../bus/presence.ts";
import type { Database } from "../db/database.ts";
import { migrate } from "../db/migrate.ts";
import { openSqlite } from "../db/sqlite.ts";
import { createSession } from "../flows/session/session.ts";
import { revoke } from "../records/sessions.ts";
import { createSites } from "../records/sites.ts";
import { addUser, addVisitor, findVisitor, forgetVisitor, replaceByUser, type Visitor } from "../records/visitors.ts";
import type { Connection, Transport } from "./connection.ts";
import { createConnections } from "./connections.ts";

/** A bus that loses every hint, as a bus between nodes may. */
const silentBus: Bus = { publish: () => {}, subscribe: () => () => {} };
const ORIGIN = "https://shop.example";

let db: Database;
afterEach(() => db.close());

/** A connected visitor. Without a bus, only the heartbeat brings news. */
async function enter(clock: Clock = realClock, more: Partial<Transport> = {}, bus: Bus = silentBus) {
  db = openSqlite(":memory:");
  const epoch = await migrate(db);
  const site = { account: "main", origins: [ORIGIN], channel: "website", business: "default", campaign: undefined };
  const sites = createSites([{ ...site, public: DEFAULT_SITE }], () => []);
  const wake = (): void => {};
  const parts = { db, bus, clock, signing: "signing key", epoch, sites };
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
    handleFrame: async (actions, live) => actions.pong(live),
    link: (key) => key,
    delivery: () => "ok",
  });
  const transport = { send: () => {}, close: (ending: Ending) => void ended.push(ending), buffered: () => 0, ...more };
  const connection: Connection = connections.accept(transport, ORIGIN, "address");
  async function says(frame: object): Promise<void> {
    connections.receive(connection, JSON.stringify(frame));
    await connection.handled;
  }
  await says({ t: "hello", v: PROTOCOL, site: "default" });
  if (clock !== realClock) connections.start();
  return { ...known, ended, alive: () => connections.alive(connection), beat: () => says({ t: "ping" }) };
}

describe("a heartbeat finds changes that the bus lost", () => {
  it("and does not close the chat of a visitor without a stored row", async () => {
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

  it("a visitor who logged in elsewhere: the chat still exists and belongs to the new session", async () => {
    const { visitor, ended, beat } = await enter();
    await db.transaction(async (tx) => {
      const user = await addUser(tx, "u_somebody", "default", 1);
      await addVisitor(tx, visitor, "default", 1);
      await replaceByUser(tx, (await findVisitor(tx, visitor)) as Visitor, user, 1);
    });
    await beat();
    expect(ended).toEqual([CLOSE.badToken]);
  });

  it("a session that was logged out elsewhere", async () => {
    const { visitor, session, ended, beat } = await enter();
    await db.transaction((tx) => revoke(tx, { session, visitor, expires: 2, now: 1 }));
    await beat();
    expect(ended).toEqual([CLOSE.badToken]);
  });
});

it("tells a client once that the service refused a form, although several nodes publish it", async () => {
  const sent: string[] = [];
  const bus = createBus();
  const { visitor } = await enter(realClock, { send: (text) => void sent.push(text) }, bus);
  const refused = (id: string) => ({ t: "error", code: "invalid_phone", id, field: "phone" }) as const;
  for (const id of ["first", "first", "second"]) bus.publish({ visitor, head: 0, error: refused(id) });
  expect(sent.slice(1).map((text) => JSON.parse(text))).toEqual([refused("first"), refused("second")]);
});

describe("a silent client", () => {
  /** Time that passes one second at a time, with a sweep each. */
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
    /**
     * Advances the time.
     * @param step seconds from one sweep to the next
     */
    const pass = async (seconds: number, step = 1): Promise<void> => {
      for (let n = 0; n < seconds; n += step) {
        time += step * 1_000;
        sweep();
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    return { clock, pass };
  }

  it("is disconnected when it does not answer a ping for a whole interval, and not before", async () => {
    const { clock, pass } = virtual();
    let pings = 0;
    const { ended } = await enter(clock, { sendHeartbeat: (_, ping) => void (ping && pings++) });
    await pass(25);
    expect([pings, ended]).toEqual([1, []]);
    await pass(25);
    expect([pings, ended]).toEqual([1, [CLOSE.overload]]);
  });

  it("is pinged and disconnected one interval later, also while bytes wait for it unread", async () => {
    const { clock, pass } = virtual();
    let pings = 0;
    const { ended } = await enter(clock, { buffered: () => 1_000, sendHeartbeat: (_, ping) => void (ping && pings++) });
    await pass(50);
    expect([pings, ended]).toEqual([1, []]);
    await pass(25);
    expect([pings, ended]).toEqual([1, [CLOSE.overload]]);
  });

  it("is pinged again when the relay itself was paused, because its answer may still be unread", async () => {
    const { clock, pass } = virtual();
    let pings = 0;
    const { ended } = await enter(clock, { sendHeartbeat: (_, ping) => void (ping && pings++) });
    await pass(25);
    await pass(25, 25);
    expect([pings, ended]).toEqual([1, []]);
    await pass(25);
    expect(ended).toEqual([CLOSE.overload]);
  });

  it("is not pinged by a heartbeat that waited long for the database, because the next one would come too soon", async () => {
    const { clock, pass } = virtual();
    const sendHeartbeat = vi.fn();
    const send = vi.fn();
    const { ended } = await enter(clock, { send, sendHeartbeat }, silentBus);
    send.mockClear();
    const { promise: disk, resolve: release } = Promise.withResolvers<void>();
    const anyOf = db.anyOf.bind(db);
    const slow = vi.spyOn(db, "anyOf").mockImplementationOnce((sql, list) => disk.then(() => anyOf(sql, list)));
    while (slow.mock.calls.length === 0) await pass(1);
    await pass(24);
    release();
    await vi.waitFor(() => expect([...send.mock.calls, ...sendHeartbeat.mock.calls]).toHaveLength(1));
    await pass(1);
    const pings = () => sendHeartbeat.mock.calls.filter(([, ping]) => ping).length;
    expect([pings(), ended]).toEqual([0, []]);
    await pass(25);
    expect([pings(), ended]).toEqual([1, []]);
  });

  it("is looked up at every heartbeat if the bus may lose news, else at every 16th one", async () => {
    const looksWith = async (bus: Bus): Promise<number> => {
      const { clock, pass } = virtual();
      const client = await enter(clock, { sendHeartbeat: (_, ping) => void (ping && client.alive()) }, bus);
      const looks = vi.spyOn(db, "anyOf");
      await pass(800);
      expect(client.ended).toEqual([]);
      // Each look reads the head of the thread, ended sessions, and deleted visitors, because this visitor has no row.
      return looks.mock.calls.length / 3;
    };
    expect(await looksWith(silentBus)).toBe(32);
    expect(await looksWith(withPresence(createBus(), realClock))).toBe(2);
  });

  it("stays connected while the database does not answer, with heartbeats from memory", async () => {
    const { clock, pass } = virtual();
    const texts: string[] = [];
    const client = await enter(clock, {
      sendHeartbeat(text) {
        texts.push(text);
        client.alive();
      },
    });
    vi.spyOn(db, "anyOf").mockRejectedValue(new Error("connect ECONNREFUSED"));
    await pass(75);
    await client.beat();
    expect([client.ended, texts]).toEqual([[], Array(3).fill('{"t":"pong","head":0}')]);
  });

  it("is disconnected when its heartbeat fails, whether or not the heartbeat reads the database", async () => {
    const sendHeartbeat = (): void => {
      throw new Error("broken transport");
    };
    for (const bus of [silentBus, createBus()]) {
      const { clock, pass } = virtual();
      const { ended } = await enter(clock, { sendHeartbeat }, bus);
      await pass(25);
      expect(ended).toEqual([CLOSE.internal]);
    }
  });

  it("stays connected while it answers", async () => {
    const { clock, pass } = virtual();
    let pings = 0;
    let texts = 0;
    const client = await enter(clock, {
      sendHeartbeat(_, ping) {
        texts++;
        if (!ping) return;
        pings++;
        client.alive();
      },
    });
    await pass(300);
    expect(client.ended).toEqual([]);
    expect([pings, texts]).toEqual([6, 12]);
  });

  it("stays connected while it sends anything", async () => {
    const { clock, pass } = virtual();
    const { ended, beat } = await enter(clock, { sendHeartbeat: () => {} });
    for (let n = 0; n < 15; n++) {
      await pass(20);
      await beat();
    }
    expect(ended).toEqual([]);
  });

  it("stays connected where the transport detects dead clients by itself", async () => {
    const { clock, pass } = virtual();
    const { ended } = await enter(clock);
    await pass(300);
    expect(ended).toEqual([]);
  });
});
