/** Browser notifications about replies: only if the visitor wants them, and only while the page is hidden (WIDGET 8.5). */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { listenTo, pass } from "./checks/clocks.ts";
import { type Chat, converse, setUpTestbed } from "./checks/testbed.ts";

type ShownNotification = { title: string; body: string; onclick: () => void };

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const testbed = setUpTestbed();

/** A browser whose visitor answers the permission request with `answer`. Records the notifications. */
const answering = (answer: "granted" | "denied") => (page: Page) =>
  page.addInitScript((answer) => {
    const state = { notifications: [] as unknown[], asked: 0, permission: "default", hidden: false };
    Object.assign(window, { state });
    class FakeNotification {
      static get permission() {
        return state.permission;
      }
      static async requestPermission() {
        state.asked++;
        state.permission = answer;
        return answer;
      }
      constructor(title: string, options: object) {
        state.notifications.push(Object.assign(this, { title }, options));
      }
      close() {}
    }
    Object.assign(window, { Notification: FakeNotification });
    Object.defineProperty(Document.prototype, "hidden", { get: () => state.hidden });
    Object.defineProperty(Document.prototype, "visibilityState", { get: () => (state.hidden ? "hidden" : "visible") });
  }, answer);
const state = <Key extends "notifications" | "asked">(page: Page, key: Key) =>
  page.evaluate(
    (key) => (window as unknown as { state: { notifications: ShownNotification[]; asked: number } }).state[key],
    key,
  ) as Promise<{ notifications: ShownNotification[]; asked: number }[Key]>;
const hide = (page: Page, hidden: boolean) =>
  page.evaluate((hidden) => {
    Object.assign((window as unknown as { state: object }).state, { hidden });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);

async function press(chat: Chat, name: string): Promise<void> {
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  await chat.panel.getByRole("menuitem", { name }).click();
}

it("requests no permission and shows no notification before the visitor wants it", async () => {
  const { page, chat } = await testbed.visit({ before: answering("granted") });
  await converse(chat);
  // The page itself may have requested the permission for its own purposes.
  await page.evaluate(() => Notification.requestPermission());
  await hide(page, true);
  await testbed.reply("an answer nobody waits for");
  await chat.thread.getByText("an answer nobody waits for").waitFor();
  await expect.poll(() => page.title()).toMatch(/^\(\d\)/);
  expect([await state(page, "asked"), await state(page, "notifications")]).toEqual([1, []]);
});

it("notifies of a reply while the page is hidden, from one tab, until the visitor switches it off", async () => {
  const { page, chat, context } = await testbed.visit({ before: answering("granted") });
  await converse(chat);
  await press(chat, "Notify me of replies");
  expect(await state(page, "asked")).toBe(1);
  await testbed.reply("while he looks");
  await chat.thread.getByText("while he looks").waitFor();

  const other = await testbed.visit({ before: answering("granted"), context });
  await other.page.evaluate(() => Notification.requestPermission());
  await other.chat.open();
  await other.chat.thread.getByText("while he looks").waitFor();
  for (const each of [chat, other.chat]) await each.panel.getByRole("button", { name: "Close chat" }).click();
  for (const tab of [page, other.page]) await hide(tab, true);
  await testbed.reply("**while** he is away");
  const all = async () => [...(await state(page, "notifications")), ...(await state(other.page, "notifications"))];
  await expect.poll(async () => (await all()).map(({ body }) => body)).toEqual(["while he is away"]);
  for (const tab of [page, other.page]) {
    await hide(tab, false);
    await tab.evaluate(() =>
      (window as unknown as { state: { notifications: ShownNotification[] } }).state.notifications[0]?.onclick(),
    );
  }
  const opened = () => Promise.all([chat, other.chat].map(({ composer }) => composer.isVisible()));
  await expect.poll(opened).toContain(true);

  // A background tab draws no frames, so the closing panel may still be visible.
  if ((await page.locator("dialog[open]").count()) === 0) await chat.open();
  await press(chat, "Stop notifications");
  // The other tab reads the choice from the storage, which browsers pass on between processes.
  const stored = () => other.page.evaluate(() => String(localStorage["porchlight:default"]));
  await expect.poll(stored).not.toContain("notify");
  for (const tab of [page, other.page]) await hide(tab, true);
  await testbed.reply("and nobody reads");
  await chat.thread.getByText("and nobody reads").waitFor();
  await expect.poll(() => page.title()).toMatch(/^\(\d\)/);
  expect(await all()).toHaveLength(1);
});

it("notifies of a reply however long the page has been hidden", async () => {
  const { page, chat } = await testbed.visit({
    async before(page) {
      await answering("granted")(page);
      await page.clock.install();
      await listenTo(page);
    },
  });
  await converse(chat);
  await press(chat, "Notify me of replies");
  await chat.panel.getByRole("menu").waitFor({ state: "detached" });
  await hide(page, true);
  await pass(page, 6 * 60_000);
  await testbed.reply("an answer after six minutes");
  await expect
    .poll(async () => (await state(page, "notifications")).map(({ body }) => body))
    .toEqual(["an answer after six minutes"]);
  await expect.poll(() => page.title()).toMatch(/^\(\d\)/);
});

it("tells a visitor who has blocked notifications that they are blocked, and does not ask again", async () => {
  const { page, chat } = await testbed.visit({ before: answering("denied") });
  await converse(chat);
  await press(chat, "Notify me of replies");
  await chat.panel.getByText("Your browser blocks notifications from this site.").waitFor();
  // The pressed entry now shows it, and keeps the focus.
  const entry = chat.panel.getByRole("menuitem", {
    name: "Your browser blocks notifications from this site.",
    disabled: true,
  });
  expect(await entry.evaluate((node) => (node.getRootNode() as ShadowRoot).activeElement === node)).toBe(true);
  await page.evaluate(AXE);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(): Promise<{ violations: { id: string }[] }> } };
    return (await axe.run()).violations.map(({ id }) => id);
  });
  expect(violations).toEqual([]);
  await page.keyboard.press("Escape");
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  await chat.panel.getByText("Your browser blocks notifications from this site.").waitFor();
  expect(await chat.panel.getByRole("menuitem", { name: "Notify me of replies" }).count()).toBe(0);
  expect(await state(page, "asked")).toBe(1);
});
