/** The relay's routes for lines, played by the test, and tabs of one browser that use them, in virtual time. */

import type { OpenTransport, Transport } from "./connection.ts";
import { httpFallback } from "./http-fallback.ts";
import { createScript, type Script } from "./script.fixture.ts";
import { type Browser, createBrowser, createWorld, type Tab, type World } from "./world.fixture.ts";

/** One GET of the client that waits for its answer. `mode`: its query, without the word. */
export type Down = { mode: string; say(text: string): void; finish(): void; gone: boolean };

export type Laid = {
  world: World;
  browser: Browser;
  tab: Tab;
  /** The WebSocket that the lines look for. */
  socket: Script;
  downs: Down[];
  /** Path and body of every post. */
  posts: string[];
  told: string[];
  /** What a post is answered with; nothing: as the relay does. */
  answer(path: string): Response | Promise<Response> | undefined;
  /** A tab's way to the relay. */
  way(tab: Tab): OpenTransport;
  /** Opens a line, of the first tab unless another's way is given, and lets what is promised happen. */
  dial(open?: OpenTransport): Promise<Transport>;
  /** Lets a stream of the first tab be held back: what it opens after that is polls. */
  holdBack(): Promise<void>;
};

export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

export function layLines(): Laid {
  const world = createWorld();
  const browser = createBrowser(world);
  const tab = browser.tab();
  const socket = createScript();

  async function ask(address: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
    const { pathname, search } = new URL(String(address));
    if (init.method !== "POST") return down(search.replace("?mode=", ""), init.signal);
    laid.posts.push(`${pathname} ${init.body}`.trim());
    const given = await laid.answer(pathname);
    return given ?? (pathname === "/socket/lines" ? Response.json({ line: "abc" }, { status: 201 }) : new Response());
  }

  function down(mode: string, signal: AbortSignal | null | undefined): Response {
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
    laid.downs.push(one);
    return new Response(readable);
  }

  const way = ({ page }: Tab): OpenTransport =>
    httpFallback({ relay: "https://relay.test", page, socket: socket.connect, fetch: ask });
  const first = way(tab);
  const laid: Laid = {
    world,
    browser,
    tab,
    socket,
    downs: [],
    posts: [],
    told: [],
    answer: () => undefined,
    way,
    async dial(open = first) {
      const line = open({
        open: () => laid.told.push("open"),
        frame: (text) => laid.told.push(text),
        close: (code) => laid.told.push(`close ${code}`),
      });
      world.advance(0);
      await settled();
      return line;
    },
    async holdBack() {
      await laid.dial();
      world.advance(5_000);
      await settled();
      Object.assign(laid, { downs: [], posts: [], told: [] });
    },
  };
  return laid;
}
