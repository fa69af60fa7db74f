import { beforeEach, describe, expect, it } from "vitest";
import { type Connection, createConnection } from "./connection.ts";
import { createScript, type Script } from "./script.fixture.ts";
import { createTransports } from "./transport-choice.ts";
import { createBrowser, createWorld, type World } from "./world.fixture.ts";

let world: World;
let transports: { socket: Script; fallback: Script };
/** Milliseconds until the relay answers plain HTTP; undefined: it does not answer. */
let answers: number | undefined;
let fetched: boolean;
let events: string[];
let dial: () => void;
let connection: Connection;

beforeEach(() => {
  world = createWorld();
  transports = { socket: createScript(), fallback: createScript() };
  fetched = true;
  answers = 0;
  events = [];
  const { page } = createBrowser(world).tab();
  const { open, judge } = createTransports({
    page,
    socket: transports.socket.connect,
    async fallback() {
      if (!fetched) throw new TypeError("Failed to fetch");
      return transports.fallback.connect;
    },
    reachable: () =>
      new Promise((resolve) => {
        if (answers) world.after(answers, () => resolve(true));
        else resolve(answers === 0);
      }),
  });
  // A connection that reconnects only when the test starts it again.
  connection = createConnection({
    page: { ...page, random: () => 0.999 },
    open,
    judge,
    hello: () => ({ t: "hello", v: 1, site: "shop" }),
    onFrame: ({ t }) => events.push(t),
    lost: (code) => events.push(`lost ${code}`),
    refused: () => true,
  });
  dial = () => {
    connection.stop();
    connection.start();
  };
});

