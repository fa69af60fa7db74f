/**
 * WIDGET 9, checks 72 and 73: threads of which only a part is in the page. `npm run bench` measures the times of
 * check 73 (test/bench/long-thread.ts).
 */

import type { Page, WebSocketRoute } from "playwright-core";
import { describe, expect, it } from "vitest";
import { converse, readUpTo, rectOf, setUpTestbed } from "./testbed.ts";
import { frames, gap, withThread } from "./threads.ts";

const testbed = setUpTestbed();

describe("72 older messages that load above", () => {
  /** Scrolls and loads a page of older messages. @returns how far each visible bubble has moved, in pixels */
  const prepend = (page: Page, scrollTop: number): Promise<number[]> =>
    page.locator(".thread").evaluate(async (thread, top) => {
      const frame = () => new Promise(requestAnimationFrame);
      const topOf = (element: Element) => element.getBoundingClientRect().top - thread.getBoundingClientRect().top;
      const rows = () => [...thread.querySelectorAll("li[data-row]")];
      const before = rows();
      thread.scrollTop = top;
      const bubbles = before.map((row) => row.querySelector(".bubble") as Element);
      const seen = bubbles.filter((one) => topOf(one) > -one.clientHeight && topOf(one) < thread.clientHeight);
      const were = seen.map(topOf);
      // Near the top they load automatically; elsewhere the visitor must request them.
      await frame();
      await frame();
      if (top >= 240) thread.querySelector<HTMLElement>(".older")?.click();
      while (rows().length < before.length + 40) await frame();
      await frame();
      await frame();
      return seen.map((one, n) => topOf(one) - (were[n] ?? 0));
    }, scrollTop);

  it("72 forty older messages move nothing visible, at 500, 0 and 1 pixel from the top", async () => {
    const { page } = await withThread(testbed, 230);
    for (const top of [500, 0, 1]) {
      const moved = await prepend(page, top);
      expect(moved.length, `in sight at ${top}`).toBeGreaterThan(2);
      for (const pixels of moved) expect(Math.abs(pixels), `at ${top}`).toBeLessThanOrEqual(1);
    }
  });
});

it("72 a chat that is opened before its messages have loaded also scrolls to the line above the new ones", async () => {
  const { page, context, chat } = await testbed.visit();
  await converse(chat);
  await expect.poll(() => readUpTo(page)).toBeGreaterThan(1);
  await page.close();
  for (let n = 1; n <= 12; n++) await testbed.reply(`news ${n} ${"of some length ".repeat(12)}`);
  let release = (): void => {};
  const opened = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = (socket: WebSocketRoute): void => {
    const server = socket.connectToServer();
    server.onMessage((frame) => void opened.then(() => socket.send(frame)));
  };
  const later = await testbed.visit({ context, before: (page) => page.routeWebSocket(/\/socket/, hold) });
  await later.chat.open();
  await later.chat.composer.waitFor();
  release();
  await later.chat.thread.getByText("news 12").waitFor();
  await frames(later.page);
  const line = await rectOf(later.page, "porch-light .new");
  const thread = await rectOf(later.page, "porch-light .thread");
  expect(line.y).toBeGreaterThan(thread.y);
  expect(line.bottom).toBeLessThan(thread.y + thread.height / 2);
  expect(await gap(later.page)).toBeGreaterThan(100);
});

it("73 a thread of a thousand messages never has more than 300 rows, from its end back to its first message", async () => {
  const { page } = await withThread(testbed, 1_000);
  const most = await page.locator(".thread").evaluate(async (thread) => {
    let rows = 0;
    while (!thread.textContent?.includes("echo: Hello")) {
      thread.scrollTop = 0;
      await new Promise(requestAnimationFrame);
      rows = Math.max(rows, thread.querySelectorAll("li").length);
    }
    return rows;
  });
  expect(most).toBeGreaterThan(200);
  expect(most).toBeLessThanOrEqual(300);
  await page.locator(".newest").click();
  await page.getByText("reply number 1000,").waitFor();
  expect(await page.locator(".thread li").count()).toBeLessThanOrEqual(300);
});
