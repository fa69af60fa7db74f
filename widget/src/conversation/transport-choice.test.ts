import { beforeEach, describe, expect, it } from "vitest";
import { type Connection, createConnection } from "./connection.ts";
import { createScript, type Script } from "./script.fixture.ts";
import { createTransports } from "./transport-choice.ts";
import { createBrowser, createWorld, type World } from "./world.fixture.ts";

let world: World;
let ways: { socket: Script; lines: Script };
/** How long the relay takes to answer plain HTTP; nothing: it does not. */
let answers: number | undefined;
let fetched: boolean;
let told: string[];
let dial: () => void;
let connection: Connection;

beforeEach(() => {
  world = createWorld();
  ways = { socket: createScript(), lines: createScript() };
  fetched = true;
  answers = 0;
  told = [];
  const { page } = createBrowser(world).tab();
  const { open, judge } = createTransports({
    page,
    socket: ways.socket.connect,
    async fallback() {
      if (!fetched) throw new TypeError("Failed to fetch");
      return ways.lines.connect;
    },
    reachable: () =>
      new Promise((resolve) => {
        if (answers) world.after(answers, () => resolve(true));
        else resolve(answers === 0);
      }),
  });
  // A connection that waits for the test before it comes back.
  connection = createConnection({
    page: { ...page, random: () => 0.999 },
    open,
    judge,
    hello: () => ({ t: "hello", v: 1, site: "shop" }),
    heard: ({ t }) => told.push(t),
    lost: (code) => told.push(`lost ${code}`),
    refused: () => true,
  });
  dial = () => {
    connection.stop();
    connection.start();
  };
});

