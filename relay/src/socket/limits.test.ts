import { CLOSE, type Ending } from "@porchlight/shared/close";
import { HELLO_MAX, HELLO_MS } from "@porchlight/shared/limits";
import { type History, type Message, PROTOCOL, type RelayFrame } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { describe, expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { silentLog } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import type { OpenedSession, Sessions } from "../flows/session/session.ts";
import type { FrameHandler } from "./connection.ts";
import { createConnections } from "./connections.ts";

const site = { account: "main", origins: [], channel: "c", business: "default", campaign: undefined } as const;
const HELLO = JSON.stringify({ t: "hello", v: PROTOCOL, site: "default" });
const PING = JSON.stringify({ t: "ping" });
const MIB = 1024 * 1024;

const WELCOME: OpenedSession["welcome"] = {
  t: "welcome",
  v: PROTOCOL,
  now: 0,
  epoch: "e",
  after: 0,
  head: 0,
  reset: true,
  older: false,
  read: 0,
};

/** The session that every client gets. */
const OPENED = {
  visitor: "v",
  site: { ...site, public: DEFAULT_SITE },
  session: "s",
  fresh: true,
  welcome: WELCOME,
  formError: undefined,
};

/** Connections whose clients read nothing, so sent frames wait. */
function setup({ handleFrame = async () => {} }: { handleFrame?: FrameHandler } = {}) {
  const clock = manualClock();
  const connections = createConnections({
    db: { all: async () => [], anyOf: async () => [] } as unknown as Database,
    bus: { publish: () => {}, subscribe: () => () => {} },
    clock,
    log: silentLog,
    open: (async () => OPENED) as unknown as Sessions["open"],
    handleFrame,
    link: (key) => key,
    delivery: () => "ok",
    random: () => 1,
  });
  connections.start();
  function connect() {
    let waiting = 0;
    const ended: Ending[] = [];
    const transport = {
      send: (text: string) => {
        waiting += text.length;
      },
      close: (ending: Ending) => void ended.push(ending),
      buffered: () => waiting,
    };
    const connection = connections.accept(transport, "https://shop.example", "192.0.2.1");
    const say = async (text: string): Promise<void> => {
      connections.receive(connection, text);
      await connection.handled;
    };
    return { connection, ended, say, waiting: () => waiting };
  }
  return { connections, connect, pass: clock.passEach };
}

/** A frame of about a megabyte, as a page of history may be. */
const long: History = {
  t: "history",
  before: 1,
  older: false,
  messages: [{ id: "r", pos: 1, n: 1, at: 0, from: "reply", text: "x".repeat(MIB) }],
};

describe("a client that has not sent hello", () => {
  it("has a deadline that traffic does not extend", async () => {
    const { connect, pass } = setup();
    const { connection, ended } = connect();
    pass(HELLO_MS - 1);
    expect([connection.phase.name, ended]).toEqual(["greeting", []]);
    pass(1);
    expect(ended).toEqual([CLOSE.noHello]);
  });

  it("has no deadline any more once its hello waits for a slot", async () => {
    const { connections, connect, pass } = setup();
    const clients = Array.from({ length: 50 }, connect);
    for (const { connection } of clients) connections.receive(connection, HELLO);
    // The hellos are parsed after this task, and answered in several ticks of the event loop.
    await Promise.resolve().then(() => Promise.resolve());
    expect(clients.some(({ connection }) => connection.phase.name === "greeting")).toBe(true);
    pass(HELLO_MS);
    await Promise.all(clients.map(({ connection }) => connection.handled));
    expect(clients.flatMap(({ ended }) => ended)).toEqual([]);
  });

  it("may send a limited number of bytes, however they are split into frames", async () => {
    const { connections, connect } = setup();
    const { connection, ended } = connect();
    // The hello waits for its slot meanwhile. Without it, the first of these frames would end the connection already.
    connections.receive(connection, HELLO);
    for (let said = 0; said < HELLO_MAX; said += 100) connections.receive(connection, " ".repeat(100));
    connections.receive(connection, " ".repeat(100));
    expect(ended).toEqual([CLOSE.noHello]);
  });
});

describe("a connected client", () => {
  it("may have at most 64 waiting frames", async () => {
    let finish = (): void => {};
    const stuck = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { connections, connect } = setup({ handleFrame: () => stuck });
    const { connection, ended, say } = connect();
    await say(HELLO);
    for (let n = 0; n < 64; n++) connections.receive(connection, PING);
    expect(ended).toEqual([]);
    connections.receive(connection, PING);
    expect(ended).toEqual([CLOSE.overload]);
    finish();
  });

  it("may have at most 256 thousand waiting characters, however few the frames", async () => {
    const { connections, connect } = setup({ handleFrame: () => new Promise(() => {}) });
    const { connection, ended, say } = connect();
    await say(HELLO);
    for (let n = 0; n < 8; n++) connections.receive(connection, " ".repeat(32 * 1024));
    expect(ended).toEqual([]);
    connections.receive(connection, " ".repeat(32 * 1024));
    expect(ended).toEqual([CLOSE.overload]);
  });

  it("is disconnected if it lets most wait while the frames of all take too much memory, and nothing of it is kept (A28)", async () => {
    const { connections, connect } = setup({ handleFrame: () => new Promise(() => {}) });
    const [honest, ...flood] = await Promise.all(
      Array.from({ length: 151 }, async () => {
        const one = connect();
        await one.say(HELLO);
        connections.receive(one.connection, PING);
        return one;
      }),
    );
    for (const { connection } of flood)
      for (let n = 0; n < 7; n++) connections.receive(connection, " ".repeat(32 * 1024));
    const ended = flood.filter(({ ended: [ending] }) => ending === CLOSE.overload);
    const kept = flood.flatMap(({ connection }) => connection.queue).reduce((sum, text) => sum + text.length, 0);
    expect(kept).toBeLessThanOrEqual(32 * MIB);
    expect(ended.length).toBeGreaterThan(50);
    expect(ended.flatMap(({ connection }) => connection.queue)).toEqual([]);
    expect(honest?.ended).toEqual([]);
  });

  it("is greeted before handshakes of its address that have not begun, so that few are half open at a time (A28)", async () => {
    const { connections, connect } = setup();
    const order: string[] = [];
    const { connection, say } = connect();
    for (let n = 0; n < 100; n++) void connections.slot("192.0.2.1", () => false).then(() => order.push("handshake"));
    await say(HELLO);
    order.push(connection.phase.name);
    expect(order.indexOf("live")).toBeLessThan(30);
  });

  it("has one of its frames handled per tick of the event loop, so that other clients are not delayed (A28)", async () => {
    let handled = 0;
    const handleFrame = async (): Promise<void> => void handled++;
    const { connections, connect } = setup({ handleFrame });
    const { connection, say } = connect();
    await say(HELLO);
    for (let n = 0; n < 60; n++) connections.receive(connection, PING);
    for (let tick = 0; tick < 3; tick++) await new Promise((resolve) => setImmediate(resolve));
    expect(handled).toBeLessThanOrEqual(5);
    await connection.handled;
    expect(handled).toBe(60);
  });

  it("may send a hundred pongs between two pings of the relay", async () => {
    const { connections, connect } = setup();
    const { connection, ended, say } = connect();
    await say(HELLO);
    for (let n = 0; n < 100; n++) connections.alive(connection);
    expect(ended).toEqual([]);
    connections.alive(connection);
    expect(ended).toEqual([CLOSE.overload]);
  });

  it("is disconnected when a megabyte waits unread, whatever it requested (A28)", async () => {
    const { connect } = setup({ handleFrame: async (actions, live) => actions.send(live, long) });
    const { ended, say, waiting } = connect();
    await say(HELLO);
    for (let n = 0; n < 75; n++) await say(PING);
    expect(ended).toEqual([CLOSE.overload]);
    expect(waiting()).toBeLessThan(2.1 * MIB);
  });

  it("shares 32 megabytes with all others: of thousands of clients that read nothing, most are disconnected (A28)", async () => {
    const { connect, pass } = setup({ handleFrame: async (actions, live) => actions.send(live, long) });
    const all = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const one = connect();
        await one.say(HELLO);
        return one;
      }),
    );
    for (const { say } of all) await say(PING);
    // The relay measures what waits once a second.
    pass(1_000);
    const connected = all.filter(({ ended }) => ended.length === 0);
    const held = connected.reduce((sum, { waiting }) => sum + waiting(), 0);
    expect(held).toBeLessThan(34 * MIB);
    const honest = connect();
    await honest.say(HELLO);
    expect(honest.ended).toEqual([]);
  });

  it("is disconnected when it leaves more than its fair share unread; those that leave less stay connected (A28)", async () => {
    const [message] = long.messages;
    let frame: RelayFrame = { ...long, messages: [{ ...message, text: "x" } as Message] };
    const { connect } = setup({ handleFrame: async (actions, live) => actions.send(live, frame) });
    const all = Array.from({ length: 40 }, connect);
    for (const { say } of all) {
      await say(HELLO);
      await say(PING);
      frame = long;
    }
    expect([all[0]?.ended, all.at(-1)?.ended]).toEqual([[], [CLOSE.overload]]);
  });

  it("is disconnected before others if it has been slow for longest, when each of thousands leaves little unread (A28)", async () => {
    const [message] = long.messages;
    const short: RelayFrame = { ...long, messages: [{ ...message, text: "x".repeat(60 * 1024) } as Message] };
    const { connect } = setup({ handleFrame: async (actions, live) => actions.send(live, short) });
    const all = Array.from({ length: 1_500 }, connect);
    for (const { say } of all) {
      await say(HELLO);
      await say(PING);
    }
    const connected = all.filter(({ ended }) => ended.length === 0);
    expect(connected.reduce((sum, { waiting }) => sum + waiting(), 0)).toBeLessThan(34 * MIB);
    expect(connected.length).toBeGreaterThan(500);
    expect([all[0]?.ended, all.at(-1)?.ended]).toEqual([[CLOSE.overload], []]);
  });
});
