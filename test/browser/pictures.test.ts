/** Files and pictures under difficult conditions: many of them, a strict page, a deleted picture. */

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { IDENTITY_SECRET, identityOf } from "../identities.ts";
import { record } from "./checks/recorder.ts";
import { type Chat, callApi, converse, pageOf, rectOf, setUpTestbed } from "./checks/testbed.ts";
import { PIXEL, png } from "./png.ts";

const testbed = setUpTestbed({ env: { IDENTITY_SECRET } });
const pixel = (name: string) => ({ name, mimeType: "image/png", buffer: PIXEL });
const pick = (page: Page, ...names: string[]) => page.locator("input[type=file]").setInputFiles(names.map(pixel));
/** Waits until the picked file is in the tray, whose code loads with the first file, and has been uploaded. */
async function uploaded(page: Page): Promise<void> {
  await page.locator(".tray li").first().waitFor();
  await expect.poll(() => page.locator(".tray progress").count()).toBe(0);
}
const send = (chat: Chat) => chat.panel.getByRole("button", { name: "Send message" }).click();

it("picked files leave room for the thread, however many there are, and the keyboard reaches all of them", async () => {
  const { page, chat } = await testbed.visit({ options: { locale: "de-DE" } });
  await chat.open();
  await pick(page, "one.png", "two.png", "three.png", "four.png", "five.png");
  await expect.poll(() => page.locator(".tray li").count()).toBe(5);
  await uploaded(page);
  const [tray, panel] = [await rectOf(page, ".tray"), await rectOf(page, ".panel")];
  expect(tray.height).toBeLessThan(panel.height / 3);
  const last = page.locator(".tray button").last();
  const out = await rectOf(page, ".tray li:last-child");
  expect(out.bottom).toBeGreaterThan(tray.bottom);
  await page.locator(".tray button").first().focus();
  for (let n = 1; n < 5; n++) await page.keyboard.press("Tab");
  expect(await last.evaluate((button) => (button.getRootNode() as ShadowRoot).activeElement === button)).toBe(true);
  const shown = await rectOf(page, ".tray li:last-child button");
  expect(shown.bottom).toBeLessThanOrEqual(tray.bottom);
  expect(shown.y).toBeGreaterThanOrEqual(tray.y);
});

it.each([
  ["en", "70 bytes"],
  ["de", "70 Byte"],
  ["fr", "70 octets"],
])("picked files show their size in the format of %s", async (locale, words) => {
  const { page, chat } = await testbed.visit({
    html: pageOf(testbed.tag(`data-site="default" data-locale="${locale}"`)),
  });
  await chat.launcher.first().click();
  await page.locator("textarea").waitFor();
  await pick(page, "dot.png");
  expect((await page.locator(".tray small").textContent())?.replaceAll(/\s/g, " ")).toBe(words);
});

it("picked files are dropped when another visitor is identified, and kept otherwise", async () => {
  const { page, chat } = await testbed.visit();
  await chat.open();
  await pick(page, "ada.png");
  await uploaded(page);
  await callApi(page, "identify", identityOf({ sub: "ada" }));
  await callApi(page, "identify", identityOf({ sub: "ada", name: "Ada" }));
  expect(await page.locator(".tray li").count()).toBe(1);
  await callApi(page, "identify", identityOf({ sub: "bob" }));
  await expect.poll(() => page.locator(".tray li").count()).toBe(0);
});

it("where the page allows no pictures, picked pictures have an icon, and pictures in the thread are links", async () => {
  const relay = testbed.harness.url;
  const policy = `default-src 'none'; script-src ${relay}; connect-src ${relay} ${relay.replace("http", "ws")}; img-src 'none'`;
  const { page, chat } = await testbed.visit({ headers: { "Content-Security-Policy": policy } });
  await chat.open();
  await pick(page, "dot.png");
  await page.locator(".tray .i-file").waitFor();
  expect(await page.locator(".tray img").count()).toBe(0);
  await uploaded(page);
  await send(chat);
  const link = chat.thread.getByRole("link", { name: "File dot.png" });
  await link.waitFor();
  expect(await link.getAttribute("href")).toContain(`${relay}/media/`);
  expect(await chat.thread.locator("img").count()).toBe(0);
  expect(await chat.thread.getByText("No longer available").count()).toBe(0);
});

