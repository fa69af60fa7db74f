/**
 * WIDGET 9, checks 1, 27, 58, 61, 71, 72 and 74, with little room or slow code: zoom, large text, long words, slow
 * networks.
 */

import type { BrowserContextOptions, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { launch } from "../browser.ts";
import { type Chat, callApi, pageOf, rectOf, setUpTestbed } from "./testbed.ts";
import { frames } from "./threads.ts";

const testbed = setUpTestbed({ sandbox: { botScript: "silent" } });
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 } };
const SMALL: BrowserContextOptions = { viewport: { width: 320, height: 568 } };
const WORD = "Rechtsschutzversicherungsgesellschaft";
const html = (attributes = "", head = "") => pageOf(testbed.tag(`data-site="default" ${attributes}`), head);
/** Works in any language, and with any name of the launcher. */
async function open(page: Page): Promise<void> {
  await page.locator(".launcher").click();
  await page.locator("porch-light textarea").waitFor();
}
const tooWide = (page: Page): Promise<number> =>
  page.locator(".thread").evaluate((thread) => thread.scrollWidth - thread.clientWidth);
/** Adds a message from the service to the thread. */
async function addReply(chat: Chat, body: string): Promise<void> {
  const rows = chat.panel.locator(".reply");
  const before = await rows.count();
  await testbed.reply(body);
  await rows.nth(before).waitFor();
}

describe("1 a page that zooms itself", () => {
  it.each([1.25, 2])("1 by %d shows the whole panel in its window", async (zoom) => {
    const { page } = await testbed.visit({ html: html("", `<style>body{zoom:${zoom}}</style>`) });
    await open(page);
    const { height = 0 } = page.viewportSize() ?? {};
    const [panel, launcher] = [await rectOf(page, ".panel"), await rectOf(page, ".launcher")];
    expect(panel.y).toBeGreaterThanOrEqual(0);
    expect(panel.bottom).toBeLessThanOrEqual(launcher.y);
    expect(launcher.bottom).toBeLessThanOrEqual(height);
  });
});

const linesOf = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluate((words) => {
    const lineHeight = Number.parseFloat(getComputedStyle(words).lineHeight);
    return Math.round(words.getBoundingClientRect().height / lineHeight);
  });

/** Whether the empty text field shows its whole placeholder. */
const placeholderFits = (page: Page): Promise<boolean> =>
  page.locator("#message").evaluate((field) => {
    const { placeholder, clientWidth, clientHeight } = field as HTMLTextAreaElement;
    const { fontSize, fontFamily, lineHeight, whiteSpace } = getComputedStyle(field, "::placeholder");
    const words = Object.assign(document.createElement("div"), { textContent: placeholder });
    Object.assign(words.style, { position: "absolute", fontSize, fontFamily, lineHeight, whiteSpace });
    words.style.width = `${clientWidth}px`;
    document.body.append(words);
    const { scrollWidth, scrollHeight } = words;
    words.remove();
    return scrollWidth <= clientWidth && scrollHeight <= clientHeight + 1;
  });

describe("61 text twice as large", () => {
  it("61 on a phone: title, status, menu and thread are readable, and the launcher's icon grows too", async () => {
    const browser = await launch(["--blink-settings=defaultFontSize=32"]);
    try {
      for (const options of [PHONE, SMALL]) {
        const { page, chat } = await testbed.visit({
          browser,
          options,
          html: html('data-privacy-url="https://e.test/p"'),
        });
        const { width, height } = options.viewport ?? { width: 0, height: 0 };
        const drawn = await rectOf(page, ".launcher b");
        expect(drawn.width).toBeGreaterThan(48);
        await open(page);
        await chat.send("Hello");
        await page.locator(".own").waitFor();
        const whole = (selector: string) =>
          page.locator(selector).evaluate((words) => {
            const { scrollWidth, clientWidth, scrollHeight, clientHeight } = words;
            return scrollWidth <= clientWidth && scrollHeight <= clientHeight + 1 && clientWidth > 100;
          });
        // The line is drawn again when its text changes.
        await expect.poll(async () => [await whole("#title"), await whole("#about")]).toEqual([true, true]);
        await expect.poll(() => linesOf(page, "#about")).toBeLessThanOrEqual(2);
        expect(await placeholderFits(page)).toBe(true);
        expect((await rectOf(page, ".head")).height).toBeLessThan(height / 2);
        expect((await rectOf(page, ".thread")).height).toBeGreaterThan(80);
        await chat.panel.locator(".head [aria-haspopup=menu]").click();
        await page.locator("[role=menuitem]").first().waitFor();
        const menu = await rectOf(page, ".menu");
        expect([menu.x >= 0, menu.right <= width, menu.bottom <= height]).toEqual([true, true, true]);
        expect(await page.locator(".menu").evaluate((box) => box.scrollWidth - box.clientWidth)).toBe(0);
      }
    } finally {
      await browser.close();
    }
  });
});

