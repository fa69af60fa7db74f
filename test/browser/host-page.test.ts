/** The chat and its page: events for the page, the closed chat, and what stays when the visitor navigates. */

import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, it } from "vitest";
import { sampleOf } from "../all-cases.ts";
import { announced, record } from "./checks/recorder.ts";
import { callApi, converse, pageOf, readUpTo, rectOf, setUpTestbed } from "./checks/testbed.ts";

const testbed = setUpTestbed({ site: { title: "Lamps" } });
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 700 }, hasTouch: true, isMobile: true };
const LONG_REPLY =
  "Yes, we ship to **Norway** within three working days, and the shipping is free for orders above five hundred kroner.";

/** The keys in the session storage. */
const session = (page: Page): Promise<string[]> => page.evaluate(() => Object.keys(sessionStorage).sort());
const isOpen = (page: Page): Promise<boolean> =>
  page.locator("dialog.panel").evaluate((node) => node.hasAttribute("open"));

it("reports one opening to the page when the page opens, closes and opens the chat before the script has loaded", async () => {
  const stub = `window.events=[];for(const name of ["open","close"])addEventListener("porchlight:"+name,()=>events.push(name));
    window.Porchlight=Object.assign(()=>{},{q:[["open"],["toggle"],["open"]]});`;
  const { page, chat } = await testbed.visit({ html: pageOf(`<script>${stub}</script>${testbed.tag()}`) });
  const eventsOnPage = () => page.evaluate(() => (window as unknown as { events: string[] }).events);
  await chat.composer.waitFor();
  expect(await eventsOnPage()).toEqual(["open"]);
  await callApi(page, "close");
  await expect.poll(eventsOnPage).toEqual(["open", "close"]);
  await callApi(page, "open");
  await expect.poll(eventsOnPage).toEqual(["open", "close", "open"]);
});

it("rejects page messages beyond fifty waiting ones with an error", async () => {
  const { page } = await testbed.visit({ html: pageOf(testbed.tag('data-site="default" data-require-consent')) });
  await page.locator(".launcher").waitFor();
  const eventsOnPage = await page.evaluate(async () => {
    const codes: string[] = [];
    addEventListener("porchlight:error", (event) => codes.push((event as CustomEvent).detail.code));
    const sent = Array.from({ length: 52 }, (_, n) =>
      (window as unknown as { Porchlight: (...call: string[]) => unknown }).Porchlight("send", `message ${n}`),
    );
    const results = await Promise.allSettled(sent);
    const rejected = results.flatMap((one, n) => (one.status === "rejected" ? [[n, String(one.reason)] as const] : []));
    return { codes, rejected };
  });
  expect(eventsOnPage.codes).toEqual(["queue_full", "queue_full"]);
  expect(eventsOnPage.rejected.map(([n]) => n)).toEqual([50, 51]);
  expect(eventsOnPage.rejected[0]?.[1]).toMatch(/50 messages wait/);
});

it("shows one clear state on a page whose origin is not allowed, and tells the owner which setting to change", async () => {
  const warnings: string[] = [];
  const { page, chat } = await testbed.visit({
    before: async (page) => {
      page.on("console", (message) => message.text().startsWith("Porchlight") && warnings.push(message.text()));
    },
  });
  const elsewhere = testbed.host.replace("localhost", "elsewhere.localhost");
  await page.goto(elsewhere);
  await page.locator(".launcher").waitFor();
  await callApi(page, "send", "Hello?");
  await chat.launcher.first().click();
  await chat.thread.getByText("This chat isn't available here.").waitFor();
  await chat.thread.getByText("Not sent.").waitFor();
  const words = await chat.panel.textContent();
  expect(words).not.toMatch(/Waiting to send|Sending|usually replies/);
  expect(await chat.composer.count()).toBe(0);
  await expect.poll(() => warnings.length).toBe(1);
  for (const part of [elsewhere, "ALLOWED_ORIGINS", '"origins"', '"default"', testbed.harness.url])
    expect(warnings[0]).toContain(part);
});

it("keeps the send button free when a phone's keyboard leaves little room for picked files", async () => {
  const { page, chat } = await testbed.visit({ options: PHONE });
  await chat.open();
  const files = Array.from({ length: 5 }, (_, n) => ({
    name: `${n}.pdf`,
    mimeType: "application/pdf",
    buffer: Buffer.from("%PDF-1.4\n%%EOF"),
  }));
  await page.locator("input[type=file]").setInputFiles(files);
  await page.locator(".tray li:not(:has(progress))").nth(4).waitFor();
  for (const height of [330, 260, 220]) {
    await page.setViewportSize({ width: 390, height });
    const free = () =>
      page.locator(".send").evaluate((button) => {
        const { x, y, width, height, bottom } = button.getBoundingClientRect();
        const root = button.getRootNode() as ShadowRoot;
        const hits = [2, height / 2, height - 2].map((down) => root.elementFromPoint(x + width / 2, y + down));
        return bottom <= innerHeight && hits.every((hit) => hit && button.contains(hit));
      });
    await expect.poll(free, { message: `${height} pixels` }).toBe(true);
    expect((await rectOf(page, ".send")).height).toBeGreaterThanOrEqual(44);
  }
});