/** Lets what is promised happen. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const counts = () => [ways.socket, ways.lines].map(({ wires }) => wires.length);

async function fail(script: Script, opened = false): Promise<void> {
  dial();
  await settled();
  if (opened) script.wire.open();
  script.wire.close(1006);
  await settled();
}

describe("the ways to the relay", () => {
  it("begin with a WebSocket and stay with it while it works", async () => {
    for (let round = 0; round < 5; round++) {
      dial();
      ways.socket.greet();
      ways.socket.wire.close(1006);
      await settled();
    }
    expect(counts()).toEqual([5, 0]);
  });

  it("change to lines after two WebSockets that failed while the relay can be reached", async () => {
    await fail(ways.socket);
    await fail(ways.socket);
    dial();
    await settled();
    expect(counts()).toEqual([2, 1]);
    ways.lines.greet();
    expect(connection.link.value).toBe("online");
  });

  it("stay with the WebSocket while nothing reaches the relay", async () => {
    answers = undefined;
    for (let round = 0; round < 5; round++) await fail(ways.socket);
    expect(counts()).toEqual([5, 0]);
  });

  it("stay with the WebSocket through a restart that ends just before the relay is asked", async () => {
    answers = undefined;
    for (let round = 0; round < 3; round++) await fail(ways.socket);
    answers = 0;
    await fail(ways.socket);
    dial();
    await settled();
    expect(counts()).toEqual([5, 0]);
    // Once more, and it is no restart.
    ways.socket.wire.close(1006);
    await settled();
    dial();
    await settled();
    expect(counts()).toEqual([5, 1]);
  });

  it("take a refusal by the relay for an answer", async () => {
    for (let round = 0; round < 3; round++) {
      dial();
      ways.socket.wire.open();
      ways.socket.wire.close(1013);
      await settled();
    }
    expect(counts()).toEqual([3, 0]);
  });

  it("give up a WebSocket that hangs after 4 s, once", async () => {
    dial();
    world.advance(3_999);
    await settled();
    expect(told).toEqual([]);
    world.advance(1);
    await settled();
    world.advance(0);
    expect(told).toEqual(["lost 1006"]);
    expect(ways.socket.wire.closed).toBe(true);
    dial();
    await settled();
    expect(counts()).toEqual([1, 1]);
  });

  it("leave a WebSocket four times as long as the relay takes to answer, where everything is slow", async () => {
    answers = 3_000;
    dial();
    world.advance(7_000);
    await settled();
    // Asked after 4 s, answered at 7: up to 12 s are its due, and the connection's own patience is 8 s.
    world.advance(999);
    expect(told).toEqual([]);
    ways.socket.greet();
    world.advance(3_000);
    expect(told[0]).toBe("welcome");
    expect(counts()).toEqual([1, 0]);
  });

  it("give up a WebSocket that hangs longer than four such answers", async () => {
    answers = 1_500;
    dial();
    world.advance(5_500);
    await settled();
    world.advance(499);
    expect(told).toEqual([]);
    world.advance(1);
    expect(told).toEqual(["lost 1006"]);
    dial();
    await settled();
    expect(counts()).toEqual([1, 1]);
  });

  it("stay with a WebSocket that is tried while it is asked whether the relay answers", async () => {
    await fail(ways.socket);
    answers = 5_000;
    await fail(ways.socket);
    dial();
    ways.socket.greet();
    world.advance(5_000);
    await settled();
    ways.socket.wire.close(1006);
    dial();
    await settled();
    expect(counts()).toEqual([4, 0]);
  });

  it("leave a hanging WebSocket its time while nothing reaches the relay", async () => {
    answers = undefined;
    dial();
    world.advance(7_000);
    await settled();
    expect(told).toEqual([]);
    ways.socket.greet();
    expect(told).toEqual(["welcome"]);
  });

  it("stay with a WebSocket that opens while it is being doubted", async () => {
    dial();
    world.advance(4_000);
    ways.socket.greet();
    await settled();
    expect(connection.link.value).toBe("online");
    ways.socket.wire.close(1006);
    dial();
    await settled();
    expect(counts()).toEqual([2, 0]);
  });

  it("count an attempt that opened and was never welcomed", async () => {
    for (let round = 0; round < 2; round++) {
      dial();
      ways.socket.wire.open();
      world.advance(8_000);
      await settled();
    }
    dial();
    await settled();
    expect(counts()).toEqual([2, 1]);
  });

  it("go back to the WebSocket when lines opened and nothing came over them", async () => {
    await fail(ways.socket);
    await fail(ways.socket);
    await fail(ways.lines, true);
    dial();
    await settled();
    expect(counts()).toEqual([3, 1]);
  });

  it("stay with lines that did not even open, for then the network is gone", async () => {
    await fail(ways.socket);
    await fail(ways.socket);
    await fail(ways.lines);
    await fail(ways.lines);
    expect(counts()).toEqual([2, 2]);
  });

  it("try the WebSocket again after 10 minutes, and leave it at one try", async () => {
    await fail(ways.socket);
    await fail(ways.socket);
    connection.stop();
    world.advance(10 * 60_000 + 1);
    await fail(ways.socket);
    dial();
    await settled();
    expect(counts()).toEqual([3, 1]);
  });

  it("lose the connection when the code of the others cannot be fetched", async () => {
    fetched = false;
    await fail(ways.socket);
    await fail(ways.socket);
    dial();
    await settled();
    expect(told.at(-1)).toBe("lost 1006");
    expect(connection.link.value).toBe("waiting");
  });

  it("carry what is sent, and close what they opened", async () => {
    await fail(ways.socket);
    await fail(ways.socket);
    dial();
    await settled();
    ways.lines.greet();
    connection.send({ t: "ping" });
    connection.stop();
    expect(ways.lines.wire.sent.at(-1)).toEqual({ t: "ping" });
    expect(ways.lines.wire.closed).toBe(true);
  });

  it("open nothing when they are closed before the code has come", async () => {
    await fail(ways.socket);
    await fail(ways.socket);
    dial();
    connection.stop();
    await settled();
    expect(counts()).toEqual([2, 0]);
  });

  it("leave no timer", () => {
    dial();
    connection.stop();
    expect(world.pending()).toBe(0);
  });
});
