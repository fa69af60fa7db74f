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
const OLDER = JSON.stringify({ t: "older", before: 10 });
const OPENED = {
  visitor: "v",
  site: { account: "main", origins: [], channel: "c", business: "default", campaign: undefined, public: DEFAULT_SITE },
  session: "s",
  fresh: false,
  welcome: { t: "welcome", v: PROTOCOL, now: 0, epoch: "e", after: 0, head: HEAD, reset: false, older: false, read: 0 },
  formError: undefined,
};
const MESSAGE = { author: "visitor", at: 1, state: "sent", reason: null, reaction: null, key: null };

/** Connections to a thread of `HEAD` messages. `onWork` is called for each hello and for each part that is read. */
function setup({ text = "hello", onWork = () => {} }: { text?: string; onWork?: () => void } = {}) {
  const clock = manualClock();
  const all = async (_sql: string, _visitor: string, since: number, limit: number) => {
    onWork();
    const numbers = Array.from({ length: Math.min(limit, HEAD - since) }, (_, i) => since + i + 1);
    return numbers.map((n) => ({ ...MESSAGE, pos: n, n, id: `m-${n}`, text }));
  };
  const connections = createConnections({
    db: { all } as unknown as Database,
    bus: { publish: () => {}, subscribe: () => () => {} },
    clock,
    log: silentLog,
    open: (async () => {
      onWork();
      return OPENED;
    }) as unknown as Sessions["open"],
    handleFrame: async () => onWork(),
    link: (key) => key,
    delivery: () => "ok",
  });
  /** Connects a client. @returns the numbers that it was sent, and how many bytes it has not read */
  async function connect(reads: boolean, address = "192.0.2.1") {
    const client = { numbers: [] as number[], unread: 0, leave: () => {}, request: () => Promise.resolve() };
    const send = (frame: string): void => {
      if (!reads) client.unread += frame.length;
      const { message } = JSON.parse(frame) as { message?: { n: number } };
      if (message !== undefined) client.numbers.push(message.n);
    };
    const transport = { send, close: () => {}, buffered: () => client.unread };
    const connection = connections.accept(transport, "https://shop.example", address);
    client.leave = () => connections.lost(connection);
    client.request = () => {
      connections.receive(connection, OLDER);
      return connection.handled;
    };
    connections.receive(connection, HELLO);
    await connection.handled;
    return client;
  }
  return { clock, connect };
}

const nextTick = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Counts pieces of work by ticks of the event loop, until `busiest` is called: the most in one tick. */
function countByTicks() {
  let now = 0;
  let most = 0;
  let counting = true;
  const countTick = (): void => {
    most = Math.max(most, now);
    now = 0;
    if (counting) setImmediate(countTick);
  };
  setImmediate(countTick);
  const busiest = (): number => {
    counting = false;
    return Math.max(most, now);
  };
  return { work: () => void now++, busiest };
}

/** Lets clients that lack the whole thread connect together. @returns once they have all of it */
async function connectTogether({ connect }: Pick<ReturnType<typeof setup>, "connect">) {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connect(true)));
  while (clients.some(({ numbers }) => numbers.at(-1) !== HEAD)) await nextTick();
  return clients;
}

it("answers eight hellos or reads of threads in one tick of the event loop, so that others are served between them (A28)", async () => {
  const { work, busiest } = countByTicks();
  await connectTogether(setup({ onWork: work }));
  expect(busiest()).toBe(8);
});

it("answers eight requests for history in one tick of the event loop (A28)", async () => {
  let counting = { work: () => {}, busiest: () => 0 };
  const clients = await connectTogether(setup({ onWork: () => counting.work() }));
  counting = countByTicks();
  await Promise.all(clients.map(({ request }) => request()));
  expect(counting.busiest()).toBe(8);
});

it("lets addresses alternate; an IPv6 network of one customer counts as one address (A28)", async () => {
  for (const flood of ["192.0.2.1", "2001:db8:1"]) {
    const { connect } = setup();
    let served = 0;
    const addresses = Array.from({ length: 100 }, (_, n) => (flood.includes(":") ? `${flood}:${n}::1` : flood));
    const all = addresses.map((address) => connect(true, address).then(() => served++));
    await connect(true, "2001:db8:2::1");
    expect(served, flood).toBeLessThan(20);
    await Promise.all(all);
  }
});

it("sends every change once and in order to each of many clients that connect together", async () => {
  const clients = await connectTogether(setup());
  const whole = Array.from({ length: HEAD }, (_, n) => n + 1);
  expect(clients.map(({ numbers }) => numbers)).toEqual(Array.from({ length: CLIENTS }, () => whole));
});

it("gives no slot to clients that have left, so that nobody waits behind a flood of reconnections (A28)", async () => {
  const { connect } = setup();
  const flood = await Promise.all(Array.from({ length: 100 }, () => connect(true)));
  for (const { leave } of flood) leave();
  let received: readonly number[] = [];
  const connected = connect(true).then(({ numbers }) => {
    received = numbers;
  });
  for (let tick = 0; tick < 4; tick++) await nextTick();
  expect(received).not.toEqual([]);
  await connected;
});

it("sends a client that does not read no more until it has read (A28)", async () => {
  const { clock, connect } = setup({ text: "x".repeat(4_000) });
  const client = await connect(false);
  const afterTicks = async () => {
    for (let tick = 0; tick < 50; tick++) await nextTick();
    return client.numbers.length;
  };
  const first = await afterTicks();
  expect(client.unread).toBeLessThan(150_000);
  clock.pass(1_000);
  expect(await afterTicks()).toBe(first);
  client.unread = 0;
  clock.pass(1_000);
  expect(await afterTicks()).toBe(2 * first);
});
