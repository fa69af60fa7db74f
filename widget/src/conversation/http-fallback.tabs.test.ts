import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Transport } from "./connection.ts";
import { createFallbackStage, type FallbackStage, settled } from "./http-fallback.fixture.ts";
import type { Tab } from "./world.fixture.ts";

let stage: FallbackStage;
beforeEach(() => {
  stage = createFallbackStage();
});
afterEach(() => {
  stage.world.advance(0);
  expect(stage.world.pending()).toBe(0);
  expect(stage.tab.listening()).toBe(0);
});

describe("with several tabs", () => {
  /** The modes of the new GET requests. The next call does not return them again. */
  const takeModes = () => stage.gets.splice(0).map(({ mode }) => mode);
  /** Answers every pending GET with an empty body. */
  const answerAll = async (): Promise<void> => {
    for (const request of stage.gets) request.finish();
    await settled();
  };
  let other: Tab;
  let transport: Transport;
  /** Closes the other tab's connection. */
  let leave = (): void => {};

  /** Another tab holds the connection; this tab has polled once. */
  beforeEach(async () => {
    other = stage.browser.tab();
    const held = await stage.dial(stage.fallbackOf(other));
    stage.gets[0]?.deliver("\n");
    expect(takeModes()).toEqual(["stream"]);
    await settled();
    stage.events = [];
    transport = await stage.dial();
    leave = () => held.close();
  });
  afterEach(async () => {
    transport.close();
    leave();
    await settled();
    expect(other.listening()).toBe(0);
  });

  it("one tab keeps a connection waiting; another one polls, less often while nothing arrives", async () => {
    for (const ms of [500, 1_000, 2_000, 4_000, 4_000]) {
      await answerAll();
      expect(takeModes()).toEqual(["poll&wait=0"]);
      stage.world.advance(ms - 1);
      await settled();
      expect(takeModes()).toEqual([]);
      stage.world.advance(1);
      await settled();
    }
    expect(takeModes()).toEqual(["poll&wait=0"]);
  });

  it("a tab polls immediately after it has sent a frame, and soon after it has received one", async () => {
    await answerAll();
    takeModes();
    transport.send("one");
    await settled();
    stage.gets.at(-1)?.deliver('{"t":"pong","head":1}\n');
    await answerAll();
    expect(takeModes()).toEqual(["poll&wait=0"]);
    expect(stage.events).toEqual(["open", '{"t":"pong","head":1}']);
    stage.world.advance(250);
    await settled();
    expect(takeModes()).toEqual(["poll&wait=0"]);
  });

  it("a tab takes over the waiting connection when the other tab is closed", async () => {
    await answerAll();
    takeModes();
    leave();
    stage.world.advance(0);
    await settled();
    expect(takeModes()).toEqual(["stream"]);
  });

  it("a tab that is hidden gives up its waiting connection, and pings to find missed messages", async () => {
    await answerAll();
    takeModes();
    stage.posts = [];
    other.hide();
    stage.world.advance(0);
    await settled();
    expect(takeModes().toSorted()).toEqual(["poll&wait=0", "stream"]);
    expect(stage.posts).toEqual(['/socket/lines/abc {"t":"ping"}']);
    // When it is visible again, it waits for its turn.
    other.show();
    stage.world.advance(0);
    await settled();
    expect(takeModes()).not.toContain("stream");
  });
});

describe("the return to the WebSocket", () => {
  const TEN_MINUTES = 10 * 60_000;

  it("happens after ten minutes, once a WebSocket opens", async () => {
    await stage.dial();
    stage.gets[0]?.deliver("\n");
    await settled();
    stage.world.advance(TEN_MINUTES);
    expect(stage.events).toEqual(["open"]);
    stage.socket.wire.open();
    expect(stage.events).toEqual(["open", "close 1006"]);
    expect(stage.socket.wire.closed).toBe(true);
  });

  it("does not happen while none opens: the fallback continues, and tries again ten minutes later", async () => {
    const transport = await stage.dial();
    stage.gets[0]?.deliver("\n");
    await settled();
    stage.world.advance(TEN_MINUTES);
    stage.socket.wire.close(1006);
    stage.world.advance(TEN_MINUTES);
    expect(stage.socket.wires).toHaveLength(2);
    // A WebSocket that hangs is given up.
    stage.world.advance(30_000);
    expect(stage.socket.wire.closed).toBe(true);
    stage.world.advance(TEN_MINUTES);
    expect(stage.socket.wires).toHaveLength(3);
    expect(stage.events).toEqual(["open"]);
    transport.close();
    expect(stage.socket.wire.closed).toBe(true);
  });

  it("does not happen while a POST is in flight or the page is hidden", async () => {
    const transport = await stage.dial();
    stage.gets[0]?.deliver("\n");
    await settled();
    let arrive: (response: Response) => void = () => {};
    stage.answer = () =>
      new Promise((resolve) => {
        arrive = resolve;
      });
    transport.send("one");
    stage.world.advance(TEN_MINUTES);
    expect(stage.socket.wires).toHaveLength(0);
    arrive(new Response());
    await settled();
    stage.tab.hide();
    stage.world.advance(60_000);
    expect(stage.socket.wires).toHaveLength(0);
    stage.tab.show();
    stage.world.advance(10_000);
    expect(stage.socket.wires).toHaveLength(1);
    stage.answer = () => undefined;
    transport.close();
    await settled();
  });
});
