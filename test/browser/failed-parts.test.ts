/** Parts of the chat that are fetched on demand, and fail to load (WIDGET 2.3). */

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { type Chat, converse, pageOf, setUpTestbed } from "./checks/testbed.ts";

const testbed = setUpTestbed();
const WORDS = "That didn't work. Please try again in a moment.";
/** The query that makes the second attempt use another address. */
const OTHER = expect.stringMatching(/^\?./);
const FILE = { name: "list.txt", mimeType: "text/plain", buffer: Buffer.from("two lamps") };

/** Blocks a part until the returned function is called. @returns the requested addresses, and a function that unblocks it */
async function block(page: Page, name: string): Promise<{ requested: string[]; unblock: () => Promise<void> }> {
  const requested: string[] = [];
  const part = new RegExp(`/assets/${name}-`);
  await page.route(part, (route) => {
    requested.push(route.request().url());
    return route.abort();
  });
  return { requested, unblock: () => page.unroute(part) };
}

/** Waits until the chat is connected. At that moment it fetches again what has failed before. */
const connected = (page: Page): Promise<void> =>
  expect.poll(() => page.evaluate(() => String(localStorage["porchlight:default"]))).toContain('"token"');

/** Runs in the page: presses the buttons, if there are any. */
const press = (buttons: Element[]): void => {
  for (const button of buttons) (button as HTMLElement).click();
};

/** Checks that the chat reports the failure, keeps typed text, and loads the part on a press. */
async function fails(
  page: Page,
  chat: Chat,
  name: string,
  request: () => Promise<unknown>,
  loaded: () => Promise<unknown>,
) {
  await chat.composer.fill("half a sentence");
  const { requested, unblock } = await block(page, name);
  await request();
  await chat.panel.getByText(WORDS).waitFor();
  expect(requested.map((url) => new URL(url).search)).toEqual(["", OTHER]);
  // Fails a second time: some browsers remember failed addresses.
  await chat.panel.getByRole("button", { name: "Retry" }).click();
  await expect.poll(() => requested.length).toBe(4);
  expect(new Set(requested).size).toBe(3);
  await unblock();
  await chat.panel.getByRole("button", { name: "Retry" }).click();
  await loaded();
  await chat.panel.getByText(WORDS).waitFor({ state: "detached" });
  expect(await chat.composer.inputValue()).toBe("half a sentence");
}

it("parts report that they did not load, keep typed text, and load on request: emoji, menu, files", async () => {
  const { page, chat } = await testbed.visit();
  await chat.open();
  await connected(page);
  const emoji = chat.panel.getByRole("button", { name: "Insert an emoji" });
  const menu = chat.panel.getByRole("button", { name: "Chat options" });
  await fails(
    page,
    chat,
    "emoji",
    () => emoji.click(),
    () => chat.panel.getByRole("button", { name: "👍" }).waitFor(),
  );
  await page.keyboard.press("Escape");
  await fails(
    page,
    chat,
    "menu",
    () => menu.click(),
    () => chat.panel.locator("[role=menuitem]:focus").waitFor(),
  );
  await page.keyboard.press("Escape");
  await fails(
    page,
    chat,
    "file-tray",
    () => chat.panel.locator("input[type=file]").setInputFiles(FILE),
    () => chat.panel.locator(".tray").getByText("list.txt").waitFor(),
  );
  await expect.poll(() => chat.panel.locator(".tray progress").count()).toBe(0);
  await chat.panel.getByRole("button", { name: "Send message" }).click();
  await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === 1);
  expect(testbed.harness.sandbox.messages()[0]?.body).toContain("half a sentence");
});

it("parts report that they did not load, and load on request: reactions and the rating", async () => {
  const { page, chat } = await testbed.visit({ html: pageOf(testbed.tag('data-site="default" data-rating="two"')) });
  const rating = await block(page, "rating");
  await converse(chat);
  await chat.panel.getByText(WORDS).waitFor();
  let isLoaded = false;
  page.on("response", (response) => {
    if (/\/assets\/rating-/.test(response.url())) isLoaded = response.ok();
  });
  await rating.unblock();
  // Whenever another part loads, the panel requests the missing parts again. The button disappears, perhaps only for a moment.
  const retry = chat.panel.getByRole("button", { name: "Retry" });
  await expect.poll(() => retry.evaluateAll(press).then(() => isLoaded)).toBe(true);
  await chat.panel.getByText(WORDS).waitFor({ state: "detached" });
  const react = chat.thread.getByRole("button", { name: "React", exact: true });
  const loaded = () => chat.thread.getByRole("button", { name: "React with 🎉" }).waitFor();
  await fails(page, chat, "palette", () => react.click(), loaded);
});

it("the text field is shown in place of a form until the form's code loads", async () => {
  const html = pageOf(testbed.tag('data-site="default" data-prechat="email"'));
  const { page, chat } = await testbed.visit({ html });
  const forms = await block(page, "forms");
  await chat.open();
  await connected(page);
  await chat.panel.getByText(WORDS).waitFor();
  await forms.unblock();
  await chat.panel.getByRole("button", { name: "Retry" }).click();
  await chat.panel.getByRole("textbox", { name: "Email" }).waitFor();
});

it("parts report a failure in the visitor's language, or in English until rarer texts have loaded", async () => {
  const { page, chat } = await testbed.visit({ html: pageOf(testbed.tag('data-site="default" data-locale="de"')) });
  const { requested, unblock } = await block(page, "de\\.rare");
  await chat.launcher.first().click();
  await chat.panel.getByRole("button", { name: "Chat-Optionen" }).click();
  await page.getByRole("menuitem", { name: "Turn sound off" }).waitFor();
  // The menu takes the focus after it is drawn. Until then, Escape closes the chat.
  await page.locator("[role=menuitem]:focus").waitFor();
  expect(requested.map((url) => new URL(url).search)).toEqual(["", OTHER]);
  await unblock();
  await page.keyboard.press("Escape");
  await chat.panel.getByRole("button", { name: "Chat-Optionen" }).click();
  await page.getByRole("menuitem", { name: "Ton ausschalten" }).waitFor();
});

it("parts load automatically when the missing relay is back", async () => {
  const { chat } = await testbed.visit();
  await converse(chat);
  await testbed.harness.halt();
  try {
    await chat.panel.getByRole("button", { name: "Insert an emoji" }).click();
    await chat.panel.getByText(WORDS).waitFor();
  } finally {
    await testbed.harness.start();
  }
  await chat.panel.getByRole("button", { name: "👍" }).waitFor();
  await chat.panel.getByText(WORDS).waitFor({ state: "detached" });
});

it("attaches a file that is dropped before the code of the drop cover has loaded", async () => {
  const { page, chat } = await testbed.visit();
  await chat.open();
  const { requested } = await block(page, "drop-target");
  await chat.panel.locator(".app").evaluate((app) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["two lamps"], "list.txt", { type: "text/plain" }));
    for (const type of ["dragover", "drop"])
      app.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  });
  await chat.panel.getByText("list.txt").waitFor();
  expect(requested.length).toBeGreaterThan(0);
});
