import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Transport } from "./connection.ts";
import { createFallbackFixture, type FallbackFixture, settled } from "./http-fallback.fixture.ts";
import type { Tab } from "./world.fixture.ts";

let fixture: FallbackFixture;
beforeEach(() => {
  fixture = createFallbackFixture();
});
afterEach(() => {
  fixture.world.advance(0);
  expect(fixture.world.pending()).toBe(0);
  expect(fixture.tab.listening()).toBe(0);
});

describe("with several tabs", () => {
  /** The modes of the new GET requests. The next call does not return them again. */
  const takeModes = () => fixture.gets.splice(0).map(({ mode }) => mode);
  /** Answers every pending GET with an empty body. */
  const answerAll = async (): Promise<void> => {
    for (const request of fixture.gets) request.finish();
    await settled();
  };
  let other: Tab;
  let transport: Transport;
  /** Closes the other tab's connection. */
  let leave = (): void => {};

  /** Another tab holds the connection; this tab has polled once. */
  beforeEach(async () => {
    other = fixture.browser.tab();
    const held = await fixture.dial(fixture.fallbackOf(other));
    fixture.gets[0]?.deliver("\n");
    expect(takeModes()).toEqual(["stream"]);
    await settled();
    fixture.events = [];
    transport = await fixture.dial();
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
      fixture.world.advance(ms - 1);
      await settled();
      expect(takeModes()).toEqual([]);
      fixture.world.advance(1);
      await settled();
    }
    expect(takeModes()).toEqual(["poll&wait=0"]);
  });

  it("a tab polls immediately after it has sent a frame, and soon after it has received one", async () => {
    await answerAll();
    takeModes();
    transport.send("one");
    await settled();
    fixture.gets.at(-1)?.deliver('{"t":"pong","head":1}\n');
    await answerAll();
    expect(takeModes()).toEqual(["poll&wait=0"]);
    expect(fixture.events).toEqual(["open", '{"t":"pong","head":1}']);
    fixture.world.advance(250);
    await settled();
    expect(takeModes()).toEqual(["poll&wait=0"]);
  });

  it("a tab takes over the waiting connection when the other tab is closed", async () => {
    await answerAll();
    takeModes();
    leave();
    fixture.world.advance(0);
    await settled();
    expect(takeModes()).toEqual(["stream"]);
  });

  it("a tab that is hidden gives up its waiting connection, and pings to find missed messages", async () => {
    await answerAll();
    takeModes();
    fixture.posts = [];
    other.hide();
    fixture.world.advance(0);
    await settled();
    expect(takeModes().toSorted()).toEqual(["poll&wait=0", "stream"]);
    expect(fixture.posts).toEqual(['/socket/lines/abc {"t":"ping"}']);
    // When it is visible again, it waits for its turn.
    other.show();
    fixture.world.advance(0);
    await settled();
    expect(takeModes()).not.toContain("stream");
  });
});

describe("the return to the WebSocket", () => {
  const TEN_MINUTES = 10 * 60_000;

  it("happens after ten minutes, once a WebSocket opens", async () => {
    await fixture.dial();
    fixture.gets[0]?.deliver("\n");
    await settled();
    fixture.world.advance(TEN_MINUTES);
    expect(fixture.events).toEqual(["open"]);
    fixture.socket.wire.open();
    expect(fixture.events).toEqual(["open", "close 1006"]);
    expect(fixture.socket.wire.closed).toBe(true);
  });

  it("does not happen while none opens: the fallback continues, and tries again ten minutes later", async () => {
    const transport = await fixture.dial();
    fixture.gets[0]?.deliver("\n");
    await settled();
    fixture.world.advance(TEN_MINUTES);
    fixture.socket.wire.close(1006);
    fixture.world.advance(TEN_MINUTES);
    expect(fixture.socket.wires).toHaveLength(2);
    // A WebSocket that hangs is given up.
    fixture.world.advance(30_000);
    expect(fixture.socket.wire.closed).toBe(true);
    fixture.world.advance(TEN_MINUTES);
    expect(fixture.socket.wires).toHaveLength(3);
    expect(fixture.events).toEqual(["open"]);
    transport.close();
    expect(fixture.socket.wire.closed).toBe(true);
  });

  it("does not happen while a POST is in flight or the page is hidden", async () => {
    const transport = await fixture.dial();
    fixture.gets[0]?.deliver("\n");
    await settled();
    let arrive: (response: Response) => void = () => {};
    fixture.answer = () =>
      new Promise((resolve) => {
        arrive = resolve;
      });
    transport.send("one");
    fixture.world.advance(TEN_MINUTES);
    expect(fixture.socket.wires).toHaveLength(0);
    arrive(new Response());
    await settled();
    fixture.tab.hide();
    fixture.world.advance(60_000);
    expect(fixture.socket.wires).toHaveLength(0);
    fixture.tab.show();
    fixture.world.advance(10_000);
    expect(fixture.socket.wires).toHaveLength(1);
    fixture.answer = () => undefined;
    transport.close();
    await settled();
  });
});
