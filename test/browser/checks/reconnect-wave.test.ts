/**
 * WIDGET 9, check 35: how two hundred browsers reconnect to a relay that restarts. A simulation with the code of
 * both sides.
 */

import { CLOSE } from "@porchlight/shared/close";
import { type Bye, PROTOCOL, type RelayFrame } from "@porchlight/shared/protocol";
import { expect, it } from "vitest";
import { createConnection, type TransportEvents } from "../../../widget/src/conversation/connection.ts";
import { WELCOME } from "../../../widget/src/conversation/script.fixture.ts";
import { createBrowser, createWorld, type World } from "../../../widget/src/conversation/world.fixture.ts";
import { startHarness } from "../../harness.ts";

const CLIENTS = 200;
const LATENCY_MS = 5;
const WELCOMED = JSON.stringify({ ...WELCOME, token: "token" });
const PONG = JSON.stringify({ t: "pong", head: 0 } satisfies RelayFrame);

/** The retry range that a real relay sends to this many clients when it stops. */
async function announcedRetry(): Promise<Bye["retry"]> {
  const harness = await startHarness({ env: { SOCKETS_PER_ADDRESS: "0" } });
  try {
    const visitors = Array.from({ length: CLIENTS }, () => harness.visitor());
    await Promise.all(visitors.map((visitor) => visitor.connect()));
    const byes = Promise.all(visitors.map((visitor) => visitor.next((frame): frame is Bye => frame.t === "bye")));
    await harness.halt();
    const [first, ...others] = (await byes).map(({ retry }) => retry);
    for (const other of others) expect(other).toEqual(first);
    return first ?? [0, 0];
  } finally {
    await harness.stop();
  }
}

/** A relay of the simulation, and the times of all connection attempts, in milliseconds of simulated time. */
function createServer(world: World) {
  const connections = new Set<TransportEvents>();
  const server = {
    up: true,
    attempts: [] as number[],
    open(events: TransportEvents) {
      server.attempts.push(world.now());
      let alive = true;
      connections.add(events);
      const answer = (run: () => void): void => void world.after(LATENCY_MS, () => alive && run());
      answer(() => (server.up ? events.open() : events.close(1006)));
      return {
        send: (text: string) => answer(() => events.frame(text.includes('"hello"') ? WELCOMED : PONG)),
        close() {
          alive = false;
          connections.delete(events);
        },
      };
    },
    /** Ends every connection, as a relay that stops, or as one that was killed. */
    end(retry?: Bye["retry"]): void {
      for (const events of [...connections]) {
        if (retry) events.frame(JSON.stringify({ t: "bye", retry } satisfies Bye));
        events.close(retry ? CLOSE.restart.code : 1006);
      }
    },
  };
  return server;
}

function connectTo(server: ReturnType<typeof createServer>, world: World, random = world.random) {
  const { page } = createBrowser(world).tab();
  const connection = createConnection({
    page: { ...page, random },
    open: server.open,
    hello: () => ({ t: "hello", v: PROTOCOL, site: "default" }),
    onFrame: () => {},
    lost: () => {},
    refused: () => false,
  });
  connection.start();
  return connection;
}

it("35 after a restart two hundred clients return evenly within the stated time, at most 15 in 100 per second", async () => {
  const retry = await announcedRetry();
  const seconds = (retry[1] - retry[0]) / 1_000;
  // A shorter range cannot satisfy the bound.
  expect(seconds).toBeGreaterThanOrEqual(1 / 0.15);
  for (const seed of [1, 2, 3]) {
    const world = createWorld(seed);
    const server = createServer(world);
    const all = Array.from({ length: CLIENTS }, () => connectTo(server, world));
    world.advance(20_000);
    server.attempts = [];
    const begin = world.now();
    server.up = false;
    server.end(retry);
    // The new relay listens after a moment. Clients that tried too early try again by themselves.
    world.advance(1_000);
    server.up = true;
    world.advance(20_000);
    expect(all.filter(({ link }) => link.value === "online")).toHaveLength(CLIENTS);
    const within = (second: number): number =>
      server.attempts.filter((at) => Math.floor((at - begin) / 1_000) === second).length;
    // The last bin may be incomplete.
    const bins = Array.from({ length: Math.floor(seconds) }, (_, second) => within(second));
    expect(Math.max(...bins), bins.join(" ")).toBeLessThanOrEqual(0.15 * server.attempts.length);
    expect(Math.min(...bins), bins.join(" ")).toBeGreaterThan(0.03 * server.attempts.length);
  }
});

it("35 the wait grows with each loss, and is reset only after thirty stable seconds", () => {
  const world = createWorld();
  const server = createServer(world);
  // The longest possible random wait.
  const connection = connectTo(server, world, () => 1 - Number.EPSILON);
  /** Cuts the connection after it was online for `onlineMs` milliseconds. @returns ms until the next attempt */
  const waited = (onlineMs: number): number => {
    while (connection.link.value !== "online") world.advance(1);
    world.advance(onlineMs);
    const [cut, before] = [world.now(), server.attempts.length];
    server.end();
    while (server.attempts.length === before) world.advance(1);
    return Math.round((world.now() - cut) / 100) / 10;
  };
  expect([1_000, 1_000, 1_000, 29_000].map(waited)).toEqual([1, 2, 4, 8]);
  expect(waited(29_990)).toBe(16);
  expect(waited(30_000)).toBe(1);
});
