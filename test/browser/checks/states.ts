/**
 * The visible states of the chat. Each state is entered from the one before it. Elements are found by structure, because the
 * texts depend on the language.
 */

import type { Page } from "playwright-core";
import { setOffline } from "../offline.ts";
import { PIXEL } from "../png.ts";
import type { Testbed } from "./testbed.ts";

export type State = { name: string; enter: (page: Page, testbed: Testbed) => Promise<unknown> };

const part = (page: Page, selector: string) => page.locator(`porch-light ${selector}`);

async function sendMessage(page: Page, text: string): Promise<void> {
  await part(page, "textarea").fill(text);
  await part(page, "textarea").press("Enter");
}
/** Waits for a reply with its tools, whose code is fetched for the first reply. */
const replied = (page: Page) => part(page, ".reply .react").first().waitFor({ state: "attached" });
const read = (page: Page) =>
  page.waitForFunction(() => (JSON.parse(localStorage["porchlight:default"] ?? "{}") as { read?: number }).read);

export const STATES: State[] = [
  { name: "closed", enter: (page) => part(page, ".launcher").waitFor() },
  {
    name: "empty",
    async enter(page) {
      await part(page, ".launcher").click();
      await part(page, "textarea").waitFor();
    },
  },
  {
    name: "conversation",
    async enter(page, testbed) {
      testbed.harness.sandbox.configure({ botScript: "markdown" });
      await sendMessage(page, "Do you deliver? https://shop.example/a");
      await part(page, ".reply pre").waitFor();
      await page.mouse.click(300, 300);
    },
  },
  {
    name: "file",
    async enter(page) {
      await part(page, "input[type=file]").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: PIXEL });
      await part(page, ".tray li").waitFor();
      await part(page, ".tray progress").waitFor({ state: "detached" });
    },
  },
  {
    name: "emoji",
    async enter(page) {
      await part(page, ".tray button").click();
      await part(page, "form button.tool").click();
      // The field gets its name when the words of the language have loaded.
      await part(page, ".emoji input:not([aria-label=''])").waitFor();
    },
  },
  {
    name: "menu",
    async enter(page) {
      await part(page, "form button.tool").click();
      await part(page, ".head [aria-haspopup=menu]").click();
      await part(page, "[role=menuitem]").first().waitFor();
    },
  },
  {
    name: "question",
    async enter(page) {
      await part(page, "[role=menuitem].danger").click();
      await part(page, "[role=alertdialog]").waitFor();
    },
  },
  {
    name: "failed",
    async enter(page, testbed) {
      await part(page, "[role=alertdialog] button").first().click();
      testbed.harness.sandbox.failNext("incoming", 1, 400);
      await sendMessage(page, "this one is refused");
      await part(page, ".failed").getByText(/\. \S/).waitFor();
    },
  },
  {
    name: "offline",
    async enter(page) {
      await setOffline(page, true);
      await part(page, ".bar").waitFor();
    },
  },
  {
    name: "unread",
    async enter(page, testbed) {
      await setOffline(page, false);
      await page.evaluate(() => void dispatchEvent(new Event("online")));
      await part(page, ".bar").waitFor({ state: "detached" });
      await read(page);
      await part(page, ".launcher").click();
      await testbed.reply("an answer that waits");
      await part(page, ".badge").waitFor();
    },
  },
];

/** The states with a form, and the ended conversation. Each is entered on a new page. */
export const FORM_STATES: (State & { attributes: string })[] = [
  {
    name: "form",
    attributes: 'data-prechat="name?|email"',
    async enter(page) {
      await part(page, ".launcher").click();
      await part(page, ".form").waitFor();
    },
  },
  {
    name: "wrong",
    attributes: 'data-prechat="name?|email"',
    async enter(page) {
      await part(page, ".launcher").click();
      await part(page, ".form [name=email]").fill("nobody@");
      await part(page, ".form [type=submit]").click();
      await part(page, "[id^=form-wrong]").waitFor();
    },
  },
  {
    name: "card",
    attributes: 'data-capture="email"',
    async enter(page) {
      await part(page, ".launcher").click();
      await sendMessage(page, "Hello");
      await part(page, ".form-card .form").waitFor();
      await replied(page);
      await page.mouse.click(300, 300);
    },
  },
  {
    name: "hours",
    attributes: `data-hours='{"timeZone":"UTC","mon":""}'`,
    async enter(page) {
      await part(page, ".launcher").click();
      await part(page, ".form textarea").waitFor();
    },
  },
  {
    name: "rating",
    attributes: 'data-rating="five"',
    async enter(page) {
      await part(page, ".launcher").click();
      await sendMessage(page, "Hello");
      await replied(page);
      await read(page);
      await part(page, ".launcher").click();
      await part(page, ".launcher").click();
      await part(page, ".scores label").nth(3).click();
      await part(page, ".rate textarea").waitFor();
      // The click may have scrolled the thread, and the form has moved it up: the visitor scrolls back to the end.
      await part(page, ".thread").evaluate((thread) => thread.scrollTo(0, thread.scrollHeight));
      await part(page, ".newest").waitFor({ state: "hidden" });
      await page.mouse.click(300, 300);
    },
  },
  {
    name: "ended",
    attributes: "",
    async enter(page) {
      await part(page, ".launcher").click();
      await sendMessage(page, "Hello");
      await part(page, ".reply").waitFor();
      await page.evaluate(() => (window as unknown as { Porchlight: (name: string) => unknown }).Porchlight("logout"));
      await part(page, ".ended").waitFor();
    },
  },
];