/** Waits for pending promises. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
const counts = () => [transports.socket, transports.fallback].map(({ wires }) => wires.length);

async function fail(script: Script, opened = false): Promise<void> {
  dial();
  await settled();
  if (opened) script.wire.open();
  script.wire.close(1006);
  await settled();
}

describe("the choice of transport", () => {
  it("begins with a WebSocket, and keeps it while it works", async () => {
    for (let round = 0; round < 5; round++) {
      dial();
      transports.socket.greet();
      transports.socket.wire.close(1006);
      await settled();
    }
    expect(counts()).toEqual([5, 0]);
  });

  it("changes to the HTTP fallback after two WebSockets that failed although the relay can be reached", async () => {
    await fail(transports.socket);
    await fail(transports.socket);
    dial();
    await settled();
    expect(counts()).toEqual([2, 1]);
    transports.fallback.greet();
    expect(connection.link.value).toBe("online");
  });

  it("keeps WebSockets while the relay cannot be reached", async () => {
    answers = undefined;
    for (let round = 0; round < 5; round++) await fail(transports.socket);
    expect(counts()).toEqual([5, 0]);
  });

  it("keeps WebSockets during a restart that ends just before the check of the relay", async () => {
    answers = undefined;
    for (let round = 0; round < 3; round++) await fail(transports.socket);
    answers = 0;
    await fail(transports.socket);
    dial();
    await settled();
    expect(counts()).toEqual([5, 0]);
    // A second failure cannot be caused by the restart.
    transports.socket.wire.close(1006);
    await settled();
    dial();
    await settled();
    expect(counts()).toEqual([5, 1]);
  });

  it("counts a refusal by the relay as a working WebSocket", async () => {
    for (let round = 0; round < 3; round++) {
      dial();
      transports.socket.wire.open();
      transports.socket.wire.close(1013);
      await settled();
    }
    expect(counts()).toEqual([3, 0]);
  });

  it("gives up a WebSocket that hangs for 4 s, once", async () => {
    dial();
    world.advance(3_999);
    await settled();
    expect(events).toEqual([]);
    world.advance(1);
    await settled();
    world.advance(0);
    expect(events).toEqual(["lost 1006"]);
    expect(transports.socket.wire.closed).toBe(true);
    dial();
    await settled();
    expect(counts()).toEqual([1, 1]);
  });

  it("waits four times the relay's answer time for a WebSocket on a slow network", async () => {
    answers = 3_000;
    dial();
    world.advance(7_000);
    await settled();
    // The check starts after 4 s and is answered at 7 s. So the WebSocket has 12 s, and the connection's own limit is 8 s.
    world.advance(999);
    expect(events).toEqual([]);
    transports.socket.greet();
    world.advance(3_000);
    expect(events[0]).toBe("welcome");
    expect(counts()).toEqual([1, 0]);
  });

  it("gives up a WebSocket that hangs longer than four answer times", async () => {
    answers = 1_500;
    dial();
    world.advance(5_500);
    await settled();
    world.advance(499);
    expect(events).toEqual([]);
    world.advance(1);
    expect(events).toEqual(["lost 1006"]);
    dial();
    await settled();
    expect(counts()).toEqual([1, 1]);
  });

  it("keeps a WebSocket that is tried during the check of the relay", async () => {
    await fail(transports.socket);
    answers = 5_000;
    await fail(transports.socket);
    dial();
    transports.socket.greet();
    world.advance(5_000);
    await settled();
    transports.socket.wire.close(1006);
    dial();
    await settled();
    expect(counts()).toEqual([4, 0]);
  });

  it("does not give up a hanging WebSocket while the relay cannot be reached", async () => {
    answers = undefined;
    dial();
    world.advance(7_000);
    await settled();
    expect(events).toEqual([]);
    transports.socket.greet();
    expect(events).toEqual(["welcome"]);
  });

  it("keeps a WebSocket that opens during the check", async () => {
    dial();
    world.advance(4_000);
    transports.socket.greet();
    await settled();
    expect(connection.link.value).toBe("online");
    transports.socket.wire.close(1006);
    dial();
    await settled();
    expect(counts()).toEqual([2, 0]);
  });

  it("counts an attempt that opened without a welcome as a failure", async () => {
    for (let round = 0; round < 2; round++) {
      dial();
      transports.socket.wire.open();
      world.advance(8_000);
      await settled();
    }
    dial();
    await settled();
    expect(counts()).toEqual([2, 1]);
  });

  it("returns to the WebSocket when the fallback opened but received no frame", async () => {
    await fail(transports.socket);
    await fail(transports.socket);
    await fail(transports.fallback, true);
    dial();
    await settled();
    expect(counts()).toEqual([3, 1]);
  });

  it("keeps the fallback when it did not open, because then the network is down", async () => {
    await fail(transports.socket);
    await fail(transports.socket);
    await fail(transports.fallback);
    await fail(transports.fallback);
    expect(counts()).toEqual([2, 2]);
  });

  it("tries a WebSocket again after 10 minutes, once", async () => {
    await fail(transports.socket);
    await fail(transports.socket);
    connection.stop();
    world.advance(10 * 60_000 + 1);
    await fail(transports.socket);
    dial();
    await settled();
    expect(counts()).toEqual([3, 1]);
  });

  it("loses the connection when the code of the fallback cannot be fetched", async () => {
    fetched = false;
    await fail(transports.socket);
    await fail(transports.socket);
    dial();
    await settled();
    expect(events.at(-1)).toBe("lost 1006");
    expect(connection.link.value).toBe("waiting");
  });

  it("sends frames over the fallback, and closes it", async () => {
    await fail(transports.socket);
    await fail(transports.socket);
    dial();
    await settled();
    transports.fallback.greet();
    connection.send({ t: "ping" });
    connection.stop();
    expect(transports.fallback.wire.sent.at(-1)).toEqual({ t: "ping" });
    expect(transports.fallback.wire.closed).toBe(true);
  });

  it("opens no fallback when the connection is closed before the code has loaded", async () => {
    await fail(transports.socket);
    await fail(transports.socket);
    dial();
    connection.stop();
    await settled();
    expect(counts()).toEqual([2, 0]);
  });

  it("leaves no timer", () => {
    dial();
    connection.stop();
    expect(world.pending()).toBe(0);
  });
});
