/**
 * WIDGET 9, checks 32 to 45: messages over failing connections, and in several tabs. See also message-order.test.ts
 * and connection.test.ts.
 */

import { CLOSE } from "@porchlight/shared/close";
import type { Page, WebSocketRoute } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Cutter, startCutter } from "../cutter.ts";
import { setOffline } from "../offline.ts";
import { type Chat, converse, echo, pageOf, readUpTo, reopen, setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed();
let proxy: Cutter;
beforeEach(async () => {
  proxy = await startCutter(() => Number(new URL(testbed.harness.url).port));
});
afterEach(() => proxy.stop());

const throughProxy = (): { html: string } => ({ html: pageOf(testbed.tag('data-site="default"', proxy.url)) });
const stateOf = (page: Page) => page.locator(".own .state").last();
const bodies = (): string[] => testbed.harness.sandbox.messages().map(({ body }) => body);
const signalOf = (page: Page, type: string) => page.evaluate((name) => void dispatchEvent(new Event(name)), type);

/** The number of unread replies, as the page API reports it. */
const unreadIn = (page: Page): Promise<number> =>
  page.evaluate(() => (window as unknown as { Porchlight: { unread(): number } }).Porchlight.unread());

/** Simulates that the visitor looks at another tab. */
const hide = (page: Page, hidden: boolean) =>
  page.evaluate((now) => {
    Object.defineProperty(Document.prototype, "hidden", { configurable: true, get: () => now });
    Object.defineProperty(Document.prototype, "visibilityState", {
      configurable: true,
      get: () => (now ? "hidden" : "visible"),
    });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, hidden);

/** Runs in the page: resolves when the browser has answered its earlier requests for locks. It answers them in order. */
const locksAnswered = (): Promise<unknown> => navigator.locks.request("after", { ifAvailable: true }, () => {});

it("32 no socket and no stream before the chat is opened", async () => {
  const sockets: string[] = [];
  const requested: string[] = [];
  const { page, chat } = await testbed.visit({
    before: async (page) => {
      page.on("websocket", (socket) => sockets.push(socket.url()));
      page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    },
  });
  await chat.launcher.hover();
  await page.waitForLoadState("networkidle");
  expect(sockets).toEqual([]);
  expect(requested.filter((path) => path.startsWith("/socket"))).toEqual([]);
  await chat.open();
  await expect.poll(() => sockets.length).toBe(1);
});

describe("34 a dead connection", () => {
  const lose = async (): Promise<{ page: Page; chat: Chat }> => {
    const { page, chat } = await testbed.visit({ ...throughProxy(), before: (page) => page.clock.install() });
    await converse(chat);
    proxy.blackHole();
    return { page, chat };
  };

  it("34 is detected within 45 s of silence, without waiting for its close", async () => {
    const { page, chat } = await lose();
    const again = page.waitForEvent("websocket");
    await page.clock.runFor(45_000);
    await again;
    await chat.send("over the new one");
    await echo(chat, "over the new one").waitFor();
  });

  for (const [name, wake] of [
    ["the page becomes visible", async (page: Page) => [await hide(page, true), await hide(page, false)]],
    ["the network returns", (page: Page) => signalOf(page, "online")],
  ] as const)
    it(`34 is detected within 3 s when ${name}`, async () => {
      const { page, chat } = await lose();
      const again = page.waitForEvent("websocket");
      await wake(page);
      await page.clock.runFor(3_000);
      await again;
      await chat.send("over the new one");
      await echo(chat, "over the new one").waitFor();
    });
});

describe("36 a final close code", () => {
  for (const [code, words] of [
    [CLOSE.badToken.code, "You've been signed out. Please sign in again to continue."],
    [CLOSE.notAllowed.code, "This chat isn't available here."],
    [CLOSE.gone.code, "Conversation deleted"],
  ] as const)
    it(`36 is shown, and the client does not reconnect: ${code}`, async () => {
      const sockets: WebSocketRoute[] = [];
      let over = false;
      const { page, chat } = await testbed.visit({
        before: async (page) => {
          await page.clock.install();
          await page.routeWebSocket(/socket/, (socket) => {
            sockets.push(socket);
            if (over) socket.onMessage(() => socket.close({ code }));
            else socket.connectToServer();
          });
        },
      });
      await converse(chat);
      over = true;
      await sockets.at(-1)?.close({ code });
      // A formerly valid token is tried once more; then a client without one is refused too.
      await expect
        .poll(
          async () => [await page.clock.runFor(1_000), await page.locator(".bar,.ended p").allTextContents()][1],
          // Each attempt has eight of the page's seconds for an answer. They must not pass before the relay can answer.
          { interval: 300 },
        )
        .toEqual([words]);
      const tries = sockets.length;
      expect(tries).toBeLessThanOrEqual(code === CLOSE.badToken.code ? 3 : 1);
      await page.clock.runFor(120_000);
      for (const type of ["online", "focus", "pageshow"]) await signalOf(page, type);
      await page.clock.runFor(60_000);
      expect(sockets).toHaveLength(tries);
      // Where the chat is not available, there is no composer. After the other codes, a new message may be written.
      const composers = code === CLOSE.notAllowed.code ? 0 : 1;
      await expect.poll(() => chat.composer.count()).toBe(composers);
      if (composers) expect(await chat.composer.isEnabled()).toBe(true);
    });

  it("36 the relay reports that the chat was deleted in another tab; writing begins a new one", async () => {
    const sockets: string[] = [];
    const { page, chat } = await testbed.visit({
      ...throughProxy(),
      before: async (page) => {
        page.on("request", (request) => request.url().includes("/socket") && sockets.push(request.url()));
        page.on("websocket", (socket) => sockets.push(socket.url()));
        await page.clock.install();
      },
    });
    await converse(chat);
    const visitor = await testbed.visit({ path: "/two", html: pageOf(testbed.tag()), context: page.context() });
    await reopen(visitor.chat);
    await echo(visitor.chat, "Hello").waitFor();
    await visitor.chat.panel.getByRole("button", { name: "Chat options" }).click();
    await visitor.page.getByRole("menuitem", { name: "Delete conversation" }).click();
    await visitor.page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await page.locator(".ended").getByText("Conversation deleted").waitFor();
    // Counts WebSockets and not connections of the proxy, because the browser may open one in advance.
    const before = sockets.length;
    await page.clock.runFor(120_000);
    expect(sockets).toHaveLength(before);
    await chat.send("and once more");
    await echo(chat, "and once more").waitFor();
  });
});

it("38 an acknowledgement that is lost after the relay stored the message leads to one message and one bubble", async () => {
  const { chat } = await testbed.visit(throughProxy());
  await converse(chat);
  for (const text of ["cut off once", "and cut off again"]) {
    const cut = proxy.cutBefore(text);
    await chat.send(text);
    await cut;
    await echo(chat, text).waitFor();
    expect(await chat.thread.getByText(text, { exact: true }).count()).toBe(1);
  }
  expect(bodies()).toEqual(["Hello", "cut off once", "and cut off again"]);
});

it("41 a message sent while offline waits and is sent automatically", async () => {
  const { page, chat } = await testbed.visit();
  await converse(chat);
  await setOffline(page, true);
  // An open socket survives `setOffline`, so the relay is really stopped.
  await testbed.harness.halt();
  await page.locator(".bar").getByText("You're offline.").waitFor();
  await chat.send("waits for the network");
  await expect.poll(() => stateOf(page).textContent()).toBe("Waiting to send");
  await testbed.harness.start();
  await setOffline(page, false);
  await echo(chat, "waits for the network").waitFor();
});

it("41 a reload keeps messages that were sent while offline, and they are sent afterwards", async () => {
  const { page, chat } = await testbed.visit();
  await converse(chat);
  await setOffline(page, true);
  await testbed.harness.halt();
  await chat.send("outlives the page");
  await setOffline(page, false);
  await page.reload();
  await reopen(chat);
  await chat.thread.getByText("outlives the page", { exact: true }).waitFor();
  expect(bodies()).toEqual(["Hello"]);
  await testbed.harness.start();
  await signalOf(page, "online");
  await echo(chat, "outlives the page").waitFor();
});

it("42 a message that was unsent for more than two minutes is not sent automatically after a reload", async () => {
  const { page, chat } = await testbed.visit({ before: (page) => page.clock.install() });
  await converse(chat);
  await testbed.harness.halt();
  await chat.send("yesterday's news");
  await page.clock.fastForward(121_000);
  await page.reload();
  await testbed.harness.start();
  await reopen(chat);
  await chat.panel.getByRole("button", { name: "Retry" }).waitFor();
  await chat.send("today's news");
  await echo(chat, "today's news").waitFor();
  expect(bodies()).toEqual(["Hello", "today's news"]);
});

it("43 messages sent and read in one tab appear in the other", async () => {
  const a = await testbed.visit();
  await converse(a.chat);
  const b = await testbed.visit({ context: a.context, path: "/b" });
  await reopen(b.chat);
  await echo(b.chat, "Hello").waitFor();
  await a.page.bringToFront();
  await a.chat.send("from A");
  await b.chat.thread.getByText("from A", { exact: true }).waitFor();
  await echo(b.chat, "from A").waitFor();
  // B closes its panel and gets a badge. A reads, and B's badge disappears.
  await echo(a.chat, "from A").waitFor();
  // Not the newest number of the thread: the state "delivered" may take it after the reply.
  await expect.poll(() => unreadIn(a.page)).toBe(0);
  await b.chat.panel.getByRole("button", { name: "Close chat" }).click();
  await hide(a.page, true);
  await testbed.reply("one more");
  await b.page.getByRole("button", { name: /chat, 1 unread message/i }).waitFor();
  const unread = await readUpTo(a.page);
  await hide(a.page, false);
  await expect.poll(() => readUpTo(a.page)).toBeGreaterThan(unread);
  await b.page.getByRole("button", { name: "Chat", exact: true }).waitFor();
});

it("44 three hidden tabs play one sound for each message", async () => {
  const count = (page: Page) => page.evaluate(() => (window as unknown as { chimes: number }).chimes);
  const stub = async (page: Page) =>
    page.addInitScript(() => {
      const all = window as unknown as { chimes: number; AudioContext: unknown };
      all.chimes = 0;
      const node = {
        connect() {},
        start() {},
        stop() {},
        frequency: {},
        gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} },
      };
      all.AudioContext = class {
        currentTime = 0;
        createGain = () => node;
        createOscillator = () => node;
        close = async () => {};
        constructor() {
          all.chimes++;
        }
      };
    });
  const first = await testbed.visit({ before: stub });
  await converse(first.chat);
  const tabs = [first];
  for (const path of ["/b", "/c"]) {
    const tab = await testbed.visit({ context: first.context, path, before: stub });
    await reopen(tab.chat);
    await echo(tab.chat, "Hello").waitFor();
    tabs.push(tab);
  }
  await expect.poll(() => readUpTo(first.page)).toBeGreaterThan(0);
  for (const { page } of tabs) await hide(page, true);
  for (const n of [1, 2, 3]) {
    await testbed.reply(`ring ${n}`);
    for (const { page } of tabs) await page.waitForFunction((title) => document.title === title, `(${n}) Host`);
    // A tab has changed its title before the browser answers its request for the message's lock, and rings then.
    for (const { page } of tabs) await page.evaluate(locksAnswered);
    const chimes = await Promise.all(tabs.map(({ page }) => count(page)));
    expect(chimes.reduce((sum, one) => sum + one, 0)).toBe(n);
  }
});
