/** WIDGET 9, checks 68 to 71: phones, as far as Chromium can emulate them. */

import { type BrowserContextOptions, devices, type Page } from "playwright-core";
import { expect, it } from "vitest";
import { callApi, converse, pageOf, rectOf, setUpTestbed } from "./testbed.ts";
import { frames } from "./threads.ts";

const testbed = setUpTestbed();
const PHONE: BrowserContextOptions = { ...devices["Pixel 7"], viewport: { width: 390, height: 844 } };
const TALL = `<div style="height:3000px">Tall page</div>`;

/** Replaces the browser's visual viewport, so that a test can simulate a keyboard. */
const mockViewport = (page: Page) =>
  page.addInitScript(() => {
    const mock = Object.assign(new EventTarget(), {
      height: innerHeight,
      width: innerWidth,
      offsetTop: 0,
      offsetLeft: 0,
      pageTop: 0,
      scale: 1,
      addEventListener(...given: Parameters<EventTarget["addEventListener"]>) {
        Object.assign(window, { viewportWatched: true });
        EventTarget.prototype.addEventListener.apply(mock, given);
      },
    });
    Object.defineProperty(window, "visualViewport", { get: () => mock });
  });

/** Waits for the code that watches the viewport; it may load after the panel's. */
const viewportWatched = (page: Page): Promise<unknown> => page.waitForFunction(() => "viewportWatched" in window);

/** Simulates that the keyboard appears or disappears, or that the page moves behind it. `silent`: without an event. */
async function keyboard(page: Page, covered: number, offsetTop: number, type = "resize"): Promise<void> {
  await page.evaluate(
    async ({ covered, offsetTop, type }) => {
      const view = window.visualViewport as unknown as EventTarget;
      Object.assign(view, { height: innerHeight - covered, offsetTop });
      view.dispatchEvent(new Event(type));
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    },
    { covered, offsetTop, type },
  );
}

it("68 the keyboard covers neither header nor composer, and the layout returns when it disappears", async () => {
  const { page, chat } = await testbed.visit({ options: PHONE, before: mockViewport });
  await converse(chat);
  await viewportWatched(page);
  const whole = await rectOf(page, ".panel");
  for (const [offsetTop, type] of [
    [0, "resize"],
    [120, "scroll"],
  ] as const) {
    await keyboard(page, 336, offsetTop, type);
    const [head, composer, thread] = [
      await rectOf(page, ".head"),
      await rectOf(page, ".composer"),
      await rectOf(page, ".thread"),
    ];
    expect(head.y).toBeGreaterThanOrEqual(offsetTop - 0.5);
    expect(composer.bottom).toBeLessThanOrEqual(844 - 336 + offsetTop + 0.5);
    expect(thread.y).toBeGreaterThanOrEqual(head.bottom - 0.5);
    expect(thread.bottom).toBeLessThanOrEqual(composer.y + 0.5);
    expect(thread.height).toBeGreaterThan(100);
  }
  await keyboard(page, 0, 0);
  expect(await rectOf(page, ".panel")).toEqual(whole);
  // On iOS the only sign that the keyboard has gone may be that the field lost the focus.
  await chat.composer.focus();
  await keyboard(page, 336, 120);
  await keyboard(page, 0, 0, "silent");
  expect(await rectOf(page, ".panel")).not.toEqual(whole);
  await chat.composer.blur();
  await expect.poll(() => rectOf(page, ".panel")).toEqual(whole);
  expect(await page.locator(".panel").evaluate((panel) => (panel as HTMLElement).style.transform)).toBe("");
});

it("69 fields are large enough to prevent zooming, opening shows no keyboard, and sending keeps it", async () => {
  const { page, chat } = await testbed.visit({ options: PHONE });
  await chat.launcher.tap();
  await chat.composer.waitFor();
  const active = () => page.evaluate(() => document.querySelector("porch-light")?.shadowRoot?.activeElement?.localName);
  await expect.poll(active).toBe("h2");
  expect(
    await chat.composer.evaluate((field) => Number.parseFloat(getComputedStyle(field).fontSize)),
  ).toBeGreaterThanOrEqual(16);
  await chat.composer.tap();
  await chat.composer.fill("by touch");
  await chat.panel.getByRole("button", { name: "Send message" }).tap();
  await chat.thread.getByText("echo: by touch", { exact: true }).waitFor();
  expect(await active()).toBe("textarea");
});

it("70 the page behind does not move when the visitor scrolls in the chat", async () => {
  const { page, chat } = await testbed.visit({ html: pageOf(TALL + testbed.tag()), options: PHONE });
  await page.evaluate(() => scrollTo(0, 700));
  await converse(chat);
  const wheel = async (times: number, by: number): Promise<void> => {
    const { x, y, width, height } = await rectOf(page, ".thread");
    await page.mouse.move(x + width / 2, y + height / 2);
    for (let n = 0; n < times; n++) await page.mouse.wheel(0, by);
    await frames(page);
  };
  // A short thread, then the ends of a long one.
  await wheel(3, 500);
  await wheel(3, -500);
  testbed.harness.sandbox.configure({ botScript: "long" });
  await chat.send("long");
  await chat.thread.getByText("This is a long answer").waitFor();
  await wheel(3, 20_000);
  await wheel(6, -20_000);
  expect(await page.evaluate(() => scrollY)).toBe(700);
  await chat.panel.getByRole("button", { name: "Close chat" }).tap();
  await chat.panel.waitFor({ state: "hidden" });
  expect(await page.evaluate(() => scrollY)).toBe(700);
});

it("71 Escape, which Android's back button sends, closes the panel and does not change the history", async () => {
  const { page, chat } = await testbed.visit({ options: PHONE });
  await chat.launcher.waitFor();
  const before = await page.evaluate(() => history.length);
  await chat.launcher.tap();
  await chat.composer.waitFor();
  expect(await page.locator("dialog.panel").evaluate((panel) => panel.matches(":modal"))).toBe(true);
  await page.keyboard.press("Escape");
  await chat.panel.waitFor({ state: "hidden" });
  expect(await page.evaluate(() => history.length)).toBe(before);
});

/** Whether the panel locks the page behind it. */
const isModal = (page: Page): Promise<boolean> =>
  page.locator("porch-light dialog").evaluate((dialog) => dialog.matches(":modal"));

it("the panel stays modal, with its focus and its draft, when the page empties or replaces its body", async () => {
  const { page, chat } = await testbed.visit({ options: PHONE });
  await converse(chat);
  await chat.composer.fill("half a thought");
  for (const replace of [
    () => document.body.replaceChildren(document.createElement("button")),
    () => document.body.replaceWith(document.createElement("body")),
  ]) {
    await page.evaluate(replace);
    await expect.poll(() => isModal(page)).toBe(true);
    const focused = () =>
      chat.composer.evaluate((field) => (field.getRootNode() as ShadowRoot).activeElement === field);
    await expect.poll(focused).toBe(true);
    expect(await chat.composer.inputValue()).toBe("half a thought");
  }
});

it("the panel unlocks the page when the page hides the chat", async () => {
  const { page, chat } = await testbed.visit({ options: PHONE });
  await chat.open();
  await expect.poll(() => isModal(page)).toBe(true);
  await page.locator("porch-light").evaluate((host) => {
    (host as HTMLElement).hidden = true;
  });
  await expect.poll(() => isModal(page)).toBe(false);
  await callApi(page, "show");
  await chat.launcher.waitFor();
  expect(await chat.panel.isVisible()).toBe(false);
});
