/** The end of a conversation, and how a new one begins (WIDGET 8.3). */

import { expect, it } from "vitest";
import { heard, record } from "./checks/recorder.ts";
import { converse, setStage, tell } from "./checks/stage.ts";

const stage = setStage();

it("says in the thread that the conversation has ended, and a button begins a new one", async () => {
  const { page, chat } = await stage.visit();
  await converse(chat, "before the end");
  const first = stage.house.sandbox.messages().at(-1)?.fromId;
  const said = await record(page);
  await tell(page, "logout");
  await chat.thread.getByText("This conversation has ended.").waitFor();
  await heard(said, /^This conversation has ended\.$/);
  expect(await chat.thread.getByText("before the end", { exact: true }).count()).toBe(0);
  expect(await chat.thread.getByText("Hi! How can we help you?").count()).toBe(0);
  expect(await page.locator(".bar").count()).toBe(0);

  const socket = page.waitForEvent("websocket");
  await chat.thread.getByRole("button", { name: "Start a new one" }).click();
  await socket;
  await chat.thread.getByText("Hi! How can we help you?").waitFor();
  expect(await page.locator(".ended").count()).toBe(0);
  await heard(said, /^Hi! How can we help you\?$/);
  const focused = () => chat.composer.evaluate((field) => (field.getRootNode() as ShadowRoot).activeElement === field);
  await expect.poll(focused).toBe(true);
  await page.keyboard.type("after it");
  await page.keyboard.press("Enter");
  await chat.thread.getByText("echo: after it", { exact: true }).waitFor();
  expect(stage.house.sandbox.messages().at(-1)?.fromId).not.toBe(first);
});

it("takes what is written while a deletion waits for the network, and sends it as a new visitor's", async () => {
  const { page, chat } = await stage.visit();
  await converse(chat, "before the end");
  const first = stage.house.sandbox.messages().at(-1)?.fromId;
  const network = async (on: boolean): Promise<void> => {
    await page.context().setOffline(!on);
    await page.evaluate((type) => void dispatchEvent(new Event(type)), on ? "online" : "offline");
  };
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  await page.getByRole("menuitem", { name: "Delete conversation" }).click();
  await network(false);
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await chat.thread.getByText("before the end", { exact: true }).waitFor({ state: "detached" });
  await chat.say("a new beginning");
  await chat.thread.getByText("Waiting to send").waitFor();
  await chat.composer.fill("and more to");
  await network(true);
  await chat.thread.getByText("echo: a new beginning", { exact: true }).waitFor();
  expect(await chat.thread.getByText("before the end", { exact: true }).count()).toBe(0);
  expect(await chat.composer.inputValue()).toBe("and more to");
  expect(stage.house.sandbox.messages().at(-1)?.fromId).not.toBe(first);
});