const TOUCH: BrowserContextOptions = { ...SMALL, hasTouch: true, isMobile: true };

it("61 at 320 pixels the text field keeps one line beside files, camera and voice", async () => {
  const { page, chat } = await testbed.visit({ options: TOUCH, html: html("data-camera data-voice") });
  await open(page);
  await chat.panel.getByRole("button", { name: "Record a voice message" }).waitFor();
  // One line and its padding.
  expect((await rectOf(page, "#message")).height).toBeLessThan(50);
  expect(await placeholderFits(page)).toBe(true);
});

it("61 with text twice as large the text field keeps its placeholder on one line beside camera and voice, and Send its place", async () => {
  const browser = await launch(["--blink-settings=defaultFontSize=32"]);
  onTestFinished(() => browser.close());
  for (const size of [PHONE, SMALL]) {
    const { page, chat } = await testbed.visit({
      browser,
      options: { ...size, hasTouch: true, isMobile: true },
      html: html("data-camera data-voice data-team='Ada|Tom'"),
    });
    await open(page);
    await chat.panel.getByRole("button", { name: "Record a voice message" }).waitFor();
    expect(await placeholderFits(page)).toBe(true);
    const [field, send, composer] = await Promise.all(
      ["#message", ".send", ".composer"].map((one) => rectOf(page, one)),
    );
    // One line and its padding.
    expect(field?.height).toBeLessThan(50);
    const { width = 0 } = size.viewport ?? {};
    expect([composer?.x, composer?.right]).toEqual([0, width]);
    expect(send?.right).toBeLessThanOrEqual(width);
    expect(Math.min(send?.width ?? 0, send?.height ?? 0)).toBeGreaterThanOrEqual(44);
  }
});

it.each([
  ["before the first message", `data-prechat="name?|email|phone?"`],
  ["outside business hours", `data-hours='{"timeZone":"UTC","mon":"9:00-9:01"}'`],
])("61 at 320 by 568 the form %s is whole", async (_when, attributes) => {
  for (const locale of ["en", "de"]) {
    const { page } = await testbed.visit({
      options: TOUCH,
      html: html(
        `${attributes} data-locale="${locale}" data-greeting="Hi! Ask me about our lamps, delivery or returns."`,
      ),
      // A Tuesday.
      before: (page) => page.clock.setFixedTime("2026-11-24T09:00:00Z"),
    });
    await page.locator(".launcher").click();
    await page.locator(".form").waitFor();
    const hidden = (selector: string) => page.locator(selector).evaluate((box) => box.scrollHeight - box.clientHeight);
    // The thread gets its height once the form is measured.
    await expect.poll(() => hidden(".form"), { message: locale }).toBe(0);
    if (await page.locator(".greeting").isVisible()) expect(await hidden(".thread")).toBe(0);
    const [head, form, button] = await Promise.all(
      [".head", ".form", ".form .primary"].map((one) => rectOf(page, one)),
    );
    expect(form?.y).toBeGreaterThanOrEqual(head?.bottom ?? 568);
    expect(form?.bottom).toBeLessThanOrEqual(568);
    expect(Math.round(button?.height ?? 0)).toBeGreaterThanOrEqual(44);
  }
});

it("61 at 320 pixels no language cuts the title", async () => {
  const { page } = await testbed.visit({ options: SMALL, html: html() });
  await open(page);
  for (const locale of ["de", "el", "fr", "ms", "ta", "vi"]) {
    const before = await page.locator("#title").textContent();
    await callApi(page, "update", { locale });
    await expect.poll(() => page.locator("#title").textContent()).not.toBe(before);
    const cut = await page
      .locator("#title")
      .evaluate((title) => title.scrollWidth > title.clientWidth || title.scrollHeight > title.clientHeight + 1);
    expect(cut, locale).toBe(false);
  }
});

