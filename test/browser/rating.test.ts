/** The rating that the chat requests once, at the end of a conversation (WIDGET 8.5). */

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { tokenFor } from "../tokens.ts";
import { clockOf, listenTo, pass } from "./checks/clocks.ts";
import { type Chat, callApi, converse, pageOf, readUpTo, rectOf, setUpTestbed } from "./checks/testbed.ts";

const testbed = setUpTestbed();
const html = (attributes = 'data-rating="five"') => pageOf(testbed.tag(`data-site="default" ${attributes}`));
const question = (chat: Chat) => chat.thread.getByRole("heading", { name: "How was your conversation?" });
const focused = (page: Page) =>
  page.evaluate(() => document.querySelector("porch-light")?.shadowRoot?.activeElement?.tagName);

/** The ratings of the only visitor of this test. */
async function ratings(): Promise<unknown> {
  const headers = { Authorization: `Bearer ${await tokenFor(testbed.harness)}` };
  const answer = await fetch(`${testbed.harness.url}/api/v1/ratings`, { headers });
  const { items } = (await answer.json()) as { items: { visitor: string }[] };
  return items.filter(({ visitor }) => visitor === testbed.harness.sandbox.messages().at(-1)?.fromId);
}

/**
 * Waits until the rating's code has added its style sheet to the panel. That code does not know whether the chat was closed
 * before it loaded.
 */
async function ratingLoaded(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const sheets = document.querySelector("porch-light")?.shadowRoot?.adoptedStyleSheets ?? [];
    return sheets.some(({ cssRules }) => [...cssRules].some(({ cssText }) => cssText.startsWith(".scores")));
  });
}

/** Closes the chat after the newest reply has been seen, and opens it again. */
async function returnTo(page: Page, chat: Chat): Promise<void> {
  await expect.poll(() => readUpTo(page)).toBeGreaterThan(0);
  if (!(await chat.composer.isVisible())) await chat.open();
  await chat.panel.getByRole("button", { name: "Close chat" }).click();
  await chat.launcher.first().click();
}

it("a rating is requested when the visitor returns to a closed chat, and stored once", async () => {
  const { page, chat } = await testbed.visit({ html: html() });
  await converse(chat);
  expect(await question(chat).count()).toBe(0);
  await ratingLoaded(page);
  await returnTo(page, chat);
  await question(chat).waitFor();
  const { y: foot } = await rectOf(page, ".composer");
  // The thread scrolls to its new end in the next frame.
  await expect.poll(async () => (await rectOf(page, ".rate")).bottom).toBeLessThanOrEqual(foot);
  expect(await focused(page)).toBe("TEXTAREA");

  const scores = chat.thread.getByRole("radiogroup", { name: "How was your conversation?" });
  expect(await scores.getByRole("radio").count()).toBe(5);
  // With the keyboard alone: the arrow keys choose, and choosing sends nothing.
  await scores.getByRole("radio", { name: "Awful" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  expect(await scores.getByRole("radio", { name: "Good" }).isChecked()).toBe(true);
  await chat.thread.getByRole("textbox", { name: /Anything you'd like to add/ }).fill("Quick and kind");
  expect(await ratings()).toEqual([]);
  await chat.thread.getByRole("button", { name: "Send rating" }).click();
  await chat.thread.getByText("Thanks for your feedback!").waitFor();
  expect(await ratings()).toMatchObject([{ score: 4, of: 5, comment: "Quick and kind" }]);
  expect(await focused(page)).toBe("TEXTAREA");

  await page.reload();
  await chat.open();
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  await returnTo(page, chat);
  await chat.composer.waitFor();
  expect(await page.locator(".rate").count()).toBe(0);
  const download = page.waitForEvent("download");
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  await page.getByRole("menuitem", { name: "Download conversation" }).click();
  const text = (await (await (await download).createReadStream()).toArray()).join("");
  expect(text).toContain("How was your conversation?\nGood (4/5)\nQuick and kind");
});

it("keeps header and text field in their places while a score is chosen below a long conversation", async () => {
  const { page, chat } = await testbed.visit({ html: html(), options: { viewport: { width: 320, height: 480 } } });
  await converse(chat, "A long question. ".repeat(40).trim());
  await ratingLoaded(page);
  await returnTo(page, chat);
  await question(chat).waitFor();
  const places = () => Promise.all([".head", ".composer"].map(async (part) => (await rectOf(page, part)).y));
  const before = await places();
  await chat.thread.getByText("Good", { exact: true }).click();
  await chat.thread.getByRole("button", { name: "Send rating" }).waitFor();
  expect(await places()).toEqual(before);
});

it("a rating is requested after ten silent minutes, and disappears when the visitor writes", async () => {
  const { page, chat } = await testbed.visit({
    html: html('data-rating="two"'),
    before: async (page) => {
      await listenTo(page);
      await page.clock.install();
    },
  });
  const { now: began } = await clockOf(page);
  await converse(chat);
  // The page's time also goes on by itself: on a busy machine, many steps of a fixed length would be more than ten minutes.
  while ((await clockOf(page)).now - began < 9 * 60_000) await pass(page, 15_000);
  expect(await question(chat).count()).toBe(0);
  await pass(page, 70_000);
  await question(chat).waitFor();
  expect(await chat.thread.getByRole("radio").count()).toBe(2);
  await chat.send("one more thing");
  await chat.thread.getByText("echo: one more thing", { exact: true }).waitFor();
  expect(await question(chat).count()).toBe(0);
});

it("a rating can be declined permanently, in every tab", async () => {
  const { page, chat, context } = await testbed.visit({ html: html() });
  await converse(chat);
  await ratingLoaded(page);
  await returnTo(page, chat);
  await question(chat).waitFor();
  const other = await testbed.visit({ html: html(), context });
  await other.chat.open();
  await other.chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  await ratingLoaded(other.page);
  await other.chat.panel.getByRole("button", { name: "Close chat" }).click();
  await other.chat.launcher.first().click();
  await question(other.chat).waitFor();
  await chat.thread.getByRole("button", { name: "No, thanks" }).click();
  await question(chat).waitFor({ state: "detached" });
  await question(other.chat).waitFor({ state: "detached" });
  expect(await ratings()).toEqual([]);
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  await page.reload();
  await returnTo(page, chat);
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  expect(await page.locator(".rate").count()).toBe(0);
  // Not even the code of the question is fetched, so it cannot appear later.
  expect(requested.some((url) => url.includes("/panel-"))).toBe(true);
  expect(requested.filter((url) => url.includes("/rating-"))).toEqual([]);
});

it("no rating is requested where the site does not want it", async () => {
  const { page, chat } = await testbed.visit({ html: html("") });
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  await converse(chat);
  await returnTo(page, chat);
  await chat.composer.waitFor();
  expect(await page.locator(".rate").count()).toBe(0);
  expect(requested.filter((url) => url.includes("/rating-"))).toEqual([]);
  await callApi(page, "update", { rating: "two" });
  await ratingLoaded(page);
  await returnTo(page, chat);
  await question(chat).waitFor();
  await callApi(page, "update", { rating: "off" });
  await question(chat).waitFor({ state: "detached" });
});
