import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Dialled, dial, PONG } from "./connection.fixture.ts";

let world: Dialled["world"];
let tab: Dialled["tab"];
let script: Dialled["script"];
let connection: Dialled["connection"];
let heard: Dialled["heard"];
let losses: Dialled["losses"];
let online: Dialled["online"];

beforeEach(() => {
  ({ world, tab, script, connection, heard, losses, online } = dial(() => false));
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
