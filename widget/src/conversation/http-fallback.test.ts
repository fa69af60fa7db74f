import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFallbackStage, type FallbackStage, settled } from "./http-fallback.fixture.ts";

let at: FallbackStage;
beforeEach(() => {
  at = createFallbackStage();
});
afterEach(() => {
  at.world.advance(0);
  expect(at.world.pending()).toBe(0);
  expect(at.tab.listening()).toBe(0);
});

for (const [name, mode] of [
  ["a stream", "stream"],
  ["long polls", "poll"],
] as const)
  describe(name, () => {
    if (mode === "poll") beforeEach(() => at.bufferStreams());

    it("opens a connection, reads frames and ends with the relay's close code", async () => {
      await at.dial();
      expect(at.posts).toEqual(["/socket/lines"]);
      expect(at.gets).toMatchObject([{ mode }]);
      at.gets[0]?.deliver(
        '\n{"t":"pong","head":1}\n\n{"t":"pong","head":2}\n{"t":"end","code":4410}\n{"t":"pong","head":3}\n',
      );
      at.gets[0]?.finish();
      await settled();
      expect(at.events).toEqual(["open", '{"t":"pong","head":1}', '{"t":"pong","head":2}', "close 4410"]);
      expect(at.gets).toHaveLength(1);
    });

    it("sends one POST at a time, with all frames that wait", async () => {
      let answerFirst: (response: Response) => void = () => {};
      const transport = await at.dial();
      at.answer = () =>
        new Promise((resolve) => {
          answerFirst = resolve;
        });
      for (const text of ["one", "two", "three"]) transport.send(text);
      await settled();
      expect(at.posts.slice(1)).toEqual(["/socket/lines/abc one"]);
      answerFirst(new Response());
      await settled();
      expect(at.posts.slice(2)).toEqual(["/socket/lines/abc two\nthree"]);
      transport.close();
    });

    it("keeps each POST within the relay's size limit", async () => {
      const transport = await at.dial();
      const long = "x".repeat(20_000);
      for (let n = 0; n < 3; n++) transport.send(long);
      await settled();
      expect(at.posts.slice(1).map(({ length }) => length)).toEqual([20_018, 20_018, 20_018]);
      transport.close();
    });

    for (const [what, when] of [
      ["it cannot be opened", "/socket/lines"],
      ["a POST is refused", "/socket/lines/abc"],
    ] as const)
      it(`is lost when ${what}`, async () => {
        at.answer = (path) => (path === when ? new Response("", { status: 503 }) : undefined);
        const transport = await at.dial();
        transport.send("one");
        await settled();
        expect(at.events.at(-1)).toBe("close 1006");
        expect(at.gets.every(({ gone }) => gone)).toBe(true);
      });

    it("sends the waiting frames and an end when it is closed, and emits no more events", async () => {
      const transport = await at.dial();
      at.answer = () => new Promise(() => {});
      transport.send("one");
      at.answer = () => undefined;
      transport.send("two");
      transport.close();
      await settled();
      at.gets[0]?.deliver('{"t":"pong","head":1}\n');
      await settled();
      expect(at.posts.slice(1)).toEqual(["/socket/lines/abc one", "/socket/lines/abc two", "/socket/lines/abc/end"]);
      expect(at.gets[0]?.gone).toBe(true);
      expect(at.events).toEqual(["open"]);
    });

    it("ends a connection that opened after it was closed", async () => {
      let answerOpening: (response: Response) => void = () => {};
      at.answer = () =>
        new Promise((resolve) => {
          answerOpening = resolve;
        });
      const transport = await at.dial();
      transport.close();
      at.answer = () => undefined;
      answerOpening(Response.json({ line: "abc" }));
      await settled();
      expect(at.posts).toEqual(["/socket/lines", "/socket/lines/abc/end"]);
      expect(at.gets).toEqual([]);
    });
  });

describe("a stream", () => {
  it("reads frames that come in pieces", async () => {
    const transport = await at.dial();
    for (const piece of ['{"t":"po', 'ng","head"', ':1}\n{"t":"pong","head":2}\n']) at.gets[0]?.deliver(piece);
    await settled();
    expect(at.events.slice(1)).toEqual(['{"t":"pong","head":1}', '{"t":"pong","head":2}']);
    transport.close();
  });

  it("is replaced by polls when nothing arrives for 5 s, not even an empty line", async () => {
    await at.dial();
    at.world.advance(5_000);
    expect(at.events).toEqual(["open", "close 4000"]);
  });

  it("continues after an empty line", async () => {
    const transport = await at.dial();
    at.gets[0]?.deliver("\n");
    await settled();
    at.world.advance(60_000);
    expect(at.events).toEqual(["open"]);
    transport.close();
  });

  it("is lost when it ends without the relay's last line", async () => {
    await at.dial();
    at.gets[0]?.finish();
    await settled();
    expect(at.events.at(-1)).toBe("close 1006");
  });
});

describe("long polls", () => {
  beforeEach(() => at.bufferStreams());

  it("are repeated after each answer, also an empty one", async () => {
    const transport = await at.dial();
    at.gets[0]?.finish();
    await settled();
    at.gets[1]?.deliver('{"t":"pong","head":1}\n');
    at.gets[1]?.finish();
    await settled();
    expect(at.gets).toHaveLength(3);
    expect(at.events.slice(1)).toEqual(['{"t":"pong","head":1}']);
    transport.close();
  });
});

it("waits longer for the first line of a stream where every answer takes long", async () => {
  at.answer = (path) =>
    path === "/socket/lines"
      ? new Promise((resolve) => at.world.after(3_000, () => resolve(Response.json({ line: "abc" }))))
      : undefined;
  await at.dial();
  at.world.advance(3_000);
  await settled();
  at.world.advance(11_999);
  expect(at.events).toEqual(["open"]);
  at.world.advance(1);
  expect(at.events).toEqual(["open", "close 4000"]);
});

it("tries streams again ten minutes after a proxy buffered one", async () => {
  await at.bufferStreams();
  (await at.dial()).close();
  expect(at.gets.map(({ mode }) => mode)).toEqual(["poll"]);
  at.world.advance(10 * 60_000);
  at.events = [];
  (await at.dial()).close();
  await settled();
  expect(at.gets.map(({ mode }) => mode)).toEqual(["poll", "stream"]);
});

it("reports that this page may not have the chat only if the relay itself answers so", async () => {
  const refusal = { error: "no", code: "origin_not_allowed" };
  for (const [body, code] of [
    [JSON.stringify(refusal), 4403],
    ["<h1>Forbidden</h1>", 1006],
  ] as const) {
    at.answer = () => new Response(body, { status: 403 });
    await at.dial();
    await settled();
    expect(at.events).toEqual([`close ${code}`]);
    at.events = [];
  }
});
