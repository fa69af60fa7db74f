import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Laid, layLines, settled } from "./http-fallback.fixture.ts";

let at: Laid;
beforeEach(() => {
  at = layLines();
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
    if (mode === "poll") beforeEach(() => at.holdBack());

    it("opens a line, reads frames and ends with the relay's code", async () => {
      await at.dial();
      expect(at.posts).toEqual(["/socket/lines"]);
      expect(at.downs).toMatchObject([{ mode }]);
      at.downs[0]?.say(
        '\n{"t":"pong","head":1}\n\n{"t":"pong","head":2}\n{"t":"end","code":4410}\n{"t":"pong","head":3}\n',
      );
      at.downs[0]?.finish();
      await settled();
      expect(at.told).toEqual(["open", '{"t":"pong","head":1}', '{"t":"pong","head":2}', "close 4410"]);
      expect(at.downs).toHaveLength(1);
    });

    it("posts one after the other, several frames at once when they had to wait", async () => {
      let let1: (response: Response) => void = () => {};
      const way = await at.dial();
      at.answer = () =>
        new Promise((resolve) => {
          let1 = resolve;
        });
      for (const text of ["one", "two", "three"]) way.send(text);
      await settled();
      expect(at.posts.slice(1)).toEqual(["/socket/lines/abc one"]);
      let1(new Response());
      await settled();
      expect(at.posts.slice(2)).toEqual(["/socket/lines/abc two\nthree"]);
      way.close();
    });

    it("keeps each post within what the relay takes", async () => {
      const way = await at.dial();
      const long = "x".repeat(20_000);
      for (let n = 0; n < 3; n++) way.send(long);
      await settled();
      expect(at.posts.slice(1).map(({ length }) => length)).toEqual([20_018, 20_018, 20_018]);
      way.close();
    });

    for (const [what, when] of [
      ["the line cannot be opened", "/socket/lines"],
      ["a post is refused", "/socket/lines/abc"],
    ] as const)
      it(`is lost when ${what}`, async () => {
        at.answer = (path) => (path === when ? new Response("", { status: 503 }) : undefined);
        const way = await at.dial();
        way.send("one");
        await settled();
        expect(at.told.at(-1)).toBe("close 1006");
        expect(at.downs.every(({ gone }) => gone)).toBe(true);
      });

    it("says what is left and goodbye when it is closed, and tells nothing more", async () => {
      const way = await at.dial();
      at.answer = () => new Promise(() => {});
      way.send("one");
      at.answer = () => undefined;
      way.send("two");
      way.close();
      await settled();
      at.downs[0]?.say('{"t":"pong","head":1}\n');
      await settled();
      expect(at.posts.slice(1)).toEqual(["/socket/lines/abc one", "/socket/lines/abc two", "/socket/lines/abc/end"]);
      expect(at.downs[0]?.gone).toBe(true);
      expect(at.told).toEqual(["open"]);
    });

    it("says goodbye to a line that came when nobody wanted it any more", async () => {
      let come: (response: Response) => void = () => {};
      at.answer = () =>
        new Promise((resolve) => {
          come = resolve;
        });
      const way = await at.dial();
      way.close();
      at.answer = () => undefined;
      come(Response.json({ line: "abc" }));
      await settled();
      expect(at.posts).toEqual(["/socket/lines", "/socket/lines/abc/end"]);
      expect(at.downs).toEqual([]);
    });
  });

describe("a stream", () => {
  it("reads frames that come in pieces", async () => {
    const way = await at.dial();
    for (const piece of ['{"t":"po', 'ng","head"', ':1}\n{"t":"pong","head":2}\n']) at.downs[0]?.say(piece);
    await settled();
    expect(at.told.slice(1)).toEqual(['{"t":"pong","head":1}', '{"t":"pong","head":2}']);
    way.close();
  });

  it("is given up for polls when nothing comes for 5 s, not even an empty line", async () => {
    await at.dial();
    at.world.advance(5_000);
    expect(at.told).toEqual(["open", "close 4000"]);
  });

  it("waits on when an empty line came", async () => {
    const way = await at.dial();
    at.downs[0]?.say("\n");
    await settled();
    at.world.advance(60_000);
    expect(at.told).toEqual(["open"]);
    way.close();
  });

  it("is lost when it ends without a word", async () => {
    await at.dial();
    at.downs[0]?.finish();
    await settled();
    expect(at.told.at(-1)).toBe("close 1006");
  });
});

describe("long polls", () => {
  beforeEach(() => at.holdBack());

  it("ask again after each at.answer, also an empty one", async () => {
    const way = await at.dial();
    at.downs[0]?.finish();
    await settled();
    at.downs[1]?.say('{"t":"pong","head":1}\n');
    at.downs[1]?.finish();
    await settled();
    expect(at.downs).toHaveLength(3);
    expect(at.told.slice(1)).toEqual(['{"t":"pong","head":1}']);
    way.close();
  });
});

it("waits longer for the first word of a stream where every at.answer takes long", async () => {
  at.answer = (path) =>
    path === "/socket/lines"
      ? new Promise((resolve) => at.world.after(3_000, () => resolve(Response.json({ line: "abc" }))))
      : undefined;
  await at.dial();
  at.world.advance(3_000);
  await settled();
  at.world.advance(11_999);
  expect(at.told).toEqual(["open"]);
  at.world.advance(1);
  expect(at.told).toEqual(["open", "close 4000"]);
});

it("tries streams again ten minutes after one was held back", async () => {
  await at.holdBack();
  (await at.dial()).close();
  expect(at.downs.map(({ mode }) => mode)).toEqual(["poll"]);
  at.world.advance(10 * 60_000);
  at.told = [];
  (await at.dial()).close();
  await settled();
  expect(at.downs.map(({ mode }) => mode)).toEqual(["poll", "stream"]);
});

it("says that this page may not have the chat when that is the relay's at.answer, and nobody else's", async () => {
  const refusal = { error: "no", code: "origin_not_allowed" };
  for (const [body, code] of [
    [JSON.stringify(refusal), 4403],
    ["<h1>Forbidden</h1>", 1006],
  ] as const) {
    at.answer = () => new Response(body, { status: 403 });
    await at.dial();
    await settled();
    expect(at.told).toEqual([`close ${code}`]);
    at.told = [];
  }
});
