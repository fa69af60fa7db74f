import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type Chat, createChat } from "../widget/src/conversation/chat.ts";
import type { OpenTransport } from "../widget/src/conversation/connection.ts";
import { httpFallback } from "../widget/src/conversation/http-fallback.ts";
import type { Page } from "../widget/src/conversation/page.ts";
import { openSocket } from "../widget/src/conversation/web-socket.ts";
import { type Harness, startHarness } from "./harness.ts";
import { runProcess } from "./relays.ts";

let harness: Harness;
let chats: Chat[];

beforeAll(async () => {
  harness = await startHarness({ run: runProcess, env: { MESSAGES_PER_MINUTE: "0", MESSAGES_PER_ADDRESS: "0" } });
});
afterAll(() => harness.stop());
beforeEach(() => {
  chats = [];
  harness.sandbox.reset();
  harness.sandbox.configure({ callbackUrl: harness.callbackUrl });
});
afterEach(() => {
  for (const chat of chats) chat.destroy();
});

/** A page that is always visible, in a browser without other tabs. */
const page: Page = {
  now: Date.now,
  // Reconnects quickly, because this test kills the relay more often than the usual backoff allows.
  random: () => Math.random() / 20,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  on: () => () => {},
  visible: () => true,
  online: () => true,
  lock(_name, granted) {
    queueMicrotask(granted);
    return () => {};
  },
};

/** Headers that a browser adds to every request. */
const origin = () => ({ Origin: harness.host });
function socket(): OpenTransport {
  const FromHost = class extends WebSocket {
    constructor(address: string | URL) {
      super(address, { headers: origin() });
      this.on("error", () => {});
    }
  };
  return openSocket(harness.url, FromHost as unknown as typeof globalThis.WebSocket);
}
const fromHost: typeof fetch = (address, init) =>
  fetch(address, { ...init, headers: { ...Object(init?.headers), ...origin() } });
/** Simulates a proxy that holds streams back. */
const withoutStreams: typeof fetch = (address, init) =>
  String(address).endsWith("=stream") ? new Promise(() => {}) : fromHost(address, init);
/** Another tab has the browser's only connection. */
const withoutLock: Page = { ...page, lock: () => () => {} };
const fallback = (given: { page?: Page; fetch?: typeof fetch; silence?: number } = {}) =>
  httpFallback({ relay: harness.url, page, socket: socket(), fetch: fromHost, ...given });

const TRANSPORTS: [name: string, open: () => OpenTransport][] = [
  ["a WebSocket", socket],
  ["a stream", () => fallback()],
  ["long polls", () => fallback({ fetch: withoutStreams, silence: 100 })],
  ["short polls", () => fallback({ page: withoutLock })],
];

function load(open: () => OpenTransport, storage: Map<string, string>): Chat {
  const port = () => ({
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => void storage.set(key, value),
    removeItem: (key: string) => void storage.delete(key),
  });
  const chat = createChat({ site: "default", relay: harness.url, page, storage: port, connect: open() });
  chats.push(chat);
  chat.start();
  return chat;
}

const texts = (chat: Chat) => chat.items.value.map(({ text }) => text);

/** Resolves when the chat shows the wanted state. */
const shows = (chat: Chat, wanted: (chat: Chat) => boolean) =>
  new Promise<void>((resolve) => {
    const unsubscribe = chat.items.subscribe(() =>
      queueMicrotask(() => {
        if (!wanted(chat)) return;
        unsubscribe();
        resolve();
      }),
    );
  });

for (const [name, open] of TRANSPORTS)
  describe(`the widget's chat over ${name}`, () => {
    it("sends, receives the answer, and has the thread after a reload", async () => {
      const storage = new Map<string, string>();
      const chat = load(open, storage);
      chat.send("Do you ship to Norway? <b>ÆØÅ</b> 👋");
      const answered = (one: Chat) => one.items.value.some(({ from }) => from === "reply");
      await shows(chat, answered);
      await shows(chat, (one) => one.items.value.some(({ state }) => state === "delivered"));
      chat.destroy();
      const again = load(open, storage);
      await shows(again, answered);
      expect(texts(again)).toEqual(texts(chat));
      expect(again.items.value[0]).toMatchObject({ text: "Do you ship to Norway? <b>ÆØÅ</b> 👋", state: "delivered" });
    });

    it("loses, duplicates and reorders no message while the relay is killed repeatedly", async () => {
      const storage = new Map<string, string>();
      const chat = load(open, storage);
      const typed = Array.from({ length: 25 }, (_, n) => `message ${n}`);
      let written = 0;
      chat.on("sent", () => {
        written++;
      });
      for (const [n, text] of typed.entries()) {
        chat.send(text);
        if (n % 10 !== 5) continue;
        await shows(chat, () => written > n - 5);
        await harness.kill();
        await harness.start();
      }
      await shows(chat, () => written === typed.length);
      await harness.sandbox.until(
        (sandbox) => new Set(sandbox.messages().map(({ body }) => body)).size === typed.length,
      );
      expect(harness.sandbox.messages().map(({ body }) => body)).toEqual(typed);
      expect(texts(chat).filter((text) => typed.includes(text))).toEqual(typed);
    });

    it("is deleted at the relay and in the browser", async () => {
      const storage = new Map<string, string>();
      const chat = load(open, storage);
      chat.send("delete me");
      await shows(chat, (one) => one.items.value.some(({ from }) => from === "reply"));
      await chat.forget();
      expect(chat.ending.value).toBe("gone");
      expect(storage.size).toBe(0);
    });
  });
