import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFallbackStage, type FallbackStage, settled } from "./http-fallback.fixture.ts";

let stage: FallbackStage;
beforeEach(() => {
  stage = createFallbackStage();
});
afterEach(() => {
  stage.world.advance(0);
  expect(stage.world.pending()).toBe(0);
  expect(stage.tab.listening()).toBe(0);
});

for (const [name, mode] of [
  ["a stream", "stream"],
  ["long polls", "poll"],
] as const)
  describe(name, () => {
    if (mode === "poll") beforeEach(() => stage.bufferStreams());

    it("opens a connection, reads frames and ends with the relay's close code", async () => {
      await stage.dial();
      expect(stage.posts).toEqual(["/socket/lines"]);
      expect(stage.gets).toMatchObject([{ mode }]);
      stage.gets[0]?.deliver(
        '\n{"t":"pong","head":1}\n\n{"t":"pong","head":2}\n{"t":"end","code":4410}\n{"t":"pong","head":3}\n',
      );
      stage.gets[0]?.finish();
      await settled();
      expect(stage.events).toEqual(["open", '{"t":"pong","head":1}', '{"t":"pong","head":2}', "close 4410"]);
      expect(stage.gets).toHaveLength(1);
    });

    it("sends one POST at a time, with all frames that wait", async () => {
      let answerFirst: (response: Response) => void = () => {};
      const transport = await stage.dial();
      stage.answer = () =>
        new Promise((resolve) => {
          answerFirst = resolve;
        });
      for (const text of ["one", "two", "three"]) transport.send(text);
      await settled();
      expect(stage.posts.slice(1)).toEqual(["/socket/lines/abc one"]);
      answerFirst(new Response());
      await settled();
      expect(stage.posts.slice(2)).toEqual(["/socket/lines/abc two\nthree"]);
      transport.close();
    });

    it("keeps each POST within the relay's size limit", async () => {
      const transport = await stage.dial();
      const long = "x".repeat(20_000);
      for (let n = 0; n < 3; n++) transport.send(long);
      await settled();
      expect(stage.posts.slice(1).map(({ length }) => length)).toEqual([20_018, 20_018, 20_018]);
      transport.close();
    });

    for (const [what, when] of [
      ["it cannot be opened", "/socket/lines"],
      ["a POST is refused", "/socket/lines/abc"],
    ] as const)
      it(`is lost when ${what}`, async () => {
        stage.answer = (path) => (path === when ? new Response("", { status: 503 }) : undefined);
        const transport = await stage.dial();
        transport.send("one");
        await settled();
        expect(stage.events.at(-1)).toBe("close 1006");
        expect(stage.gets.every(({ gone }) => gone)).toBe(true);
      });

    it("sends the waiting frames and an end when it is closed, and emits no more events", async () => {
      const transport = await stage.dial();
      stage.answer = () => new Promise(() => {});
      transport.send("one");
      stage.answer = () => undefined;
      transport.send("two");
      transport.close();
      await settled();
      stage.gets[0]?.deliver('{"t":"pong","head":1}\n');
      await settled();
      expect(stage.posts.slice(1)).toEqual(["/socket/lines/abc one", "/socket/lines/abc two", "/socket/lines/abc/end"]);
      expect(stage.gets[0]?.gone).toBe(true);
      expect(stage.events).toEqual(["open"]);
    });

    it("ends a connection that opened after it was closed", async () => {
      let answerOpening: (response: Response) => void = () => {};
      stage.answer = () =>
        new Promise((resolve) => {
          answerOpening = resolve;
        });
      const transport = await stage.dial();
      transport.close();
      stage.answer = () => undefined;
      answerOpening(Response.json({ line: "abc" }));
      await settled();
      expect(stage.posts).toEqual(["/socket/lines", "/socket/lines/abc/end"]);
      expect(stage.gets).toEqual([]);
    });
  });

describe("a stream", () => {
  it("reads frames that come in pieces", async () => {
    const transport = await stage.dial();
    for (const piece of ['{"t":"po', 'ng","head"', ':1}\n{"t":"pong","head":2}\n']) stage.gets[0]?.deliver(piece);
    await settled();
    expect(stage.events.slice(1)).toEqual(['{"t":"pong","head":1}', '{"t":"pong","head":2}']);
    transport.close();
  });

  it("is replaced by polls when nothing arrives for 5 s, not even an empty line", async () => {
    await stage.dial();
    stage.world.advance(5_000);
    expect(stage.events).toEqual(["open", "close 4000"]);
  });

  it("continues after an empty line", async () => {
    const transport = await stage.dial();
    stage.gets[0]?.deliver("\n");
    await settled();
    stage.world.advance(60_000);
    expect(stage.events).toEqual(["open"]);
    transport.close();
  });

  it("is lost when it ends without the relay's last line", async () => {
    await stage.dial();
    stage.gets[0]?.finish();
    await settled();
    expect(stage.events.at(-1)).toBe("close 1006");
  });
});

describe("long polls", () => {
  beforeEach(() => stage.bufferStreams());

  it("are repeated after each answer, also an empty one", async () => {
    const transport = await stage.dial();
    stage.gets[0]?.finish();
    await settled();
    stage.gets[1]?.deliver('{"t":"pong","head":1}\n');
    stage.gets[1]?.finish();
    await settled();
    expect(stage.gets).toHaveLength(3);
    expect(stage.events.slice(1)).toEqual(['{"t":"pong","head":1}']);
    transport.close();
  });
});

it("waits longer for the first line of a stream where every answer takes long", async () => {
  stage.answer = (path) =>
    path === "/socket/lines"
      ? new Promise((resolve) => stage.world.after(3_000, () => resolve(Response.json({ line: "abc" }))))
      : undefined;
  await stage.dial();
  stage.world.advance(3_000);
  await settled();
  stage.world.advance(11_999);
  expect(stage.events).toEqual(["open"]);
  stage.world.advance(1);
  expect(stage.events).toEqual(["open", "close 4000"]);
});

it("tries streams again ten minutes after a proxy buffered one", async () => {
  await stage.bufferStreams();
  (await stage.dial()).close();
  expect(stage.gets.map(({ mode }) => mode)).toEqual(["poll"]);
  stage.world.advance(10 * 60_000);
  stage.events = [];
  (await stage.dial()).close();
  await settled();
  expect(stage.gets.map(({ mode }) => mode)).toEqual(["poll", "stream"]);
});

it("reports that this page may not have the chat only if the relay itself answers so", async () => {
  const refusal = { error: "no", code: "origin_not_allowed" };
  for (const [body, code] of [
    [JSON.stringify(refusal), 4403],
    ["<h1>Forbidden</h1>", 1006],
  ] as const) {
    stage.answer = () => new Response(body, { status: 403 });
    await stage.dial();
    await settled();
    expect(stage.events).toEqual([`close ${code}`]);
    stage.events = [];
  }
});
