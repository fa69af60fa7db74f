import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFallbackFixture, type FallbackFixture, settled } from "./http-fallback.fixture.ts";

let fixture: FallbackFixture;
beforeEach(() => {
  fixture = createFallbackFixture();
});
afterEach(() => {
  fixture.world.advance(0);
  expect(fixture.world.pending()).toBe(0);
  expect(fixture.tab.listening()).toBe(0);
});

for (const [name, mode] of [
  ["a stream", "stream"],
  ["long polls", "poll"],
] as const)
  describe(name, () => {
    if (mode === "poll") beforeEach(() => fixture.bufferStreams());

    it("opens a connection, reads frames and ends with the relay's close code", async () => {
      await fixture.dial();
      expect(fixture.posts).toEqual(["/socket/lines"]);
      expect(fixture.gets).toMatchObject([{ mode }]);
      fixture.gets[0]?.deliver(
        '\n{"t":"pong","head":1}\n\n{"t":"pong","head":2}\n{"t":"end","code":4410}\n{"t":"pong","head":3}\n',
      );
      fixture.gets[0]?.finish();
      await settled();
      expect(fixture.events).toEqual(["open", '{"t":"pong","head":1}', '{"t":"pong","head":2}', "close 4410"]);
      expect(fixture.gets).toHaveLength(1);
    });

    it("sends one POST at a time, with all frames that wait", async () => {
      let answerFirst: (response: Response) => void = () => {};
      const transport = await fixture.dial();
      fixture.answer = () =>
        new Promise((resolve) => {
          answerFirst = resolve;
        });
      for (const text of ["one", "two", "three"]) transport.send(text);
      await settled();
      expect(fixture.posts.slice(1)).toEqual(["/socket/lines/abc one"]);
      answerFirst(new Response());
      await settled();
      expect(fixture.posts.slice(2)).toEqual(["/socket/lines/abc two\nthree"]);
      transport.close();
    });

    it("keeps each POST within the relay's size limit", async () => {
      const transport = await fixture.dial();
      const long = "x".repeat(20_000);
      for (let n = 0; n < 3; n++) transport.send(long);
      await settled();
      expect(fixture.posts.slice(1).map(({ length }) => length)).toEqual([20_018, 20_018, 20_018]);
      transport.close();
    });

    for (const [what, when] of [
      ["it cannot be opened", "/socket/lines"],
      ["a POST is refused", "/socket/lines/abc"],
    ] as const)
      it(`is lost when ${what}`, async () => {
        fixture.answer = (path) => (path === when ? new Response("", { status: 503 }) : undefined);
        const transport = await fixture.dial();
        transport.send("one");
        await settled();
        expect(fixture.events.at(-1)).toBe("close 1006");
        expect(fixture.gets.every(({ gone }) => gone)).toBe(true);
      });

    it("sends the waiting frames and an end when it is closed, and emits no more events", async () => {
      const transport = await fixture.dial();
      fixture.answer = () => new Promise(() => {});
      transport.send("one");
      fixture.answer = () => undefined;
      transport.send("two");
      transport.close();
      await settled();
      fixture.gets[0]?.deliver('{"t":"pong","head":1}\n');
      await settled();
      expect(fixture.posts.slice(1)).toEqual([
        "/socket/lines/abc one",
        "/socket/lines/abc two",
        "/socket/lines/abc/end",
      ]);
      expect(fixture.gets[0]?.gone).toBe(true);
      expect(fixture.events).toEqual(["open"]);
    });

    it("ends a connection that opened after it was closed", async () => {
      let answerOpening: (response: Response) => void = () => {};
      fixture.answer = () =>
        new Promise((resolve) => {
          answerOpening = resolve;
        });
      const transport = await fixture.dial();
      transport.close();
      fixture.answer = () => undefined;
      answerOpening(Response.json({ line: "abc" }));
      await settled();
      expect(fixture.posts).toEqual(["/socket/lines", "/socket/lines/abc/end"]);
      expect(fixture.gets).toEqual([]);
    });
  });

describe("a stream", () => {
  it("reads frames that come in pieces", async () => {
    const transport = await fixture.dial();
    for (const piece of ['{"t":"po', 'ng","head"', ':1}\n{"t":"pong","head":2}\n']) fixture.gets[0]?.deliver(piece);
    await settled();
    expect(fixture.events.slice(1)).toEqual(['{"t":"pong","head":1}', '{"t":"pong","head":2}']);
    transport.close();
  });

  it("is replaced by polls when nothing arrives for 5 s, not even an empty line", async () => {
    await fixture.dial();
    fixture.world.advance(5_000);
    expect(fixture.events).toEqual(["open", "close 4000"]);
  });

  it("continues after an empty line", async () => {
    const transport = await fixture.dial();
    fixture.gets[0]?.deliver("\n");
    await settled();
    fixture.world.advance(60_000);
    expect(fixture.events).toEqual(["open"]);
    transport.close();
  });

  it("is lost when it ends without the relay's last line", async () => {
    await fixture.dial();
    fixture.gets[0]?.finish();
    await settled();
    expect(fixture.events.at(-1)).toBe("close 1006");
  });
});

describe("long polls", () => {
  beforeEach(() => fixture.bufferStreams());

  it("are repeated after each answer, also an empty one", async () => {
    const transport = await fixture.dial();
    fixture.gets[0]?.finish();
    await settled();
    fixture.gets[1]?.deliver('{"t":"pong","head":1}\n');
    fixture.gets[1]?.finish();
    await settled();
    expect(fixture.gets).toHaveLength(3);
    expect(fixture.events.slice(1)).toEqual(['{"t":"pong","head":1}']);
    transport.close();
  });
});

it("waits longer for the first line of a stream where every answer takes long", async () => {
  fixture.answer = (path) =>
    path === "/socket/lines"
      ? new Promise((resolve) => fixture.world.after(3_000, () => resolve(Response.json({ line: "abc" }))))
      : undefined;
  await fixture.dial();
  fixture.world.advance(3_000);
  await settled();
  fixture.world.advance(11_999);
  expect(fixture.events).toEqual(["open"]);
  fixture.world.advance(1);
  expect(fixture.events).toEqual(["open", "close 4000"]);
});

it("tries streams again ten minutes after a proxy buffered one", async () => {
  await fixture.bufferStreams();
  (await fixture.dial()).close();
  expect(fixture.gets.map(({ mode }) => mode)).toEqual(["poll"]);
  fixture.world.advance(10 * 60_000);
  fixture.events = [];
  (await fixture.dial()).close();
  await settled();
  expect(fixture.gets.map(({ mode }) => mode)).toEqual(["poll", "stream"]);
});

it("reports that this page may not have the chat only if the relay itself answers so", async () => {
  const refusal = { error: "no", code: "origin_not_allowed" };
  for (const [body, code] of [
    [JSON.stringify(refusal), 4403],
    ["<h1>Forbidden</h1>", 1006],
  ] as const) {
    fixture.answer = () => new Response(body, { status: 403 });
    await fixture.dial();
    await settled();
    expect(fixture.events).toEqual([`close ${code}`]);
    fixture.events = [];
  }
});
