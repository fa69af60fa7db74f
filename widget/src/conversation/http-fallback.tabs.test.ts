import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Transport } from "./connection.ts";
import { type Laid, layLines, settled } from "./http-fallback.fixture.ts";
import type { Tab } from "./world.fixture.ts";

let at: Laid;
beforeEach(() => {
  at = layLines();
});
afterEach(() => {
  at.world.advance(0);
  expect(at.world.pending()).toBe(0);
  expect(at.tab.listening()).toBe(0);
});

describe("among many tabs", () => {
  const modes = () => at.downs.splice(0).map(({ mode }) => mode);
  /** Answers every question that is open with nothing. */
  const answerAll = async (): Promise<void> => {
    for (const down of at.downs) down.finish();
    await settled();
  };
  let other: Tab;
  let way: Transport;

  /** Another at.tab keeps the connection; ours has asked once. */
  beforeEach(async () => {
    other = at.browser.tab();
    const held = await at.dial(at.way(other));
    at.downs[0]?.say("\n");
    expect(modes()).toEqual(["stream"]);
    await settled();
    at.told = [];
    way = await at.dial();
    leave = () => held.close();
  });
  let leave = (): void => {};
  afterEach(async () => {
    way.close();
    leave();
    await settled();
    expect(other.listening()).toBe(0);
  });

  it("one keeps a connection waiting, the next asks now and then, seldom while there is nothing", async () => {
    for (const ms of [500, 1_000, 2_000, 4_000, 4_000]) {
      await answerAll();
      expect(modes()).toEqual(["poll&wait=0"]);
      at.world.advance(ms - 1);
      await settled();
      expect(modes()).toEqual([]);
      at.world.advance(1);
      await settled();
    }
    expect(modes()).toEqual(["poll&wait=0"]);
  });

  it("it asks at once after it said something, and soon after it heard something", async () => {
    await answerAll();
    modes();
    way.send("one");
    await settled();
    at.downs.at(-1)?.say('{"t":"pong","head":1}\n');
    await answerAll();
    expect(modes()).toEqual(["poll&wait=0"]);
    expect(at.told).toEqual(["open", '{"t":"pong","head":1}']);
    at.world.advance(250);
    await settled();
    expect(modes()).toEqual(["poll&wait=0"]);
  });

  it("it takes the connection over when the other is closed", async () => {
    await answerAll();
    modes();
    leave();
    at.world.advance(0);
    await settled();
    expect(modes()).toEqual(["stream"]);
  });

  it("one that is not looked at any more lets its connection go, and asks what it missed", async () => {
    await answerAll();
    modes();
    at.posts = [];
    other.hide();
    at.world.advance(0);
    await settled();
    expect(modes().toSorted()).toEqual(["poll&wait=0", "stream"]);
    expect(at.posts).toEqual(['/socket/lines/abc {"t":"ping"}']);
    // Looked at again, it waits for its turn.
    other.show();
    at.world.advance(0);
    await settled();
    expect(modes()).not.toContain("stream");
  });
});

describe("back to the WebSocket", () => {
  const MINUTES = 10 * 60_000;

  it("after ten minutes, once one opens", async () => {
    await at.dial();
    at.downs[0]?.say("\n");
    await settled();
    at.world.advance(MINUTES);
    expect(at.told).toEqual(["open"]);
    at.socket.wire.open();
    expect(at.told).toEqual(["open", "close 1006"]);
    expect(at.socket.wire.closed).toBe(true);
  });

  it("not while it does not open: the line goes on, and ten minutes later it is tried again", async () => {
    const way = await at.dial();
    at.downs[0]?.say("\n");
    await settled();
    at.world.advance(MINUTES);
    at.socket.wire.close(1006);
    at.world.advance(MINUTES);
    expect(at.socket.wires).toHaveLength(2);
    // One that hangs is given up.
    at.world.advance(30_000);
    expect(at.socket.wire.closed).toBe(true);
    at.world.advance(MINUTES);
    expect(at.socket.wires).toHaveLength(3);
    expect(at.told).toEqual(["open"]);
    way.close();
    expect(at.socket.wire.closed).toBe(true);
  });

  it("not while something is under way, and not while nobody looks", async () => {
    const way = await at.dial();
    at.downs[0]?.say("\n");
    await settled();
    let arrive: (response: Response) => void = () => {};
    at.answer = () =>
      new Promise((resolve) => {
        arrive = resolve;
      });
    way.send("one");
    at.world.advance(MINUTES);
    expect(at.socket.wires).toHaveLength(0);
    arrive(new Response());
    await settled();
    at.tab.hide();
    at.world.advance(60_000);
    expect(at.socket.wires).toHaveLength(0);
    at.tab.show();
    at.world.advance(10_000);
    expect(at.socket.wires).toHaveLength(1);
    at.answer = () => undefined;
    way.close();
    await settled();
  });
});
