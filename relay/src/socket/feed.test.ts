import { PROTOCOL } from "@porchlight/shared/protocol";
import { DEFAULT_SITE } from "@porchlight/shared/site";
import { expect, it } from "vitest";
import { manualClock } from "../base/clock.fixture.ts";
import { silentLog } from "../base/log.ts";
import type { Database } from "../db/database.ts";
import type { Sessions } from "../flows/session/session.ts";
import { createConnections } from "./connections.ts";

const HEAD = 500;
const CLIENTS = 20;
const HELLO = JSON.stringify({ t: "hello", v: PROTOCOL, site: "default" });
const OPENED = {
  visitor: "v",
  site: { account: "main", origins: [], channel: "c", business: "default", campaign: undefined, public: DEFAULT_SITE },
  session: "s",
  fresh: false,
  welcome: { t: "welcome", v: PROTOCOL, now: 0, epoch: "e", after: 0, head: HEAD, reset: false, older: false, read: 0 },
  formError: undefined,
};
const MESSAGE = { author: "visitor", at: 1, state: "sent", reason: null, reaction: null, key: null };

/** Connections to a thread of `HEAD` messages. `onRead` is called with the number after which each part is read. */
function setup({ text = "hello", onRead = () => {} }: { text?: string; onRead?: (since: number) => void } = {}) {
  const clock = manualClock();
  const all = async (_sql: string, _visitor: string, since: number, limit: number) => {
    onRead(since);
    const numbers = Array.from({ length: Math.min(limit, HEAD - since) }, (_, i) => since + i + 1);
    return numbers.map((n) => ({ ...MESSAGE, pos: n, n, id: `m-${n}`, text }));
  };
  const connections = createConnections({
    db: { all } as unknown as Database,
    bus: { publish: () => {}, subscribe: () => () => {} },
    clock,
    log: silentLog,
    open: (async () => OPENED) as unknown as Sessions["open"],
    handleFrame: async () => {},
    link: (key) => key,
    delivery: () => "ok",
  });
  /** Connects a client. @returns the numbers that it was sent, and how many bytes it has not read */
  async function connect(reads: boolean) {
    const client = { numbers: [] as number[], unread: 0, leave: () => {} };
    const send = (frame: string): void => {
      if (!reads) client.unread += frame.length;
      const { message } = JSON.parse(frame) as { message?: { n: number } };
      if (message !== undefined) client.numbers.push(message.n);
    };
    const transport = { send, close: () => {}, buffered: () => client.unread };
    const connection = connections.accept(transport, "https://shop.example", "192.0.2.1");
    client.leave = () => connections.lost(connection);
    connections.receive(connection, HELLO);
    await connection.turn;
    return client;
  }
  return { clock, connect };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Lets clients that lack the whole thread connect together. `busiest`: most reads after a client's first in one turn of the event loop. */
async function connectTogether() {
  const counted = { now: 0, busiest: 0 };
  const { connect } = setup({
    onRead: (since) => {
      if (since > 0) counted.now++;
    },
  });
  let open = true;
  const countTurn = (): void => {
    counted.busiest = Math.max(counted.busiest, counted.now);
    counted.now = 0;
    if (open) setImmediate(countTurn);
  };
  setImmediate(countTurn);
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connect(true)));
  while (clients.some(({ numbers }) => numbers.at(-1) !== HEAD)) await nextTurn();
  open = false;
  return { received: clients.map(({ numbers }) => numbers), busiest: counted.busiest };
}

it("serves clients that lack many changes one after another, so that others are served between them (A28)", async () => {
  expect((await connectTogether()).busiest).toBe(1);
});

it("sends each of them every change once, in order", async () => {
  const { received } = await connectTogether();
  const whole = Array.from({ length: HEAD }, (_, n) => n + 1);
  expect(received).toEqual(Array.from({ length: CLIENTS }, () => whole));
});

it("gives no turn to clients that have left, so that nobody waits behind a flood of reconnections (A28)", async () => {
  const { connect } = setup();
  for (const { leave } of await Promise.all(Array.from({ length: CLIENTS }, () => connect(true)))) leave();
  const client = await connect(true);
  const first = client.numbers.length;
  for (let turn = 0; turn < CLIENTS / 2; turn++) await nextTurn();
  expect(client.numbers.length).toBeGreaterThan(first);
});

it("sends a client that does not read no more until it has read (A28)", async () => {
  const { clock, connect } = setup({ text: "x".repeat(4_000) });
  const client = await connect(false);
  const afterTurns = async () => {
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    return client.numbers.length;
  };
  const first = await afterTurns();
  expect(client.unread).toBeLessThan(150_000);
  clock.pass(1_000);
  expect(await afterTurns()).toBe(first);
  client.unread = 0;
  clock.pass(1_000);
  expect(await afterTurns()).toBe(2 * first);
});
