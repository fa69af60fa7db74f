import { CLOSE, CLOSE_CODE } from "@porchlight/shared/close";
import { PROTOCOL, type RelayFrame } from "@porchlight/shared/protocol";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { type ConnectionFixture, dial, PONG } from "./connection.fixture.ts";
import { createConnection, FINAL } from "./connection.ts";
import { createScript } from "./script.fixture.ts";

let world: ConnectionFixture["world"];
let tab: ConnectionFixture["tab"];
let script: ConnectionFixture["script"];
let connection: ConnectionFixture["connection"];
let received: ConnectionFixture["received"];
let online: ConnectionFixture["online"];
let refused: () => boolean;

beforeEach(() => {
  refused = () => false;
  ({ world, tab, script, connection, received, online } = dial(() => refused()));
});

describe("connecting", () => {
  it("opens no connection before it is started", () => {
    world.advance(60_000);
    expect(script.wires).toHaveLength(0);
    expect(tab.listening()).toBe(0);
    expect(connection.link.value).toBe("idle");
  });

  it("sends hello when the transport opens, and is online after the welcome", () => {
    connection.start();
    expect(connection.link.value).toBe("connecting");
    script.wire.open();
    expect(script.wire.sent).toEqual([{ t: "hello", v: PROTOCOL, site: "default" }]);
    expect(connection.link.value).toBe("connecting");
    script.greet();
    expect(connection.link.value).toBe("online");
    expect(received.map(({ t }) => t)).toEqual(["welcome"]);
  });

  it("ignores frames before the welcome, and invalid frames", () => {
    connection.start();
    script.wire.deliver(PONG);
    script.greet();
    script.wire.deliver({ t: "pong" } as RelayFrame);
    expect(received.map(({ t }) => t)).toEqual(["welcome"]);
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

  it("starts once, however often start is called", () => {
    connection.start();
    connection.start();
    script.greet();
    connection.start();
    expect(script.wires).toHaveLength(1);
  });
});

describe("reconnecting", () => {
  it("waits up to 1 s first, then up to twice as long each time, at most 30 s", () => {
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

  it("spreads 2,000 clients that lost their connections together evenly over the first second", () => {
    const scripts = Array.from({ length: 2_000 }, () => {
      const own = createScript();
      const hello = () => ({ t: "hello", v: PROTOCOL, site: "default" }) as const;
      const ignore = () => {};
      createConnection({
        page: tab.page,
        open: own.connect,
        hello,
        onFrame: ignore,
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

  it("resets the backoff only after 30 s online", () => {
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

  it("happens within the time span of the bye frame, and no event makes it earlier", () => {
    const wire = online();
    wire.deliver({ t: "bye", retry: [10_000, 20_000] });
    wire.close(CLOSE_CODE.restart);
    tab.emit("online");
    tab.show();
    world.advance(9_999);
    expect(script.wires).toHaveLength(1);
    world.advance(10_001);
    expect(script.wires).toHaveLength(2);
  });

  it("never happens after a final close code, and the ending names the reason", () => {
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

  it("treats exactly the final close codes as final, and only badToken as a reason for another hello", () => {
    const names = (again: string) =>
      Object.entries(CLOSE).flatMap(([name, ending]) => (ending.reconnect === again ? [name] : []));
    expect(names("never").filter((name) => name !== "normal")).toEqual([...FINAL]);
    expect(names("now")).toEqual(["badToken"]);
  });

  it("follows a close with 1000, which only a proxy can have sent", () => {
    online().close(1000);
    expect(connection.link.value).toBe("waiting");
  });

  it("happens immediately after a refused token, and not when there is no token left to drop", () => {
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

  it("waits after the token of an online connection was refused", () => {
    refused = () => false;
    online().close(CLOSE_CODE.badToken);
    expect(connection.link.value).toBe("waiting");
    world.advance(1_000);
    expect(script.wires).toHaveLength(2);
  });

  it("is possible again after an ending when start is called", () => {
    online().close(CLOSE_CODE.gone);
    online();
    expect(connection.link.value).toBe("online");
    expect(connection.ending.value).toBeUndefined();
  });
});

describe("stop and reconnect", () => {
  it("stop leaves no timer, no listener and no connection", () => {
    const wire = online();
    tab.hide();
    connection.stop();
    expect(wire.closed).toBe(true);
    expect(world.pending()).toBe(0);
    expect(tab.listening()).toBe(0);
    expect(connection.link.value).toBe("idle");
  });

  it("reconnect keeps an attempt that has not opened yet", () => {
    connection.start();
    connection.reconnect("now");
    expect(script.wires).toHaveLength(1);
    script.wire.open();
    connection.reconnect("now");
    expect(script.wires).toHaveLength(2);
  });

  it("reconnect drops the connection, and connects again immediately or after the backoff", () => {
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
