/**
 * Nothing lost, nothing duplicated in the browser: unsent messages that several tabs find, and a gap that is too long to fill.
 */

import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Cutter, startCutter } from "../cutter.ts";
import { pause } from "./clocks.ts";
import { converse, pageOf, reopen, setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed();
let proxy: Cutter;
beforeEach(async () => {
  proxy = await startCutter(() => Number(new URL(testbed.harness.url).port));
});
afterEach(() => proxy.stop());

const bodies = (): string[] => testbed.harness.sandbox.messages().map(({ body }) => body);
const own = (page: Page): Promise<string[]> => page.locator(".msg.own .bubble").allInnerTexts();
const replies = (page: Page): Promise<string[]> => page.locator(".msg.reply .bubble").allInnerTexts();

type Sends = {
  /** The texts that each connection sent, in order; a repeat on the same connection counts once. */
  texts: string[][];
  /** The most connections that had sent something and were open at the same time. */
  most: number;
};

/**
 * Records what pages send from the next load on. The relay receives nothing before all pages have been welcomed, so that any of
 * them could send it. On a slow machine, a page that waits for an answer may lose its connection meanwhile: then another page
 * sends.
 */
async function sendsOf(pages: Page[]): Promise<Sends> {
  const sends: Sends = { texts: [], most: 0 };
  const senders = new Set<string[]>();
  const welcomed = new Set<Page>();
  let open = (): void => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  for (const page of pages)
    await page.routeWebSocket(/\/socket/, (socket) => {
      const server = socket.connectToServer();
      const own: string[] = [];
      socket.onMessage((frame) => {
        const { t, text } = JSON.parse(String(frame)) as { t: string; text?: string };
        if (t !== "send" || text === undefined) return server.send(frame);
        if (own.length === 0) sends.texts.push(own);
        if (own.at(-1) !== text) own.push(text);
        sends.most = Math.max(sends.most, senders.add(own).size);
        void all.then(() => server.send(frame));
      });
      socket.onClose((code, reason) => {
        senders.delete(own);
        void server.close({ ...(code !== undefined && { code }), ...(reason !== undefined && { reason }) });
      });
      server.onMessage((frame) => {
        if (String(frame).includes('"t":"welcome"')) welcomed.add(page);
        if (welcomed.size === pages.length) open();
        socket.send(frame);
      });
    });
  return sends;
}

it("unsent messages that three tabs find after a reload are sent once, in order, by one of them", async () => {
  const first = await testbed.visit({ path: "/0" });
  await converse(first.chat);
  const tabs = [first];
  for (const path of ["/1", "/2"]) {
    const tab = await testbed.visit({ context: first.context, path });
    await reopen(tab.chat);
    await tab.chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
    tabs.push(tab);
  }
  await testbed.harness.halt();
  const texts = ["one", "two", "three"];
  for (const text of texts) await first.chat.send(text);
  const sends = await sendsOf(tabs.map(({ page }) => page));
  for (const { page, chat } of tabs) {
    await page.reload();
    await reopen(chat);
    await expect.poll(() => own(page)).toEqual(texts);
  }
  await testbed.harness.start();
  // Otherwise each waits longer after each attempt.
  for (const { page } of tabs) await page.evaluate(() => void dispatchEvent(new Event("online")));
  for (const { page, chat } of tabs) {
    await chat.thread.getByText("echo: three", { exact: true }).waitFor();
    await expect.poll(() => own(page)).toEqual(["Hello", ...texts]);
  }
  expect(bodies()).toEqual(["Hello", ...texts]);
  expect(sends.most).toBe(1);
  for (const some of sends.texts) expect(texts.join(), sends.texts.join("; ")).toContain(some.join());
});

it("after a thousand replies over a dead connection, the newest appear once each, in order, and older ones on request", async () => {
  const html = pageOf(testbed.tag('data-site="default"', proxy.url));
  const { page, chat } = await testbed.visit({ html, before: (page) => page.clock.install() });
  await converse(chat);
  const toId = testbed.harness.sandbox.messages()[0]?.fromId ?? "";
  proxy.blackHole();
  // Otherwise the page replaces the silent connection by itself when the replies take longer than forty seconds.
  await pause(page);
  const total = 1_050;
  const numbers = Array.from({ length: total }, (_, n) => `reply ${n}`);
  // One after another, because the test checks their order.
  for (const body of numbers) await testbed.harness.sandbox.callbackTo({ toId, body });
  await page.clock.resume();
  await page.evaluate(() => void dispatchEvent(new Event("online")));
  await chat.thread.getByText(`reply ${total - 1}`, { exact: true }).waitFor();
  const shown = await replies(page);
  expect(shown).toEqual(numbers.slice(-shown.length));
  // Older messages are behind a gap that is not filled: they must not look as if they came just before.
  expect(await own(page)).toEqual([]);

  await page.locator(".thread").evaluate((thread) => {
    thread.scrollTop = 0;
  });
  await expect.poll(async () => (await replies(page)).length).toBeGreaterThan(shown.length);
  const more = await replies(page);
  expect(more).toEqual(numbers.slice(-more.length));
});