it("adds no banner to the page's landmarks", async () => {
  const { page, chat } = await testbed.visit({ html: pageOf(`<header>The shop</header>${testbed.tag()}`) });
  await chat.open();
  expect(await page.getByRole("banner").allTextContents()).toEqual(["The shop"]);
});

it("names the teaser's close button by its function, in the visitor's language", async () => {
  const languages = [
    ["en", "Close"],
    ["de-AT", "Schließen"],
    ["zh-TW", "關閉"],
    ["no", "Lukk"],
  ] as const;
  for (const [lang, name] of sampleOf(languages, [1, 2])) {
    const { page } = await testbed.visit({
      html: pageOf(testbed.tag('data-site="default" data-teaser="Questions? Ask us."')).replace(
        'lang="en"',
        `lang="${lang}"`,
      ),
      before: (page) => page.clock.install(),
    });
    await page.locator(".launcher").waitFor({ state: "attached" });
    await page.clock.runFor(12_000);
    await page.getByRole("button", { name: "Questions? Ask us.", exact: true }).waitFor();
    await page.locator(".teaser").getByRole("button", { name, exact: true }).click();
    await page.locator(".teaser").waitFor({ state: "detached" });
  }
});

it("shows the teaser when the cart reaches the value that the site waits for, and never on a phone", async () => {
  const html = pageOf(testbed.tag('data-site="default" data-teaser="Free shipping?" data-teaser-when="cart&gt;=50"'));
  const before = (page: Page) => page.clock.install();
  const { page } = await testbed.visit({ html, before });
  const phone = await testbed.visit({ html, before, options: { viewport: { width: 390, height: 844 } } });
  for (const visit of [page, phone.page]) {
    await visit.locator(".launcher").waitFor();
    await visit.clock.runFor(12_000);
    expect(await visit.locator(".teaser").count()).toBe(0);
    await callApi(visit, "update", { values: { cart: 49 } });
    await visit.clock.runFor(3_000);
    expect(await visit.locator(".teaser").count()).toBe(0);
    await callApi(visit, "update", { values: { cart: 59 } });
    await visit.clock.runFor(3_000);
  }
  await page.getByRole("button", { name: "Free shipping?", exact: true }).waitFor();
  expect(await phone.page.locator(".teaser").count()).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator(".teaser").waitFor({ state: "detached" });
});

it("shows the teaser to a returning visitor once, after consent, and stores nothing before", async () => {
  const html = pageOf(testbed.tag('data-site="default" data-teaser="Back again?" data-teaser-when="returning"'));
  const { page } = await testbed.visit({ html, before: (page) => page.clock.install() });
  const stored = () => page.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)].sort());
  const start = async (consent: boolean): Promise<void> => {
    await page.locator(".launcher").waitFor();
    if (consent) await callApi(page, "consent", true);
    await page.clock.runFor(12_000);
  };
  const teasers = page.locator(".teaser");
  // The teaser's code is fetched first. It then checks the conditions every second.
  const later = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    await page.clock.runFor(1_000);
    return read();
  };
  await start(false);
  expect([await later(() => teasers.count()), await stored()]).toEqual([0, []]);
  await start(true);
  await expect.poll(() => later(stored)).toEqual(["porchlight:visits"]);
  expect(await teasers.count()).toBe(0);
  await page.clock.fastForward(3_600_000);
  await page.reload();
  await start(true);
  await expect.poll(() => later(() => teasers.count())).toBe(1);
  await page.getByRole("button", { name: "Back again?", exact: true }).waitFor();
  await page.reload();
  await start(true);
  expect(await later(() => teasers.count())).toBe(0);
  expect(await stored()).toEqual(["porchlight:teaser", "porchlight:visits"]);
});

it("offers emoji on a desktop page that is zoomed to the size of a phone", async () => {
  const { page, chat } = await testbed.visit({
    options: { viewport: { width: 640, height: 360 }, deviceScaleFactor: 2 },
  });
  await chat.open();
  await chat.panel.getByRole("button", { name: "Insert an emoji" }).click();
  const first = page.locator(".emoji button").first();
  await first.waitFor();
  expect((await rectOf(page, ".emoji")).y).toBeGreaterThanOrEqual((await rectOf(page, ".head")).bottom);
  await first.click();
  expect(await chat.composer.inputValue()).toBe("😀");
});

