/** WIDGET 9, check 58: use without a mouse. */

import type { FileChooser, Page } from "playwright-core";
import { expect, it } from "vitest";
import { type Chat, converse, echo, pageOf, setUpTestbed } from "./testbed.ts";
import { withThread } from "./threads.ts";

const testbed = setUpTestbed();

/** Name of the focused element: inside the chat, or on the page. */
const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const inner = document.querySelector("porch-light")?.shadowRoot?.activeElement;
    const active = inner ?? document.activeElement;
    return (
      active?.getAttribute("aria-label") ||
      (active?.id && active.id !== "porchlight" ? active.id : "") ||
      (active?.getAttribute("role") === "log" ? "log" : "") ||
      active?.textContent?.trim() ||
      active?.localName ||
      ""
    );
  });

/** The focused element, if it does not show its focus. */
const unseen = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const active = document.querySelector("porch-light")?.shadowRoot?.activeElement;
    if (!active) return "";
    // The text area shows its focus by the wider border of its field; an input by its label.
    const places = [active, active.closest(".field"), active.closest("label")].filter((one) => one !== null);
    const seen = places.some((one) => {
      const { outlineStyle, outlineWidth, borderTopWidth } = getComputedStyle(one);
      const ring = outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1;
      return ring || (one.matches(".field") && Number.parseFloat(borderTopWidth) >= 2);
    });
    const { width, height } = (active.closest("label") ?? active).getBoundingClientRect();
    return seen && width > 1 && height > 1 ? "" : active.outerHTML.slice(0, 80);
  });

/** Presses a key until the wanted element has the focus. Fails when its focus is not visible. @returns the names on the way */
async function goTo(page: Page, key: string, wanted: RegExp): Promise<string[]> {
  const way: string[] = [];
  while (way.length < 15) {
    await page.keyboard.press(key);
    way.push(await focused(page));
    expect(await unseen(page), `focus at ${way.at(-1)}`).toBe("");
    if (wanted.test(way.at(-1) ?? "")) return way;
  }
  throw new Error(`${wanted} is not on the way: ${way.join(" → ")}`);
}

const HOST = `<button id="before">Before</button><button id="own">Ask us</button><script>document.getElementById("own").onclick=()=>Porchlight("open")</script>`;

/** Opens the chat and gets a long reply. */
async function openAndWrite(page: Page, chat: Chat): Promise<void> {
  await chat.launcher.waitFor();
  await page.locator("#after").focus();
  await goTo(page, "Tab", /^chat/i);
  await page.keyboard.press("Enter");
  await chat.composer.waitFor();
  expect(await focused(page)).toBe("message");
  testbed.harness.sandbox.configure({ botScript: "long" });
  await page.keyboard.type("a long one, please");
  await page.keyboard.press("Enter");
  await chat.thread.getByText("This is a long answer").waitFor();
  // The dots may stay for half a second after a reply. Only without them, the thread has its final height.
  await chat.thread.locator(".waiting").waitFor({ state: "detached" });
}

/** Goes back through the panel in visual order, from the bottom, and scrolls the thread. */
async function goBackAndScroll(page: Page, chat: Chat): Promise<void> {
  const up = await goTo(page, "Shift+Tab", /^Chat options$/);
  expect(up.join("|")).toMatch(/Attach a file\|.*log\|Close chat\|Chat options$/);
  await goTo(page, "Tab", /^log$/);
  const top = () => chat.thread.evaluate((thread) => thread.scrollTop);
  const end = await top();
  expect(end).toBeGreaterThan(0);
  await page.keyboard.press("Home");
  await expect.poll(top).toBe(0);
  await page.keyboard.press("PageDown");
  await expect.poll(top).toBeGreaterThan(0);
  await page.keyboard.press("End");
  await expect.poll(top).toBeGreaterThanOrEqual(end - 1);
}

/** Sends a message that fails, and sends it again. */
async function retry(page: Page, chat: Chat): Promise<void> {
  testbed.harness.sandbox.configure({ botScript: "echo" });
  await goTo(page, "Tab", /^message$/);
  testbed.harness.sandbox.failNext("incoming", 1, 400);
  await page.keyboard.type("refused at first");
  await page.keyboard.press("Enter");
  await chat.panel.getByRole("button", { name: "Retry" }).waitFor();
  await goTo(page, "Shift+Tab", /^Retry$/);
  await page.keyboard.press("Enter");
  await echo(chat, "refused at first").waitFor();
  expect(await focused(page)).toBe("message");
}

/** Attaches and sends a file. @param choosers the opened dialogs */
async function attach(page: Page, chat: Chat, choosers: FileChooser[]): Promise<void> {
  await goTo(page, "Shift+Tab", /^Attach a file$/);
  await page.keyboard.press("Enter");
  await expect.poll(() => choosers.length).toBe(1);
  await choosers[0]?.setFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Hello") });
  await page.locator(".tray li:not(:has(progress))").waitFor();
  expect(await focused(page)).toBe("message");
  await page.keyboard.press("Enter");
  await chat.thread.locator(".file").waitFor();
}

