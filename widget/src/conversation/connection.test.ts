import { CLOSE, CLOSE_CODE } from "@porchlight/shared/close";
import { PROTOCOL, type RelayFrame } from "@porchlight/shared/protocol";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type Dialled, dial, PONG } from "./connection.fixture.ts";
import { createConnection, FINAL } from "./connection.ts";
import { createScript } from "./script.fixture.ts";

let world: Dialled["world"];
let tab: Dialled["tab"];
let script: Dialled["script"];
let connection: Dialled["connection"];
let heard: Dialled["heard"];
let online: Dialled["online"];
let refused: () => boolean;

beforeEach(() => {
  refused = () => false;
  ({ world, tab, script, connection, heard, online } = dial(() => refused()));
});

describe("greeting", () => {
  it("opens nothing before it is started", () => {
    world.advance(60_000);
    expect(script.wires).toHaveLength(0);
    expect(tab.listening()).toBe(0);
    expect(connection.link.value).toBe("idle");
  });

  it("says hello when the transport opens and is online with the welcome", () => {
    connection.start();
    expect(connection.link.value).toBe("connecting");
    script.wire.open();
    expect(script.wire.sent).toEqual([{ t: "hello", v: PROTOCOL, site: "default" }]);
    expect(connection.link.value).toBe("connecting");
    script.greet();
    expect(connection.link.value).toBe("online");
    expect(heard.map(({ t }) => t)).toEqual(["welcome"]);
  });

  it("tells nothing that came before the welcome, and nothing that is not a frame", () => {
    connection.start();
    script.wire.say(PONG);
    script.greet();
    script.wire.say({ t: "pong" } as RelayFrame);
    expect(heard.map(({ t }) => t)).toEqual(["welcome"]);
  });

  it("gives up an attempt without a welcome after 8 s", () => {
    connection.start();
    script.wire.open();
    world.advance(7_999);
    expect(script.wire.closed).toBe(false);
    world.advance(1);
    expect(script.wires[0]?.closed).toBe(true);
    expect(connection.link.value).toBe("waiting");
  });

  it("starts once, however often it is told to", () => {
    connection.start();
    connection.start();
    script.greet();
    connection.start();
    expect(script.wires).toHaveLength(1);
  });
});

