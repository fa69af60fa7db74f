import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPoll, openStream } from "./lines.ts";
import { createBrowser, createWorld, type World } from "./world.fixture.ts";

/** One GET of the client that waits for its answer. */
type Down = { mode: string | null; say(text: string): void; finish(): void; gone: boolean };

let world: World;
let downs: Down[];
let posts: string[];
let told: string[];
let answer: (path: string) => Response | Promise<Response> | undefined;

beforeEach(() => {
  world = createWorld();
  downs = [];
  posts = [];
  told = [];
  answer = () => undefined;
});

/** The relay's routes for lines, as far as the test wants them. */
async function ask(address: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
  const { pathname, searchParams } = new URL(String(address));
  if (init.method !== "POST") return down(searchParams.get("mode"), init.signal);
  posts.push(`${pathname} ${init.body}`.trim());
  const given = await answer(pathname);
  return given ?? (pathname === "/socket/lines" ? Response.json({ line: "abc" }, { status: 201 }) : new Response());
}

function down(mode: string | null, signal: AbortSignal | null | undefined): Response {
  const encoder = new TextEncoder();
  const { readable, writable } = new TransformStream<Uint8Array>();
  const writer = writable.getWriter();
  const ignore = () => {};
  const one: Down = {
    mode,
    gone: false,
    say: (text) => void writer.write(encoder.encode(text)).catch(ignore),
    finish: () => void writer.close().catch(ignore),
  };
  signal?.addEventListener("abort", () => {
    one.gone = true;
    writer.abort(signal.reason).catch(ignore);
  });
  downs.push(one);
  return new Response(readable);
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
async function dial(open: typeof openStream) {
  const way = open({ relay: "https://relay.test", page: createBrowser(world).tab().page, fetch: ask })({
    open: () => told.push("open"),
    frame: (text) => told.push(text),
    close: (code) => told.push(`close ${code}`),
  });
  expect(told).toEqual([]);
  await settled();
  return way;
}

afterEach(() => {
  expect(world.pending()).toBe(0);
});

for (const [name, open, mode] of [
  ["a stream", openStream, "stream"],
  ["long polls", openPoll, "poll"],
] as const)
  describe(name, () => {
    it("opens a line, reads frames and ends with the relay's code", async () => {
      await dial(open);
      expect(posts).toEqual(["/socket/lines"]);
      expect(downs).toMatchObject([{ mode }]);
      downs[0]?.say(
        '\n{"t":"pong","head":1}\n\n{"t":"pong","head":2}\n{"t":"end","code":4410}\n{"t":"pong","head":3}\n',
      );
      downs[0]?.finish();
      await settled();
      expect(told).toEqual(["open", '{"t":"pong","head":1}', '{"t":"pong","head":2}', "close 4410"]);
      expect(downs).toHaveLength(1);
    });

    it("posts one after the other, several frames at once when they had to wait", async () => {
      let let1: (response: Response) => void = () => {};
      const way = await dial(open);
      answer = () =>
        new Promise((resolve) => {
          let1 = resolve;
        });
      for (const text of ["one", "two", "three"]) way.send(text);
      await settled();
      expect(posts.slice(1)).toEqual(["/socket/lines/abc one"]);
      let1(new Response());
      await settled();
      expect(posts.slice(2)).toEqual(["/socket/lines/abc two\nthree"]);
      way.close();
    });

    it("keeps each post within what the relay takes", async () => {
      const way = await dial(open);
      const long = "x".repeat(20_000);
      for (let n = 0; n < 3; n++) way.send(long);
      await settled();
      expect(posts.slice(1).map(({ length }) => length)).toEqual([20_018, 20_018, 20_018]);
      way.close();
    });

    for (const [what, when] of [
      ["the line cannot be opened", "/socket/lines"],
      ["a post is refused", "/socket/lines/abc"],
    ] as const)
      it(`is lost when ${what}`, async () => {
        answer = (path) => (path === when ? new Response("", { status: 503 }) : undefined);
        const way = await dial(open);
        way.send("one");
        await settled();
        expect(told.at(-1)).toBe("close 1006");
        expect(downs.every(({ gone }) => gone)).toBe(true);
      });

    it("says what is left and goodbye when it is closed, and tells nothing more", async () => {
      const way = await dial(open);
      answer = () => new Promise(() => {});
      way.send("one");
      answer = () => undefined;
      way.send("two");
      way.close();
      await settled();
      downs[0]?.say('{"t":"pong","head":1}\n');
      await settled();
      expect(posts.slice(1)).toEqual(["/socket/lines/abc one", "/socket/lines/abc two", "/socket/lines/abc/end"]);
      expect(downs[0]?.gone).toBe(true);
      expect(told).toEqual(["open"]);
    });

    it("says goodbye to a line that came when nobody wanted it any more", async () => {
      let come: (response: Response) => void = () => {};
      answer = () =>
        new Promise((resolve) => {
          come = resolve;
        });
      const way = await dial(open);
      way.close();
      answer = () => undefined;
      come(Response.json({ line: "abc" }));
      await settled();
      expect(posts).toEqual(["/socket/lines", "/socket/lines/abc/end"]);
      expect(downs).toEqual([]);
    });
  });

describe("a stream", () => {
  it("reads frames that come in pieces", async () => {
    const way = await dial(openStream);
    for (const piece of ['{"t":"po', 'ng","head"', ':1}\n{"t":"pong","head":2}\n']) downs[0]?.say(piece);
    await settled();
    expect(told.slice(1)).toEqual(['{"t":"pong","head":1}', '{"t":"pong","head":2}']);
    way.close();
  });

  it("is given up when nothing comes for 5 s, not even an empty line", async () => {
    await dial(openStream);
    world.advance(5_000);
    expect(told).toEqual(["open", "close 1006"]);
  });

  it("waits on when an empty line came", async () => {
    const way = await dial(openStream);
    downs[0]?.say("\n");
    await settled();
    world.advance(60_000);
    expect(told).toEqual(["open"]);
    way.close();
  });

  it("is lost when it ends without a word", async () => {
    await dial(openStream);
    downs[0]?.finish();
    await settled();
    expect(told.at(-1)).toBe("close 1006");
  });
});

describe("long polls", () => {
  it("ask again after each answer, also an empty one", async () => {
    const way = await dial(openPoll);
    downs[0]?.finish();
    await settled();
    downs[1]?.say('{"t":"pong","head":1}\n');
    downs[1]?.finish();
    await settled();
    expect(downs).toHaveLength(3);
    expect(told.slice(1)).toEqual(['{"t":"pong","head":1}']);
    way.close();
  });
});