/** Moves through the menu with arrow keys and leaves it with Escape. The panel stays open. */
async function useMenu(page: Page, chat: Chat): Promise<void> {
  await goTo(page, "Shift+Tab", /^Chat options$/);
  await page.keyboard.press("Enter");
  await page.getByRole("menuitem").first().waitFor();
  await expect.poll(() => focused(page)).toBe("Download conversation");
  await goTo(page, "ArrowDown", /^Delete conversation$/);
  await page.keyboard.press("Escape");
  expect(await focused(page)).toBe("Chat options");
  expect(await chat.panel.isVisible()).toBe(true);
}

/** Goes out to the page and back, so there is no focus trap. Then closes with the button: the focus returns to the launcher. */
async function leaveAndClose(page: Page, chat: Chat): Promise<void> {
  await goTo(page, "Shift+Tab", /^(after|Chat)/);
  await goTo(page, "Tab", /^Close chat$/);
  await page.keyboard.press("Enter");
  await chat.panel.waitFor({ state: "hidden" });
  expect(await focused(page)).toMatch(/^chat/i);
}

it("58 the keyboard alone opens, writes, sends, scrolls, retries, attaches, uses the menu and closes, with a visible focus", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(`${HOST}${testbed.tag()}<button id="after">After</button>`),
  });
  // Set before the first click: a browser opens its own dialog when no listener waits for it.
  const choosers: FileChooser[] = [];
  page.on("filechooser", (chooser) => choosers.push(chooser));
  await openAndWrite(page, chat);
  await goBackAndScroll(page, chat);
  await retry(page, chat);
  await attach(page, chat, choosers);
  await useMenu(page, chat);
  await leaveAndClose(page, chat);
});

it("58 Escape closes, and the focus returns to the control of the page that opened the chat", async () => {
  const { page, chat } = await testbed.visit({ html: pageOf(`${HOST}${testbed.tag()}`) });
  await chat.launcher.waitFor();
  await page.locator("#own").focus();
  await page.keyboard.press("Enter");
  await chat.composer.waitFor();
  await goTo(page, "Tab", /^message$/);
  await page.keyboard.press("Escape");
  await chat.panel.waitFor({ state: "hidden" });
  expect(await focused(page)).toBe("own");
});

it("58 a reaction is given, changed and removed, and the focus stays on its button", async () => {
  const { page, chat } = await testbed.visit({ html: pageOf(`${HOST}${testbed.tag()}`) });
  await converse(chat);
  // The code of the buttons beside a reply is fetched for the first reply.
  await page.locator(".reply .react").waitFor({ state: "attached" });
  await goTo(page, "Shift+Tab", /^React$/);
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("React with 👍");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("Remove 👍");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("React");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toBe("React with 👍");
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toBe("React");
  // Only the newest reply accepts a reaction.
  await testbed.reply("Anything else?");
  await chat.thread.getByText("Anything else?").waitFor();
  await expect.poll(() => focused(page)).toBe("log");
  await page.keyboard.press("Escape");
  await chat.panel.waitFor({ state: "hidden" });
  expect(await focused(page)).toMatch(/^chat/i);
});

it("58 earlier messages load on request, and the last of them leave the focus in the thread", async () => {
  const { page, chat } = await withThread(testbed, 120);
  const rows = () => chat.thread.locator("li[data-row]").count();
  await chat.thread.focus();
  await goTo(page, "Tab", /^Show earlier messages$/);
  await expect.poll(() => chat.thread.evaluate((thread) => thread.scrollTop)).toBeLessThan(100);
  let shown = await rows();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  expect([await focused(page), await rows()]).toEqual(["Show earlier messages", shown]);
  while ((await focused(page)) === "Show earlier messages") {
    await page.keyboard.press("Enter");
    await expect.poll(rows).toBeGreaterThan(shown);
    shown = await rows();
    if (shown >= 122) break;
  }
  expect(shown).toBe(122);
  await expect.poll(() => focused(page)).toBe("log");
});

it.each([
  ["a form", 'data-prechat="name?|email"', "#form-name"],
  ["the start screen", "data-start-screen", "#title"],
  ["the question for consent", "data-require-consent", "#title"],
])("58 opening the chat by keyboard moves the focus into it, also to %s", async (_, attributes, place) => {
  const { page, chat } = await testbed.visit({ html: pageOf(testbed.tag(`data-site="default" ${attributes}`)) });
  await chat.launcher.first().focus();
  await page.keyboard.press("Enter");
  await page.locator(`porch-light ${place}:focus`).waitFor();
});

it("58 dismissing the teaser by keyboard moves the focus to the launcher, and fetches nothing", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(`${HOST}${testbed.tag('data-site="default" data-teaser="Questions?"')}`),
    before: (page) => page.clock.install(),
  });
  const requested: string[] = [];
  page.on("request", (request) => requested.push(request.url()));
  await chat.launcher.first().waitFor();
  await page.clock.runFor(10_000);
  await page.getByRole("button", { name: "Close", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".teaser").waitFor({ state: "detached" });
  expect(await focused(page)).toMatch(/^chat/i);
  expect(requested.filter((url) => url.includes("panel"))).toEqual([]);
  await page.keyboard.press("Enter");
  await chat.composer.waitFor();
});
