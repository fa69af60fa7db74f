/** The end of a conversation, and how a new one begins (WIDGET 8.3). */

import { expect, it } from "vitest";
import { announced, record } from "./checks/recorder.ts";
import { callApi, converse, pageOf, setUpTestbed } from "./checks/testbed.ts";
import { setOffline } from "./offline.ts";

const testbed = setUpTestbed();

it("shows in the thread that the conversation has ended, and a button begins a new one", async () => {
  const { page, chat } = await testbed.visit();
  await converse(chat, "before the end");
  const first = testbed.harness.sandbox.messages().at(-1)?.fromId;
  const said = await record(page);
  await callApi(page, "logout");
  await chat.thread.getByText("This conversation has ended.").waitFor();
  await announced(said, /^This conversation has ended\.$/);
  expect(await chat.thread.getByText("before the end", { exact: true }).count()).toBe(0);
  expect(await chat.thread.getByText("Hi! How can we help you?").count()).toBe(0);
  expect(await page.locator(".bar").count()).toBe(0);

  const socket = page.waitForEvent("websocket");
  await chat.thread.getByRole("button", { name: "Start a new conversation" }).click();
  await socket;
  await chat.thread.getByText("Hi! How can we help you?").waitFor();
  expect(await page.locator(".ended").count()).toBe(0);
  await announced(said, /^Hi! How can we help you\?$/);
  const focused = () => chat.composer.evaluate((field) => (field.getRootNode() as ShadowRoot).activeElement === field);
  await expect.poll(focused).toBe(true);
  await page.keyboard.type("after it");
  await page.keyboard.press("Enter");
  await chat.thread.getByText("echo: after it", { exact: true }).waitFor();
  expect(testbed.harness.sandbox.messages().at(-1)?.fromId).not.toBe(first);
});

it("accepts messages while a deletion waits for the network, and sends them as a new visitor", async () => {
  const { page, chat } = await testbed.visit();
  await converse(chat, "before the end");
  const first = testbed.harness.sandbox.messages().at(-1)?.fromId;
  const network = async (on: boolean): Promise<void> => {
    await setOffline(page, !on);
    await page.evaluate((type) => void dispatchEvent(new Event(type)), on ? "online" : "offline");
  };
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  await page.getByRole("menuitem", { name: "Delete conversation" }).click();
  await network(false);
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await chat.thread.getByText("before the end", { exact: true }).waitFor({ state: "detached" });
  await chat.send("a new beginning");
  await chat.thread.getByText("Waiting to send").waitFor();
  await chat.composer.fill("and more to");
  await network(true);
  await chat.thread.getByText("echo: a new beginning", { exact: true }).waitFor();
  expect(await chat.thread.getByText("before the end", { exact: true }).count()).toBe(0);
  expect(await chat.composer.inputValue()).toBe("and more to");
  expect(testbed.harness.sandbox.messages().at(-1)?.fromId).not.toBe(first);
});

/** Commands that the page's stub collects before the tag has loaded; `events` records the events. */
const calling = (...calls: unknown[][]): string =>
  `<script>window.events = []; addEventListener("porchlight:logout", () => events.push("logout"));
    window.Porchlight = Object.assign(function () {}, { q: ${JSON.stringify(calls)} });</script>`;
const ASKING = 'data-site="default" data-suggestions="One|Two" data-privacy-url="https://shop.example/privacy"';

it("shows a first visitor a new conversation although the page logs out every anonymous visitor", async () => {
  const { page, chat } = await testbed.visit({ html: pageOf(calling(["logout"]) + testbed.tag(ASKING)) });
  const eventsOnPage = () => page.evaluate(() => (window as unknown as { events: string[] }).events);
  await expect.poll(eventsOnPage).toEqual(["logout"]);
  const opened = page.waitForEvent("websocket");
  await chat.open();
  await opened;
  // The connection is being opened now: from here on, there is a session that a logout could end.
  await chat.thread.getByText("Hi! How can we help you?").waitFor();
  await chat.thread.getByText("You're chatting with an AI assistant.").waitFor();
  await chat.thread.getByRole("button", { name: "Two" }).waitFor();
  await chat.thread.getByRole("link", { name: /^Privacy/ }).waitFor();
  await chat.send("I am new");
  await chat.thread.getByText("echo: I am new", { exact: true }).waitFor();
  expect(await chat.thread.getByText("This conversation has ended.").count()).toBe(0);
  expect(await eventsOnPage()).toEqual(["logout"]);
});

it("asks for consent below the greeting although the page withdraws it at once", async () => {
  const attributes = `${ASKING} data-require-consent="true"`;
  const { page, chat } = await testbed.visit({
    html: pageOf(calling(["logout"], ["consent", false]) + testbed.tag(attributes)),
  });
  await chat.launcher.click();
  await page.getByRole("button", { name: "Agree and chat" }).waitFor();
  await chat.thread.getByText("Hi! How can we help you?").waitFor();
  await chat.thread.getByText("You're chatting with an AI assistant.").waitFor();
  await chat.panel.getByRole("link", { name: /^Privacy/ }).waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
});
