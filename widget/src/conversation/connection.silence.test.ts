import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Dialled, dial, PONG } from "./connection.fixture.ts";
import { WELCOME } from "./script.fixture.ts";

let world: Dialled["world"];
let tab: Dialled["tab"];
let script: Dialled["script"];
let connection: Dialled["connection"];
let heard: Dialled["heard"];
let losses: Dialled["losses"];
let online: Dialled["online"];
/** Whether the visitor wants to be told of replies while he looks elsewhere. */
let stays: boolean;

beforeEach(() => {
  stays = false;
  ({ world, tab, script, connection, heard, losses, online } = dial(
    () => false,
    () => stays,
  ));
});

describe("a connection that died without a word", () => {
  it("is replaced after 40 s of silence, without waiting for its close", () => {
    const wire = online();
    world.advance(35_000);
    wire.say(PONG);
    world.advance(39_000);
    expect(script.wires).toHaveLength(1);
    world.advance(6_000);
    expect(wire.closed).toBe(true);
    expect(script.wires).toHaveLength(2);
    expect(losses).toEqual([1006]);
  });

  it("does not disturb the new one when its close comes late", () => {
    const wire = online();
    world.advance(45_000);
    script.greet();
    wire.close(1006);
    wire.say(PONG);
    expect(connection.link.value).toBe("online");
    expect(heard.map(({ t }) => t)).toEqual(["welcome", "welcome"]);
  });

  for (const event of ["visibilitychange", "online", "pageshow", "focus", "offline"] as const)
    it(`is found within 2.5 s of ${event}`, () => {
      const wire = online();
      tab.emit(event);
      expect(wire.sent.at(-1)).toEqual({ t: "ping" });
      world.advance(2_500);
      expect(wire.closed).toBe(true);
      expect(script.wires).toHaveLength(2);
    });

  it("has twice as long for its answer as it took to be welcomed, where that took longer", () => {
    connection.start();
    const { wire } = script;
    wire.open();
    world.advance(3_000);
    wire.say(WELCOME);
    tab.emit("focus");
    world.advance(5_999);
    expect(wire.closed).toBe(false);
    world.advance(1);
    expect(wire.closed).toBe(true);
  });

  it("is left alone when any frame answers the ping", () => {
    const wire = online();
    tab.emit("focus");
    wire.say(PONG);
    world.advance(10_000);
    expect(script.wires).toHaveLength(1);
  });

  it("is asked for a sign of life when the machine has slept, and not given up unheard", () => {
    const wire = online();
    world.sleep(3_600_000);
    world.advance(0);
    expect(wire.sent.at(-1)).toEqual({ t: "ping" });
    wire.say(PONG);
    world.advance(20_000);
    expect(script.wires).toHaveLength(1);
  });

  it("is still found when the clock was put back a day", () => {
    const back = vi.spyOn(tab.page, "now");
    const wire = online();
    back.mockImplementation(() => world.now() - 86_400_000);
    world.advance(50_000);
    expect(wire.closed).toBe(true);
  });
});

describe("a page that is not looked at", () => {
  it("keeps its connection for 5 minutes, then closes it and greets again when seen", () => {
    const wire = online();
    tab.hide();
    for (let minute = 0; minute < 10; minute++) {
      world.advance(29_000);
      wire.say(PONG);
    }
    expect(wire.closed).toBe(false);
    world.advance(11_000);
    expect(wire.closed).toBe(true);
    world.advance(3_600_000);
    expect(script.wires).toHaveLength(1);
    tab.show();
    expect(script.wires).toHaveLength(2);
  });

  it("does not try to come back until it is seen", () => {
    const wire = online();
    tab.hide();
    wire.close(1006);
    tab.emit("online");
    world.advance(60_000);
    expect(script.wires).toHaveLength(1);
    tab.show();
    expect(script.wires).toHaveLength(2);
  });

  it("keeps its connection, and comes back after a loss, for as long as the visitor wants to be told of replies", () => {
    const wire = online();
    stays = true;
    tab.hide();
    for (let minute = 0; minute < 60; minute++) {
      world.advance(30_000);
      wire.say(PONG);
    }
    expect(wire.closed).toBe(false);
    wire.close(1006);
    world.advance(1_000);
    expect(script.wires).toHaveLength(2);
    const next = script.greet();
    // Not a word from it: it is dead, and replaced.
    world.advance(45_000);
    expect([next.closed, script.wires.length]).toEqual([true, 3]);
    const last = script.greet();
    stays = false;
    for (let minute = 0; minute < 10; minute++) {
      world.advance(30_000);
      last.say(PONG);
    }
    world.advance(1_000);
    expect(last.closed).toBe(true);
    world.advance(600_000);
    expect(script.wires).toHaveLength(3);
  });

  it("closes when it goes away and greets again when it comes back from the cache", () => {
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
  it("shows offline while the browser says so, and tries at once when it is back", () => {
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

describe("an attempt that nobody welcomes", () => {
  /** How long the newest attempt lasts. */
  function lasts(): number {
    const begun = world.now();
    const { wire } = script;
    while (!wire.closed) world.advance(500);
    return world.now() - begun;
  }
  const next = (): void => {
    for (const { length } = script.wires; script.wires.length === length; ) world.advance(100);
  };

  it("is given 8 s, then twice as long each time, at most 30 s: on a slow network nothing opens sooner", () => {
    connection.start();
    const times: number[] = [];
    for (let n = 0; n < 5; n++) {
      if (n) next();
      times.push(lasts());
    }
    expect(times).toEqual([8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it("has as long again for its welcome once it has opened", () => {
    connection.start();
    world.advance(7_000);
    script.wire.open();
    world.advance(7_999);
    expect(script.wire.closed).toBe(false);
    world.advance(1);
    expect(script.wire.closed).toBe(true);
  });

  it("is given 8 s again after a connection that held", () => {
    connection.start();
    lasts();
    next();
    lasts();
    next();
    const wire = script.greet();
    for (let n = 0; n < 3; n++) {
      world.advance(15_000);
      wire.say(PONG);
    }
    wire.close(1006);
    next();
    expect(lasts()).toBe(16_000);
    connection.stop();
    connection.start();
    expect(lasts()).toBe(8_000);
  });
});
