/** Features that sites switch on: the start screen with help articles, voice messages, and a prepared message. */

import { expect, it } from "vitest";
import { pageOf, setUpTestbed } from "./checks/testbed.ts";
import { writeHelpArticles } from "./help-articles.ts";
import { silence } from "./silence.ts";

const testbed = setUpTestbed();

it("shows the owner's articles first, searches and opens them, and leads to the chat", async () => {
  writeHelpArticles(testbed.harness.dataDir);
  const { chat } = await testbed.visit({ html: pageOf(testbed.tag('data-site="default" data-start-screen')) });
  await chat.launcher.first().click();
  await chat.panel.getByRole("button", { name: "Delivery" }).waitFor();
  expect(await chat.composer.isVisible()).toBe(false);
  await chat.panel.getByRole("searchbox", { name: "Search for help" }).fill("30 days");
  await chat.panel.getByRole("button", { name: "Delivery" }).waitFor({ state: "detached" });
  await chat.panel.getByRole("button", { name: "Returns" }).click();
  await chat.panel.locator("article strong", { hasText: "30 days" }).waitFor();
  await chat.panel.getByRole("button", { name: "Send us a message" }).click();
  await chat.send("Hello");
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  await chat.panel.getByRole("button", { name: "Help articles" }).click();
  await chat.panel.getByRole("button", { name: "Continue your conversation" }).waitFor();
});

/**
 * Runs in the page: a fake microphone that plays a tone. It starts at the visitor's press, because browsers allow no sound
 * before.
 */
function fakeMicrophone(): void {
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
  const { chat } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-voice')),
    before: (page) => page.addInitScript(fakeMicrophone),
  });
  await chat.open();
  await chat.panel.getByRole("button", { name: "Record a voice message" }).click();
  // Each number is shown for one second only, which the test may miss.
  await chat.panel.getByText(/^0:(0[1-9]|[1-5]\d)$/).waitFor();
  await chat.panel.getByRole("button", { name: "Add the recording" }).click();
  expect(await chat.panel.locator(".tray li bdi").textContent()).toMatch(/^Voice message, 0:\d\d$/);
  await expect.poll(() => chat.panel.locator(".tray progress").count()).toBe(0);
  await chat.panel.getByRole("button", { name: "Send message" }).click();
  await chat.thread.getByRole("group", { name: "Voice message", exact: true }).waitFor();
  await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === 1);
  expect(testbed.harness.sandbox.messages()[0]).toMatchObject({
    media: { type: expect.stringMatching(/^audio\//) },
  });
});

// The files are so long that none ends while the test waits.
it("plays audio in its own player, by button, slider and arrow keys, one file at a time", async () => {
  const { page, chat } = await testbed.visit();
  await chat.open();
  for (const name of ["one", "two"]) {
    const file = { name: `${name}.wav`, mimeType: "audio/wav", buffer: silence(400) };
    await page.locator("input[type=file]").setInputFiles(file);
    await chat.panel.locator(".tray li").waitFor();
    await expect.poll(() => chat.panel.locator(".tray progress").count()).toBe(0);
    await chat.panel.getByRole("button", { name: "Send message" }).click();
    await chat.thread.getByRole("group", { name }).waitFor();
  }
  const one = chat.thread.getByRole("group", { name: "one" });
  const two = chat.thread.getByRole("group", { name: "two" });
  const slider = one.getByRole("slider", { name: "one" });
  const position = () => slider.getAttribute("aria-valuetext");
  await expect.poll(position).toBe("0:00 / 6:40");

  // A step is a twentieth of the length.
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(position).toBe("0:20 / 6:40");
  // Nothing arrives any more that moves the slider under the pointer.
  await expect.poll(() => chat.thread.getByText(/^echo/).count()).toBe(2);
  await slider.hover();
  const { x, y, width, height } = await slider.boundingBox().then((box) => box ?? { x: 0, y: 0, width: 0, height: 0 });
  await page.mouse.move(x + width / 4, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width / 2, y + height / 2);
  await page.mouse.up();
  await expect.poll(position).toBe("3:20 / 6:40");

  await one.getByRole("button", { name: "Play" }).click();
  await one.getByRole("button", { name: "Pause" }).waitFor();
  await expect.poll(position).not.toMatch(/^3:20/);
  await two.getByRole("button", { name: "Play" }).click();
  await two.getByRole("button", { name: "Pause" }).waitFor();
  await one.getByRole("button", { name: "Play" }).waitFor();
  await two.getByRole("button", { name: "Pause" }).click();
  await two.getByRole("button", { name: "Play" }).waitFor();
  expect(
    await chat.thread.locator("audio").evaluateAll((all) => all.map((audio) => (audio as HTMLAudioElement).paused)),
  ).toEqual([true, true]);
});

it("a finger drags the slider of the audio player, which has an edge in forced colours", async () => {
  const options = {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    forcedColors: "active",
  } as const;
  const { page, chat } = await testbed.visit({ options });
  await chat.open();
  const file = { name: "one.wav", mimeType: "audio/wav", buffer: silence(400) };
  await page.locator("input[type=file]").setInputFiles(file);
  await chat.panel.locator(".tray li").waitFor();
  await expect.poll(() => chat.panel.locator(".tray progress").count()).toBe(0);
  await chat.panel.getByRole("button", { name: "Send message" }).click();
  const slider = chat.thread.getByRole("slider", { name: "one" });
  const position = () => slider.getAttribute("aria-valuetext");
  await expect.poll(position).toBe("0:00 / 6:40");
  // Nothing arrives any more that moves the slider under the finger.
  await chat.thread.getByText(/^echo/).waitFor();
  const { x, y, width, height } = await slider.boundingBox().then((box) => box ?? { x: 0, y: 0, width: 0, height: 0 });
  expect(height).toBeGreaterThanOrEqual(44);
  const bubble = chat.thread.locator(".own .with");
  expect(await bubble.evaluate((element) => getComputedStyle(element).borderTopWidth)).toBe("1px");
  const devtools = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", part?: number) =>
    devtools.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: part === undefined ? [] : [{ x: x + width * part, y: y + height / 2 }],
    });
  await touch("touchStart", 0.1);
  await touch("touchMove", 0.3);
  await touch("touchMove", 0.5);
  await touch("touchEnd");
  await expect.poll(position).toBe("3:20 / 6:40");
});

it("tells the visitor that the microphone is blocked", async () => {
  const { chat } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-voice')),
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
  const { chat } = await testbed.visit({
    html: pageOf(testbed.tag(`data-site="default" data-prefill='{"message":"I ask about order 77"}'`)),
  });
  await chat.open();
  await expect.poll(() => chat.composer.inputValue()).toBe("I ask about order 77");
});