it("the chat stays open or closed on the next page, as the visitor left it", async () => {
  const { page, chat } = await testbed.visit();
  testbed.put("/next", { html: pageOf(testbed.tag()) });
  const next = async (): Promise<void> => {
    await page.goto(`${testbed.host}/next`);
    await page.locator(".launcher").waitFor();
  };
  await chat.launcher.first().waitFor();
  expect(await session(page)).toEqual([]);
  await converse(chat);
  expect(await session(page)).toEqual(["porchlight:default:open"]);
  await next();
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  // Nothing on this page requested the focus.
  expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
  await chat.panel.getByRole("button", { name: "Close chat" }).click();
  expect(await session(page)).toEqual([]);
  await next();
  await page.locator(".badge").waitFor({ state: "attached" });
  expect(await isOpen(page)).toBe(false);
});

it("the chat forgets that it was open when the conversation is deleted", async () => {
  const { page, chat } = await testbed.visit();
  await converse(chat);
  expect(await session(page)).toEqual(["porchlight:default:open"]);
  await callApi(page, "logout");
  await chat.thread.getByText("This conversation has ended.").waitFor();
  expect(await session(page)).toEqual([]);
});

it("the chat stores nothing when the page opened it, and does not stay open on phones", async () => {
  const stub = '<script>window.Porchlight=Object.assign(()=>{},{q:[["open"]]})</script>';
  let connects: Promise<unknown> | undefined;
  const opened = await testbed.visit({
    html: pageOf(stub + testbed.tag()),
    before: async (page) => {
      connects = page.waitForEvent("websocket");
    },
  });
  // The panel connects when it opens. Before that, Playwright must run nothing in the page: that counts as a visitor's gesture.
  await connects;
  await opened.chat.composer.waitFor();
  expect(await session(opened.page)).toEqual([]);
  const { page, chat } = await testbed.visit({ options: PHONE });
  await converse(chat);
  expect(await session(page)).toEqual([]);
  await page.reload();
  await page.locator(".badge").waitFor({ state: "attached" });
  expect(await isOpen(page)).toBe(false);
});

it("shows the first two lines of a reply to the closed chat, announces it once, and can be dismissed", async () => {
  const { page, chat } = await testbed.visit();
  await chat.open();
  const said = await record(page);
  await converse(chat);
  await announced(said, /echo: Hello/);
  await expect.poll(() => readUpTo(page)).toBeGreaterThan(0);
  await chat.panel.getByRole("button", { name: "Close chat" }).click();
  const { length: before } = await said();
  await testbed.reply(LONG_REPLY);
  const bubble = page.locator(".teaser");
  const words = bubble.getByRole("button", { name: /^AI assistant ?Yes, we ship to Norway within/ });
  await words.waitFor();
  const lines = await words
    .locator("span")
    .evaluate((node) => node.clientHeight / Number.parseFloat(getComputedStyle(node).lineHeight));
  expect(Math.round(lines)).toBe(2);
  await announced(said, /^1 new message$/);
  expect((await said()).slice(before).map(({ text }) => text)).toEqual(["1 new message"]);
  expect(await bubble.evaluate((node) => node.closest("[aria-live],[role=status],[role=alert]"))).toBeNull();
  await bubble.getByRole("button", { name: "Close", exact: true }).click();
  await bubble.waitFor({ state: "detached" });
  await testbed.reply("And a second answer.");
  await page
    .locator(".teaser")
    .getByRole("button", { name: /And a second answer\.$/ })
    .click();
  await chat.thread.getByText("And a second answer.").waitFor();
  await expect.poll(() => bubble.count()).toBe(0);
});

it("shows no reply preview where the site has switched it off", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-reply-preview="false"')),
  });
  await converse(chat);
  await expect.poll(() => readUpTo(page)).toBeGreaterThan(0);
  await chat.panel.getByRole("button", { name: "Close chat" }).click();
  await testbed.reply(LONG_REPLY);
  await page.locator('.badge[data-count="1"]').waitFor();
  await callApi(page, "update", { replyPreview: true });
  await testbed.reply("Another answer.");
  await page.locator(".teaser").getByText("Another answer.").waitFor();
  expect(await page.locator(".teaser").count()).toBe(1);
});

it("counts only messages that have not been visible yet", async () => {
  const { page, chat } = await testbed.visit({ options: { viewport: { width: 900, height: 700 } } });
  await converse(chat);
  for (const n of [1, 2, 3, 4, 5]) await testbed.reply(`answer ${n}\n\n${"a line\n\n".repeat(4)}`);
  await chat.thread.getByText("answer 5").waitFor();
  await expect.poll(() => rectOf(page, ".reply:last-child .bubble").then(({ bottom }) => bottom < 620)).toBe(true);
  // Within the first second: messages there are visible, although they do not count as read yet.
  await chat.composer.fill("I write");
  await chat.thread.evaluate((box) => {
    box.scrollTop = 0;
  });
  await page.getByRole("button", { name: "Go to the latest message" }).waitFor();
  await testbed.reply("answer 6");
  await page.getByRole("button", { name: "1 new message" }).click();
  await chat.thread.getByText("answer 6").waitFor();
});