it("61 at 320 by 256 every menu entry can be reached", async () => {
  const { page, chat } = await testbed.visit({
    options: { viewport: { width: 320, height: 256 } },
    html: html('data-privacy-url="https://e.test/p"'),
  });
  await open(page);
  await chat.send("Hello");
  await page.locator(".own").waitFor();
  await chat.panel.locator(".head [aria-haspopup=menu]").click();
  const entries = page.getByRole("menuitem");
  await entries.first().waitFor();
  expect(await entries.count()).toBeGreaterThan(3);
  const menu = await rectOf(page, ".menu");
  expect([menu.y >= 0, menu.bottom <= 256]).toEqual([true, true]);
  for (const entry of await entries.all()) {
    await entry.scrollIntoViewIfNeeded();
    const inside = await entry.evaluate((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    expect(inside, (await entry.textContent()) ?? "").toBe(true);
  }
});

it("61 a launcher with a long text touches neither edge", async () => {
  const label = "Ask our friendly staff about any lamp now";
  const { page } = await testbed.visit({ options: SMALL, html: html(`data-launcher="text" data-label="${label}"`) });
  const { x, right } = await rectOf(page, ".launcher");
  expect(x).toBeGreaterThanOrEqual(8);
  expect(right).toBeLessThanOrEqual(312);
});

describe("74 long words and unusual characters", () => {
  it("74 break within the greeting and the suggestions", async () => {
    const attributes = `data-greeting="Willkommen bei der ${WORD}" data-suggestions="Kraftfahrzeug${WORD}?|Hallo"`;
    const { page } = await testbed.visit({ options: SMALL, html: html(attributes) });
    await open(page);
    expect(await tooWide(page)).toBe(0);
  });

  it("74 break within the teaser, whose close button stays visible", async () => {
    const { page } = await testbed.visit({
      html: html(`data-teaser="${WORD.repeat(3)}"`),
      before: (page) => page.clock.install(),
    });
    await page.locator(".launcher").waitFor();
    await page.clock.runFor(10_000);
    await page.locator(".teaser").waitFor();
    const [bubble, cross] = [await rectOf(page, ".teaser"), await rectOf(page, ".teaser button:last-child")];
    expect(cross.right).toBeLessThanOrEqual(bubble.right);
    expect(bubble.right).toBeLessThanOrEqual(1_280);
    expect(bubble.width).toBeLessThanOrEqual(320);
  });

  it("74 no reply reverses its own links, or overlaps its neighbours", async () => {
    const { page, chat } = await testbed.visit({ html: html() });
    await open(page);
    await chat.send("Hello");
    await expect.poll(() => testbed.harness.sandbox.messages().length).toBe(1);
    await addReply(chat, "a\u202egnp.exe, [then](https://e.test/) \u202dafter");
    expect(await page.locator(".reply .bubble").last().textContent()).not.toMatch(/[\u202d\u202e]/);
    expect(await page.locator(".reply .bubble").last().textContent()).toContain("agnp.exe, then");
    // The neighbour on the same side, because stacked marks extend straight upwards.
    const picture = async () =>
      (await page.locator(".reply .bubble").first().screenshot({ animations: "disabled" })).toString("hex");
    const marks = `Z${"\u0301".repeat(300)}`;
    await addReply(chat, marks);
    const marked = page.locator(".reply .bubble p").last();
    const pictureBeside = async (words: string) => {
      await marked.evaluate((p, words) => p.replaceChildren(words), words);
      return await picture();
    };
    // The thread may still scroll, so both pictures are taken again until they are equal.
    await expect.poll(async () => (await pictureBeside(marks)) === (await pictureBeside("Z"))).toBe(true);
  });

  it("74 a failed message has its two buttons beside the reason, and its outline does not touch the message above, also in Arabic", async () => {
    const { page, chat } = await testbed.visit({ options: PHONE, html: html('data-locale="ar"') });
    await open(page);
    const sendMessage = async (text: string): Promise<void> => {
      await page.locator("porch-light textarea").fill(text);
      await page.locator(".send").click();
    };
    await sendMessage("مرحبا");
    await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === 1);
    testbed.harness.sandbox.failNext("incoming", 1, 400);
    await sendMessage("شكرًا");
    await chat.panel.locator(".failed button").nth(1).waitFor();
    const { tops, lastWord } = await page.locator(".failed").evaluate((failed) => {
      const words = failed.querySelector("span") as HTMLElement;
      const middle = ({ y, height }: DOMRect): number => Math.round(y + height / 2);
      return {
        tops: [...failed.querySelectorAll("button")].map((button) => middle(button.getBoundingClientRect())),
        lastWord: middle([...words.getClientRects()].at(-1) as DOMRect),
      };
    });
    expect(tops).toHaveLength(2);
    expect(Math.max(...tops.map((top) => Math.abs(top - lastWord)))).toBeLessThan(4);
    const [above, failed] = [await rectOf(page, ".own .bubble"), await rectOf(page, ".bad .bubble")];
    // The frame is drawn 3 pixels outside the bubble.
    expect(failed.y - 3).toBeGreaterThan(above.bottom);
  });
});

it("72 an empty thread is at its top, without a button to new messages", async () => {
  const { page } = await testbed.visit({
    options: { viewport: { width: 844, height: 390 } },
    html: html('data-suggestions="Do you ship to Norway?|Which lamp for a reading chair?|How long does it take?"'),
  });
  await open(page);
  await page.locator(".suggestions").waitFor();
  const top = () => page.locator(".thread").evaluate((thread) => thread.scrollTop);
  expect(await page.locator(".thread").evaluate((thread) => thread.scrollHeight - thread.clientHeight)).toBeGreaterThan(
    20,
  );
  expect(await top()).toBe(0);
  await page.setViewportSize({ width: 844, height: 380 });
  await frames(page);
  expect(await top()).toBe(0);
  await page.locator(".thread").evaluate((thread) => thread.scrollTo(0, 5));
  await frames(page);
  expect(await page.locator(".newest").count()).toBe(0);
});

it("74 an avatar that cannot be loaded leaves its first letter", async () => {
  const { page } = await testbed.visit({ html: html('data-avatar="/no-such-face.png" data-title="Shop"') });
  await open(page);
  await expect.poll(() => page.locator("span.avatar").textContent()).toBe("S");
  expect(await page.locator("img.avatar").count()).toBe(0);
});

describe("58 the emoji picker", () => {
  const PALETTE = "porch-light .emoji";

  it("58 closes on Escape before the panel does, wherever the focus is, and is never open together with the menu", async () => {
    const own = `<button onclick="Porchlight('open')">Ask us</button>`;
    const { page, chat } = await testbed.visit({ html: pageOf(own + testbed.tag()) });
    await chat.launcher.waitFor();
    await page.getByRole("button", { name: "Ask us" }).click();
    await chat.composer.waitFor();
    const button = chat.panel.getByRole("button", { name: "Insert an emoji" });
    const gone = () => page.locator(PALETTE).waitFor({ state: "detached" });
    await button.click();
    await page.locator(PALETTE).waitFor();
    // The visitor goes back to the palette's own button by keyboard; Escape must still close the palette from there.
    await button.focus();
    await page.keyboard.press("Escape");
    await gone();
    expect(await chat.panel.isVisible()).toBe(true);
    expect(await chat.composer.evaluate((field) => (field.getRootNode() as ShadowRoot).activeElement === field)).toBe(
      true,
    );
    await button.click();
    await page.locator(PALETTE).waitFor();
    await button.click();
    await gone();
    // A press on an element that takes the focus, and on one that does not.
    for (const elsewhere of [
      chat.composer,
      chat.thread,
      page.locator("porch-light h2"),
      page.locator("porch-light .head"),
    ]) {
      await button.click();
      await page.locator(PALETTE).waitFor();
      await elsewhere.click({ position: { x: 5, y: 5 } });
      await gone();
    }
    // The palette closes too when Tab takes the focus past its search, emoji and groups. The focus stays there.
    await button.click();
    await page.locator(PALETTE).waitFor();
    for (let stop = 0; stop < 3; stop++) await page.keyboard.press("Tab");
    await gone();
    const focused = () =>
      button.evaluate((inner) => (inner.getRootNode() as ShadowRoot).activeElement?.getAttribute("aria-label"));
    expect(await focused()).toBe("Attach a file");
    await button.click();
    await page.locator(PALETTE).waitFor();
    await chat.panel.getByRole("button", { name: "Chat options" }).click();
    await page.getByRole("menuitem").first().waitFor();
    expect(await page.locator(PALETTE).count()).toBe(0);
    await page.keyboard.press("Escape");
    await button.click();
    await page.locator(PALETTE).waitFor();
    // The focus returns to the page, so that nothing in the chat reacts.
    await callApi(page, "close");
    await chat.panel.waitFor({ state: "hidden" });
    await gone();
  });
});

describe("71 a window whose size changes", () => {
  const modal = (page: Page) => page.locator("dialog.panel").evaluate((panel) => panel.matches(":modal"));

  it("71 when the window becomes as narrow as a phone's, the panel fills it and traps the focus; in a wide one it floats again", async () => {
    const { page, chat } = await testbed.visit({ html: html() });
    const eventsOnPage = () => page.evaluate(() => (window as unknown as { events: string[] }).events);
    await page.evaluate(() => {
      const { events } = Object.assign(window, { events: [] as string[] });
      for (const name of ["open", "close"] as const) addEventListener(`porchlight:${name}`, () => events.push(name));
    });
    await open(page);
    await chat.composer.fill("half a thought");
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(() => modal(page)).toBe(true);
    expect(await rectOf(page, ".panel")).toMatchObject({ x: 0, y: 0, width: 390, height: 844 });
    await page.keyboard.type("!");
    expect(await chat.composer.inputValue()).toBe("half a thought!");
    await page.setViewportSize({ width: 1_280, height: 800 });
    await expect.poll(() => modal(page)).toBe(false);
    expect(await chat.panel.isVisible()).toBe(true);
    expect((await rectOf(page, ".panel")).width).toBe(400);
    await page.keyboard.type("!");
    expect(await chat.composer.inputValue()).toBe("half a thought!!");
    expect(await eventsOnPage()).toEqual(["open"]);
    expect(await page.locator(".launcher").getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.press("Escape");
    await chat.panel.waitFor({ state: "hidden" });
    await expect.poll(eventsOnPage).toEqual(["open", "close"]);
  });

  /** A page of a site called "Lamps", whose panel loads when `release` is called. */
  async function slow(options: BrowserContextOptions) {
    let release = (): void => {};
    const late = new Promise<void>((done) => {
      release = done;
    });
    const before = (page: Page) =>
      page.route(/assets\/panel/, async (route) => {
        await late;
        await route.continue();
      });
    const visit = await testbed.visit({ options, html: html('data-title="Lamps"'), before });
    return { ...visit, release, frame: visit.page.getByRole("dialog", { name: "Lamps", exact: true }) };
  }

  it.each([
    ["phone", PHONE],
    ["desktop", {}],
  ] as const)(
    "27 while the panel's code loads the frame shows the site's title, and closes: %s",
    async (device, options) => {
      const { page, chat, release, frame } = await slow(options);
      const launcher = page.locator("porch-light .launcher");
      // On a phone the frame covers the launcher.
      const closer = device === "phone" ? frame.getByRole("button", { name: "Close chat" }) : launcher;
      await launcher.click();
      await frame.waitFor();
      await frame.getByRole("heading", { name: "Lamps", exact: true }).waitFor();
      const width = await page.locator(".panel").evaluate((panel) => (panel as HTMLElement).offsetWidth);
      expect(width).toBe(device === "phone" ? 390 : 400);
      await closer.click();
      await frame.waitFor({ state: "hidden" });
      await launcher.click();
      await frame.waitFor();
      release();
      await chat.composer.waitFor();
      expect(await modal(page)).toBe(device === "phone");
      await chat.panel.getByRole("button", { name: "Close chat" }).click();
      await chat.panel.waitFor({ state: "hidden" });
    },
  );

  it("27 a frame that was closed before the panel's code came stays closed", async () => {
    const { page, chat, release, frame } = await slow({});
    const launcher = page.locator("porch-light .launcher");
    await launcher.click();
    await frame.waitFor();
    await launcher.click();
    await frame.waitFor({ state: "hidden" });
    release();
    // The code has loaded: the launcher has its second icon.
    await page.locator(".launcher svg").waitFor({ state: "attached" });
    await frames(page);
    expect(await page.locator("dialog.panel").isVisible()).toBe(false);
    await chat.open();
  });
});
