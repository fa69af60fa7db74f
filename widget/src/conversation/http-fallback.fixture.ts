/** The relay's routes of the HTTP fallback, scripted by the test, and tabs of one browser that use them, in virtual time. */

import type { OpenTransport, Transport } from "./connection.ts";
import { httpFallback } from "./http-fallback.ts";
import { createScript, type Script } from "./script.fixture.ts";
import { type Browser, createBrowser, createWorld, type Tab, type World } from "./world.fixture.ts";

/** A GET request of the client that waits for its answer. `mode`: its query without `?mode=`. */
export type PendingGet = { mode: string; deliver(text: string): void; finish(): void; gone: boolean };

export type FallbackFixture = {
  world: World;
  browser: Browser;
  tab: Tab;
  /** The WebSocket that the fallback tries from time to time. */
  socket: Script;
  gets: PendingGet[];
  /** Path and body of every POST. */
  posts: string[];
  events: string[];
  /** The answer to a POST; undefined: the relay's usual answer. */
  answer(path: string): Response | Promise<Response> | undefined;
  /** The HTTP fallback of a tab. */
  fallbackOf(tab: Tab): OpenTransport;
  /** Opens a connection, by default of the first tab, and waits for pending promises. */
  dial(open?: OpenTransport): Promise<Transport>;
  /** Simulates a proxy that buffers a stream of the first tab, which then uses long polls. */
  bufferStreams(): Promise<void>;
};

/** Waits until all pending promises have settled. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A browser with one tab whose network blocks WebSockets. No connection is open. */
export function createFallbackFixture(): FallbackFixture {
  const world = createWorld();
  const browser = createBrowser(world);
  const tab = browser.tab();
  const socket = createScript();

  const fixture: FallbackFixture = {
    world,
    browser,
    tab,
    socket,
    gets: [],
    posts: [],
    events: [],
    answer: () => undefined,
    fallbackOf: (tab) => fallbackOf(fixture, tab),
    async dial(open = first) {
      const transport = open({
        open: () => fixture.events.push("open"),
        frame: (text) => fixture.events.push(text),
        close: (code) => fixture.events.push(`close ${code}`),
      });
      world.advance(0);
      await settled();
      return transport;
    },
    async bufferStreams() {
      await fixture.dial();
      world.advance(5_000);
      await settled();
      Object.assign(fixture, { gets: [], posts: [], events: [] });
    },
  };
  const first = fallbackOf(fixture, tab);
  return fixture;
}

/** Answers a request of the fallback as the relay does, or as the test says. */
async function answerRequest(
  fixture: FallbackFixture,
  address: Parameters<typeof fetch>[0],
  init: RequestInit = {},
): Promise<Response> {
  const { pathname, search } = new URL(String(address));
  if (init.method !== "POST") return answerGet(fixture, search.replace("?mode=", ""), init.signal);
  fixture.posts.push(`${pathname} ${init.body}`.trim());
  const given = await fixture.answer(pathname);
  return given ?? (pathname === "/socket/lines" ? Response.json({ line: "abc" }, { status: 201 }) : new Response());
}

/** Opens the answer to a GET request. */
function answerGet(fixture: FallbackFixture, mode: string, signal: AbortSignal | null | undefined): Response {
  const encoder = new TextEncoder();
  const { readable, writable } = new TransformStream<Uint8Array>();
  const writer = writable.getWriter();
  const ignore = () => {};
  const pending: PendingGet = {
    mode,
    gone: false,
    deliver: (text) => void writer.write(encoder.encode(text)).catch(ignore),
    finish: () => void writer.close().catch(ignore),
  };
  signal?.addEventListener("abort", () => {
    pending.gone = true;
    writer.abort(signal.reason).catch(ignore);
  });
  fixture.gets.push(pending);
  return new Response(readable);
}

/** The HTTP fallback of a tab. */
const fallbackOf = (fixture: FallbackFixture, { page }: Tab): OpenTransport =>
  httpFallback({
    relay: "https://relay.test",
    page,
    socket: fixture.socket.connect,
    fetch: (address, init) => answerRequest(fixture, address, init),
  });
