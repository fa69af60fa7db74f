import { beforeEach, describe, expect, it, vi } from "vitest";
import { type ConnectionFixture, dial, PONG } from "./connection.fixture.ts";
import { WELCOME } from "./script.fixture.ts";

let world: ConnectionFixture["world"];
let tab: ConnectionFixture["tab"];
let script: ConnectionFixture["script"];
let connection: ConnectionFixture["connection"];
let received: ConnectionFixture["received"];
let losses: ConnectionFixture["losses"];
let online: ConnectionFixture["online"];
/** Whether the visitor wants notifications of replies while the page is hidden. */
let stays: boolean;

beforeEach(() => {
  stays = false;
  ({ world, tab, script, connection, received, losses, online } = dial(
    () => false,
    () => stays,
  ));
});

describe("a silent connection", () => {
  it("is replaced after 40 s, without waiting for its close", () => {
    const wire = online();
    world.advance(35_000);
    wire.deliver(PONG);
    world.advance(39_000);
    expect(script.wires).toHaveLength(1);
    world.advance(6_000);
    expect(wire.closed).toBe(true);
    expect(script.wires).toHaveLength(2);
    expect(losses).toEqual([1006]);
  });

  it("does not affect the new connection when its close arrives late", () => {
    const wire = online();
    world.advance(45_000);
    script.greet();
    wire.close(1006);
    wire.deliver(PONG);
    expect(connection.link.value).toBe("online");
    expect(received.map(({ t }) => t)).toEqual(["welcome", "welcome"]);
  });

  for (const event of ["visibilitychange", "online", "pageshow", "focus", "offline"] as const)
    it(`is replaced 2.5 s after ${event} if it does not answer`, () => {
      const wire = online();
      tab.emit(event);
      expect(wire.sent.at(-1)).toEqual({ t: "ping" });
      world.advance(2_500);
      expect(wire.closed).toBe(true);
      expect(script.wires).toHaveLength(2);
    });

  it("may take twice as long to answer a ping as its welcome took, if that is longer than 2.5 s", () => {
    connection.start();
    const { wire } = script;
    wire.open();
    world.advance(3_000);
    wire.deliver(WELCOME);
    tab.emit("focus");
    world.advance(5_999);
    expect(wire.closed).toBe(false);
    world.advance(1);
    expect(wire.closed).toBe(true);
  });

  it("is kept when any frame answers the ping", () => {
    const wire = online();
    tab.emit("focus");
    wire.deliver(PONG);
    world.advance(10_000);
    expect(script.wires).toHaveLength(1);
  });

  it("is pinged after the machine has slept, and kept if it answers", () => {
    const wire = online();
    world.sleep(3_600_000);
    world.advance(0);
    expect(wire.sent.at(-1)).toEqual({ t: "ping" });
    wire.deliver(PONG);
    world.advance(20_000);
    expect(script.wires).toHaveLength(1);
  });

  it("is also replaced when the clock was set back a day", () => {
    const back = vi.spyOn(tab.page, "now");
    const wire = online();
    back.mockImplementation(() => world.now() - 86_400_000);
    world.advance(50_000);
    expect(wire.closed).toBe(true);
  });
});

describe("a hidden page", () => {
  it("keeps its connection for 5 minutes, then closes it, and reconnects when it is visible", () => {
    const wire = online();
    tab.hide();
    for (let minute = 0; minute < 10; minute++) {
      world.advance(29_000);
      wire.deliver(PONG);
    }
    expect(wire.closed).toBe(false);
    world.advance(11_000);
    expect(wire.closed).toBe(true);
    world.advance(3_600_000);
    expect(script.wires).toHaveLength(1);
    tab.show();
    expect(script.wires).toHaveLength(2);
  });

  it("does not reconnect until it is visible", () => {
    const wire = online();
    tab.hide();
    wire.close(1006);
    tab.emit("online");
    world.advance(60_000);
    expect(script.wires).toHaveLength(1);
    tab.show();
    expect(script.wires).toHaveLength(2);
  });

  it("keeps its connection, and reconnects after a loss, while the visitor wants notifications", () => {
    const wire = online();
    stays = true;
    tab.hide();
    for (let minute = 0; minute < 60; minute++) {
      world.advance(30_000);
      wire.deliver(PONG);
    }
    expect(wire.closed).toBe(false);
    wire.close(1006);
    world.advance(1_000);
    expect(script.wires).toHaveLength(2);
    const next = script.greet();
    // The connection is silent, so it counts as dead and is replaced.
    world.advance(45_000);
    expect([next.closed, script.wires.length]).toEqual([true, 3]);
    const last = script.greet();
    stays = false;
    for (let minute = 0; minute < 10; minute++) {
      world.advance(30_000);
      last.deliver(PONG);
    }
    world.advance(1_000);
    expect(last.closed).toBe(true);
    world.advance(600_000);
    expect(script.wires).toHaveLength(3);
  });

  it("closes its connection on pagehide, and reconnects when it returns from the back/forward cache", () => {
    const wire = online();
    tab.emit("pagehide");
    expect(wire.closed).toBe(true);
    world.advance(60_000);
    expect(script.wires).toHaveLength(1);
    tab.emit("pageshow");
    expect(script.wires).toHaveLength(2);
  });
});

describe("the network of the machine", () => {
  it("leads to the state offline while the browser reports no network, and to a reconnect when it returns", () => {
    const wire = online();
    tab.unplug();
    wire.close(1006);
    expect(connection.link.value).toBe("offline");
    world.advance(10_000);
    script.wire.close(1006);
    const count = script.wires.length;
    tab.plug();
    expect(script.wires).toHaveLength(count + 1);
  });
});

describe("an attempt without a welcome", () => {
  /** Waits until the newest attempt is given up. @returns its duration in milliseconds */
  function lasts(): number {
    const begun = world.now();
    const { wire } = script;
    while (!wire.closed) world.advance(500);
    return world.now() - begun;
  }
  const next = (): void => {
    for (const { length } = script.wires; script.wires.length === length; ) world.advance(100);
  };

  it("ends after 8 s, then after twice as long each time, at most 30 s, for slow networks", () => {
    connection.start();
    const times: number[] = [];
    for (let n = 0; n < 5; n++) {
      if (n) next();
      times.push(lasts());
    }
    expect(times).toEqual([8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it("has the same time again for its welcome once it has opened", () => {
    connection.start();
    world.advance(7_000);
    script.wire.open();
    world.advance(7_999);
    expect(script.wire.closed).toBe(false);
    world.advance(1);
    expect(script.wire.closed).toBe(true);
  });

  it("ends after 16 s once a stable connection was lost, and after 8 s after a new start", () => {
    connection.start();
    lasts();
    next();
    lasts();
    next();
    const wire = script.greet();
    for (let n = 0; n < 3; n++) {
      world.advance(15_000);
      wire.deliver(PONG);
    }
    wire.close(1006);
    next();
    expect(lasts()).toBe(16_000);
    connection.stop();
    connection.start();
    expect(lasts()).toBe(8_000);
  });
});