it("deleted pictures are shown as deleted, without a link", async () => {
  const { page, chat } = await testbed.visit();
  await converse(chat);
  const headers = { "Access-Control-Allow-Origin": "*" };
  await page.route(/\/media\/./, (route) => route.fulfill({ status: 404, headers, body: "{}" }));
  await pick(page, "dot.png");
  await uploaded(page);
  await send(chat);
  await chat.thread.getByText("No longer available").waitFor();
  expect(await page.locator(".own .file bdi").textContent()).toBe("dot.png");
  expect(await chat.thread.locator("img").count()).toBe(0);
  expect(await chat.thread.locator(".own a[href]").count()).toBe(0);
});

it("pictures fill their bubble from edge to edge, whatever the text is, and are never enlarged or drawn as a line", async () => {
  const { page, chat } = await testbed.visit();
  await chat.open();
  const show = async (width: number, height: number, words: string) => {
    const before = await page.locator(".picture img").count();
    const file = { name: "one.png", mimeType: "image/png", buffer: png(width, height) };
    await page.locator("input[type=file]").setInputFiles(file);
    await page.locator(".tray li").waitFor();
    await uploaded(page);
    await chat.composer.fill(words);
    await send(chat);
    const image = page.locator(".picture img").nth(before);
    await image.waitFor();
    // Its size is known before it has loaded.
    const early = await image.evaluate((box) => box.getBoundingClientRect().height);
    await expect.poll(() => image.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBe(width);
    return image.evaluate((box, first) => {
      const { x, y, right, bottom, width, height } = box.getBoundingClientRect();
      const outer = (name: string) => box.closest(name)?.getBoundingClientRect() ?? new DOMRect();
      const [link, bubble] = [outer(".picture"), outer(".bubble")];
      const gaps = [link.x - bubble.x, link.y - bubble.y, bubble.right - link.right].map((one) => Math.round(one) || 0);
      const inside = [x - link.x, y - link.y, link.right - right, link.bottom - bottom].map(
        (one) => Math.round(one) || 0,
      );
      return {
        size: [width, height].map((one) => Math.round(one) || 0),
        gaps,
        inside,
        shift: Math.round(height - first) || 0,
      };
    }, early);
  };
  const flush = { gaps: [0, 0, 0], shift: 0 };
  expect(await show(900, 600, "Is this the lamp that you showed me last week?")).toEqual({
    ...flush,
    size: [255, 170],
    inside: [0, 0, 0, 0],
  });
  expect(await show(20, 20, "Tiny")).toMatchObject({ ...flush, size: [20, 20] });
  // A small picture without a text has no empty strips beside it.
  expect(await show(120, 90, "")).toEqual({ ...flush, size: [120, 90], inside: [0, 0, 0, 0] });
  expect(await show(1_600, 40, "")).toMatchObject({ ...flush, size: [255, 45] });
  expect(await show(300, 2_000, "Tall")).toMatchObject({ ...flush, size: [255, 300] });
});

it("files above the limit are reported as left out, visibly and to screen readers", async () => {
  const { page, chat } = await testbed.visit();
  await chat.open();
  const said = await record(page);
  const WORDS = "You can add up to 5 files at a time. The others weren't added.";
  await pick(page, "1.png", "2.png", "3.png", "4.png", "5.png", "6.png", "7.png");
  await page.locator("porch-light .counter.over", { hasText: WORDS }).waitFor();
  await expect.poll(said).toContainEqual(expect.objectContaining({ role: "alert", text: WORDS }));
  expect(await page.locator(".tray li").count()).toBe(5);
});

it("files in a reply that cannot be shown are described in the visitor's language, and passed to the page unchanged", async () => {
  testbed.harness.sandbox.configure({ humanAttachment: "emptyBody" });
  const { page, chat } = await testbed.visit({ html: pageOf(testbed.tag('data-locale="de"')) });
  await page.evaluate(() => {
    addEventListener("porchlight:message", (event) => {
      document.title = (event as CustomEvent).detail.text;
    });
  });
  await page.locator(".launcher").click();
  await page.locator("textarea").fill("Hello");
  await page.locator("textarea").press("Enter");
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  const fromId = testbed.harness.sandbox.messages().at(-1)?.fromId ?? "";
  await testbed.harness.sandbox.humanReply({ fromId, body: "", mediaUrl: "https://files.example/a.pdf" });
  await chat.thread.getByText("Es wurde eine Datei gesendet, die hier nicht angezeigt werden kann.").waitFor();
  expect(await chat.thread.getByText("not available here").count()).toBe(0);
  await expect.poll(() => page.title()).toBe("[attachment – not available here]");
});