describe("coming back", () => {
  it("waits 0-1 s first, then up to twice as long each time, at most 30 s", () => {
    connection.start();
    const longest: number[] = [];
    for (let round = 0; round < 12; round++) {
      const count = script.wires.length;
      script.wire.close(1006);
      let waited = 0;
      while (script.wires.length === count) {
        world.advance(100);
        waited += 100;
      }
      longest.push(waited);
    }
    const caps = [1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30].map((s) => s * 1_000 + 100);
    longest.forEach((waited, round) => {
      expect(waited).toBeLessThanOrEqual(caps[round] ?? 0);
    });
    expect(Math.max(...longest)).toBeGreaterThan(8_000);
  });

  it("spreads 2,000 clients that fell together evenly over the first second", () => {
    const scripts = Array.from({ length: 2_000 }, () => {
      const own = createScript();
      const hello = () => ({ t: "hello", v: PROTOCOL, site: "default" }) as const;
      const ignore = () => {};
      createConnection({
        page: tab.page,
        open: own.connect,
        hello,
        heard: ignore,
        lost: ignore,
        refused: () => false,
      }).start();
      own.greet();
      return own;
    });
    for (const own of scripts) own.wire.close(1006);
    let back = 0;
    for (let bin = 0; bin < 10; bin++) {
      world.advance(100);
      const now = scripts.filter(({ wires }) => wires.length > 1).length;
      expect((now - back) / 2_000).toBeLessThan(0.15);
      back = now;
    }
    expect(back).toBe(2_000);
  });

  it("forgets its failures only after 30 s online", () => {
    const wait = vi.spyOn(tab.page, "random");
    connection.start();
    for (let round = 0; round < 6; round++) {
      script.wire.close(1006);
      world.advance(30_000);
    }
    wait.mockReturnValue(0.999);
    script.greet();
    world.advance(29_000);
    script.wire.close(1006);
    world.advance(20_000);
    expect(connection.link.value).toBe("waiting");
    world.advance(10_000);
    script.greet();
    world.advance(30_000);
    script.wire.close(1006);
    world.advance(1_000);
    expect(connection.link.value).toBe("connecting");
  });

  it("comes back in the time that bye asks for, and not before for any reason but that", () => {
    const wire = online();
    wire.say({ t: "bye", retry: [10_000, 20_000] });
    wire.close(CLOSE_CODE.restart);
    tab.emit("online");
    tab.show();
    world.advance(9_999);
    expect(script.wires).toHaveLength(1);
    world.advance(10_001);
    expect(script.wires).toHaveLength(2);
  });

  it("never comes back after a final close, and says why", () => {
    for (const why of ["notAllowed", "gone", "version"] as const) {
      online().close(CLOSE[why].code);
      expect(connection.link.value).toBe("ended");
      expect(connection.ending.value).toBe(why);
      const count = script.wires.length;
      tab.show();
      tab.emit("online");
      world.advance(3_600_000);
      expect(script.wires).toHaveLength(count);
      expect(tab.listening()).toBe(0);
      expect(world.pending()).toBe(0);
    }
  });

  it("knows every close code that is final, and the one that asks for another hello", () => {
    const names = (again: string) =>
      Object.entries(CLOSE).flatMap(([name, ending]) => (ending.reconnect === again ? [name] : []));
    expect(names("never").filter((name) => name !== "normal")).toEqual([...FINAL]);
    expect(names("now")).toEqual(["badToken"]);
  });

  it("takes a 1000 from anybody in between for a loss", () => {
    online().close(1000);
    expect(connection.link.value).toBe("waiting");
  });

  it("greets at once after a refused token, and ends when there is nothing left to leave out", () => {
    refused = () => script.wires.length < 2;
    connection.start();
    script.wire.open();
    script.wire.close(CLOSE_CODE.badToken);
    expect(script.wires).toHaveLength(2);
    script.wire.open();
    script.wire.close(CLOSE_CODE.badToken);
    expect(connection.ending.value).toBe("badToken");
    expect(script.wires).toHaveLength(2);
  });

  it("takes its time after a token that was given back elsewhere", () => {
    refused = () => false;
    online().close(CLOSE_CODE.badToken);
    expect(connection.link.value).toBe("waiting");
    world.advance(1_000);
    expect(script.wires).toHaveLength(2);
  });

  it("begins anew after an ending when started again", () => {
    online().close(CLOSE_CODE.gone);
    online();
    expect(connection.link.value).toBe("online");
    expect(connection.ending.value).toBeUndefined();
  });
});

describe("an ending from this side", () => {
  it("leaves no timer, no listener and no connection", () => {
    const wire = online();
    tab.hide();
    connection.stop();
    expect(wire.closed).toBe(true);
    expect(world.pending()).toBe(0);
    expect(tab.listening()).toBe(0);
    expect(connection.link.value).toBe("idle");
  });

  it("opens nothing twice when it is to greet anew before it could greet", () => {
    connection.start();
    connection.reconnect("now");
    expect(script.wires).toHaveLength(1);
    script.wire.open();
    connection.reconnect("now");
    expect(script.wires).toHaveLength(2);
  });

  it("drops and greets anew when asked, at once or after a while", () => {
    online();
    connection.reconnect("now");
    expect(script.wires).toHaveLength(2);
    script.greet();
    connection.reconnect();
    expect(script.wires).toHaveLength(2);
    expect(connection.link.value).toBe("waiting");
    world.advance(1_000);
    expect(script.wires).toHaveLength(3);
  });
});
