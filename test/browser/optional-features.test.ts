/** Features that sites switch on: the start screen with help articles, voice messages, and a prepared message. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { pageOf, setStage } from "./checks/stage.ts";

const stage = setStage();

it("shows the owner's articles first, searches and opens them, and leads to the chat", async () => {
  const folder = join(stage.house.dataDir, "help");
  mkdirSync(folder, { recursive: true });
  const articles = [
    { title: "Returns", text: "Send it back within **30 days**." },
    { title: "Delivery", text: "Two to four days." },
  ];
  writeFileSync(join(folder, "default.json"), JSON.stringify(articles));
  const { chat } = await stage.visit({ html: pageOf(stage.tag('data-site="default" data-start-screen')) });
  await chat.launcher.first().click();
  await chat.panel.getByRole("button", { name: "Delivery" }).waitFor();
  expect(await chat.composer.isVisible()).toBe(false);
  await chat.panel.getByRole("searchbox", { name: "Search for help" }).fill("30 days");
  await chat.panel.getByRole("button", { name: "Delivery" }).waitFor({ state: "detached" });
  await chat.panel.getByRole("button", { name: "Returns" }).click();
  await chat.panel.locator("article strong", { hasText: "30 days" }).waitFor();
  await chat.panel.getByRole("button", { name: "Send us a message" }).click();
  await chat.say("Hello");
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  await chat.panel.getByRole("button", { name: "Help articles" }).click();
  await chat.panel.getByRole("button", { name: "Continue your conversation" }).waitFor();
});

/**
 * Runs in the page: a fake microphone that plays a tone. It starts at the visitor's press, because browsers allow no sound
 * before.
 */
function hum(): void {
  const getUserMedia = async (): Promise<MediaStream> => {
    const context = new AudioContext();
    const tone = context.createOscillator();
    const target = context.createMediaStreamDestination();
    tone.connect(target);
    tone.start();
    await context.resume();
    return target.stream;
  };
  Object.defineProperty(navigator, "mediaDevices", { value: { getUserMedia } });
}

it("records a voice message, which the relay stores and the service gets as audio", async () => {
  const { chat } = await stage.visit({
    html: pageOf(stage.tag('data-site="default" data-voice')),
    before: (page) => page.addInitScript(hum),
  });
  await chat.open();
  await chat.panel.getByRole("button", { name: "Record a voice message" }).click();
  // Each number is shown for one second only, which the test may miss.
  await chat.panel.getByText(/^0:(0[1-9]|[1-5]\d)$/).waitFor();
  await chat.panel.getByRole("button", { name: "Add the recording" }).click();
  await chat.panel.locator(".tray li").waitFor();
  await expect.poll(() => chat.panel.locator(".tray progress").count()).toBe(0);
  await chat.panel.getByRole("button", { name: "Send message" }).click();
  await stage.house.sandbox.until((sandbox) => sandbox.messages().length === 1);
  expect(stage.house.sandbox.messages()[0]).toMatchObject({
    media: { type: expect.stringMatching(/^audio\//) },
  });
});

it("tells the visitor that the microphone is blocked", async () => {
  const { chat } = await stage.visit({
    html: pageOf(stage.tag('data-site="default" data-voice')),
    before: (page) =>
      page.addInitScript(() => {
        const getUserMedia = () => Promise.reject(new DOMException("no", "NotAllowedError"));
        Object.defineProperty(navigator, "mediaDevices", { value: { getUserMedia } });
      }),
  });
  await chat.open();
  await chat.panel.getByRole("button", { name: "Record a voice message" }).click();
  await chat.panel.getByRole("alert").filter({ hasText: "The microphone is blocked." }).waitFor();
});

it("puts the page's prepared message into the text field, where the visitor can change it", async () => {
  const { chat } = await stage.visit({
    html: pageOf(stage.tag(`data-site="default" data-prefill='{"message":"I ask about order 77"}'`)),
  });
  await chat.open();
  await expect.poll(() => chat.composer.inputValue()).toBe("I ask about order 77");
});
