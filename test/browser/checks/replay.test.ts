/** The browser's half of "nothing lost, nothing twice": what is unsent and found by many, and a gap too long to be filled. */

import type { Page } from "playwright-core";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Cutter, startCutter } from "../cutter.ts";
import { converse, pageOf, reopen, setStage } from "./stage.ts";

const stage = setStage();
let proxy: Cutter;
beforeEach(async () => {
  proxy = await startCutter(() => Number(new URL(stage.house.url).port));
});
afterEach(() => proxy.stop());

const bodies = (): string[] => stage.house.sandbox.messages().map(({ body }) => body);
const own = (page: Page): Promise<string[]> => page.locator(".msg.own .bubble").allInnerTexts();
const replies = (page: Page): Promise<string[]> => page.locator(".msg.reply .bubble").allInnerTexts();

/** Texts of the messages that a page sends from now on, repeats too. */
function sends(page: Page): string[] {
  const sent: string[] = [];
  page.on("websocket", (socket) =>
    socket.on("framesent", ({ payload }) => {
      const frame = JSON.parse(String(payload)) as { t: string; text?: string };
      if (frame.t === "send") sent.push(frame.text ?? "");
    }),
  );
  return sent;
}

it("what three tabs find unsent after a reload goes out once, in order, from one of them", async () => {
  const first = await stage.visit({ path: "/0" });
  await converse(first.chat);
  const tabs = [first];
  for (const path of ["/1", "/2"]) {
    const tab = await stage.visit({ context: first.context, path });
    await reopen(tab.chat);
    await tab.chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
    tabs.push(tab);
  }
  await stage.house.halt();
  const texts = ["one", "two", "three"];
  for (const text of texts) await first.chat.say(text);
  const sent = tabs.map(({ page }) => sends(page));
  for (const { page, chat } of tabs) {
    await page.reload();
    await reopen(chat);
    await expect.poll(() => own(page), { timeout: 10_000 }).toEqual(texts);
  }
  await stage.house.start();
  for (const { page, chat } of tabs) {
    await chat.thread.getByText("echo: three", { exact: true }).waitFor({ timeout: 40_000 });
    await expect.poll(() => own(page)).toEqual(["Hello", ...texts]);
  }
  expect(bodies()).toEqual(["Hello", ...texts]);
  expect(sent.flat()).toEqual(texts);
});

it("after a thousand replies into a dead line the newest are there, in order, each once, and the older ones on asking", async () => {
  const html = pageOf(stage.tag('data-site="default"', proxy.url));
  const { page, chat } = await stage.visit({ html });
  await converse(chat);
  const toId = stage.house.sandbox.messages()[0]?.fromId ?? "";
  proxy.blackHole();
  const total = 1_050;
  const numbers = Array.from({ length: total }, (_, n) => `reply ${n}`);
  // One after the other: their order is part of what is looked at.
  for (const body of numbers) await stage.house.sandbox.callbackTo({ toId, body });
  await page.evaluate(() => void dispatchEvent(new Event("online")));
  await chat.thread.getByText(`reply ${total - 1}`, { exact: true }).waitFor();
  const shown = await replies(page);
  expect(shown).toEqual(numbers.slice(-shown.length));
  // What was there before stands behind a gap that is not filled: it must not look as if it came just before.
  expect(await own(page)).toEqual([]);

  await page.locator(".thread").evaluate((thread) => {
    thread.scrollTop = 0;
  });
  await expect.poll(async () => (await replies(page)).length).toBeGreaterThan(shown.length);
  const more = await replies(page);
  expect(more).toEqual(numbers.slice(-more.length));
});
