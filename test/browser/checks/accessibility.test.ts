/** WIDGET 9, checks 59 to 65 and 67: accessibility. Check 66 is in `covered.test.ts`. */

import type { CDPSession, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { launch } from "../browser.ts";
import { setOffline } from "../offline.ts";
import { type Chat, callApi, converse, echo, pageOf, readUpTo, rectOf, setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed();
const focused = (page: Page) =>
  page.evaluate(() => {
    const inner = document.querySelector("porch-light")?.shadowRoot?.activeElement;
    const active = inner ?? document.activeElement;
    return (
      active?.getAttribute("aria-label") ?? (active?.id || active?.getAttribute("role") || active?.localName || "")
    );
  });

it("59 the focus does not move when a message arrives, the page opens the chat, or the connection returns", async () => {
  const { page, chat } = await testbed.visit({ html: pageOf(`<input id="own">${testbed.tag()}`) });
  await converse(chat);
  await chat.panel.getByRole("button", { name: "Close chat" }).click();
  await page.locator("#own").focus();
  await callApi(page, "open");
  await chat.composer.waitFor();
  expect(await focused(page)).toBe("own");
  await testbed.reply("news");
  await chat.thread.getByText("news", { exact: true }).waitFor();
  expect(await focused(page)).toBe("own");
  await setOffline(page, true);
  await testbed.harness.halt();
  await page.locator("porch-light .bar").waitFor();
  await testbed.harness.start();
  await setOffline(page, false);
  await page.locator("porch-light .bar").waitFor({ state: "detached" });
  await testbed.reply("news after the break");
  await chat.thread.getByText("news after the break", { exact: true }).waitFor();
  expect(await focused(page)).toBe("own");
});

it("59 the focus does not move when a form's code arrives while the visitor is typing", async () => {
  let release = (): void => {};
  const late = new Promise<void>((done) => {
    release = done;
  });
  const { page, chat } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-capture="email"')),
    before: (page) =>
      page.route(/assets\/forms/, async (route) => {
        await late;
        await route.continue();
      }),
  });
  await chat.open();
  await page.keyboard.type("Hel");
  const loaded = page.waitForResponse(/assets\/forms/);
  release();
  await (await loaded).finished();
  await page.keyboard.type("lo");
  expect(await chat.composer.inputValue()).toBe("Hello");
  await page.keyboard.press("Enter");
  await page.locator(".form-card .form").waitFor();
  // Otherwise the message may arrive during the next test.
  await echo(chat, "Hello").waitFor();
});

describe("60 an input method", () => {
  const press = (cdp: CDPSession, key: string, code: number) =>
    cdp.send("Input.dispatchKeyEvent", {
      type: "rawKeyDown",
      key,
      code: key,
      windowsVirtualKeyCode: code,
      nativeVirtualKeyCode: code,
    });

  it("60 neither sends nor closes during a composition, nor with the key that ends it; the next Enter sends", async () => {
    const { page, chat } = await testbed.visit();
    await converse(chat);
    await chat.composer.focus();
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
    await press(cdp, "Enter", 229);
    await press(cdp, "Escape", 229);
    // Some keyboards send the key itself; only the event shows that it belongs to the composition.
    await press(cdp, "Enter", 13);
    await press(cdp, "Escape", 27);
    expect(testbed.harness.sandbox.messages()).toHaveLength(1);
    expect(await chat.panel.isVisible()).toBe(true);
    await cdp.send("Input.insertText", { text: "日本" });
    // Safari's order: the composition has ended before the key event arrives.
    await press(cdp, "Enter", 229);
    expect(await chat.composer.inputValue()).toBe("日本");
    await page.keyboard.press("Enter");
    await echo(chat, "日本").waitFor();
    expect(testbed.harness.sandbox.messages().map(({ body }) => body)).toEqual(["Hello", "日本"]);
  });
});

describe("61 little room", () => {
  /** Checks that these elements are inside the panel, and the panel inside the window. */
  async function fits(page: Page, chat: Chat): Promise<void> {
    await converse(chat, "short");
    const size = page.viewportSize() ?? { width: 0, height: 0 };
    const panel = await rectOf(page, ".panel");
    for (const part of [".head", ".own .bubble", "textarea", ".send"]) {
      if (part === ".own .bubble") await page.locator(".own .bubble").last().scrollIntoViewIfNeeded();
      const rect = await rectOf(page, part);
      expect(rect.height, part).toBeGreaterThan(8);
      expect(
        [rect.x >= panel.x - 1, rect.y >= panel.y - 1, rect.right <= panel.right + 1, rect.bottom <= panel.bottom + 1],
        part,
      ).toEqual([true, true, true, true]);
    }
    expect(panel.right).toBeLessThanOrEqual(size.width + 1);
    expect(panel.bottom).toBeLessThanOrEqual(size.height + 1);
    const line = await page
      .locator(".thread")
      .evaluate((thread) => ({ height: thread.clientHeight, wide: thread.scrollWidth - thread.clientWidth }));
    expect(line.wide).toBeLessThanOrEqual(0);
    expect(line.height).toBeGreaterThan(40);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth),
    ).toBeLessThanOrEqual(0);
  }

  it.each([
    [320, 256],
    [844, 390],
  ])("61 at %d by %d every control can be reached, and the panel uses the whole window", async (width, height) => {
    const { page, chat } = await testbed.visit({ options: { viewport: { width, height } } });
    await fits(page, chat);
    expect(await rectOf(page, ".panel")).toMatchObject({ x: 0, y: 0, width, height });
  });

  it("61 every control can be reached with text twice as large", async () => {
    const browser = await launch(["--blink-settings=defaultFontSize=32"]);
    try {
      const { page, chat } = await testbed.visit({ browser, options: { viewport: { width: 1280, height: 720 } } });
      await fits(page, chat);
      await page.setViewportSize({ width: 640, height: 512 });
      await chat.panel.getByRole("button", { name: "Close chat" }).click();
      await chat.open();
      const panel = await rectOf(page, ".panel");
      const send = await rectOf(page, ".send");
      expect(send.bottom).toBeLessThanOrEqual(panel.bottom + 1);
      expect([panel.x >= 0, panel.y >= -1, panel.right <= 640]).toEqual([true, true, true]);
    } finally {
      await browser.close();
    }
  });
});

it("62 wider spacing of text loses nothing", async () => {
  const { page, chat } = await testbed.visit();
  await converse(chat);
  const lost = await page.evaluate(() => {
    const root = document.querySelector("porch-light")?.shadowRoot;
    if (!root) return ["no root"];
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      "*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}p{margin-bottom:2em!important}",
    );
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    const clipped = (element: Element): boolean =>
      !element.closest(".vh") &&
      getComputedStyle(element).overflow !== "visible" &&
      (element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1) &&
      !element.matches(".thread,.panel,textarea,pre,.avatar");
    return [...root.querySelectorAll(".panel *")]
      .filter((element) => element.textContent?.trim() && clipped(element))
      .map((element) => `${element.localName}.${element.className} ${element.textContent}`);
  });
  expect(lost).toEqual([]);
});

it("63 frequent touch targets measure at least 44 by 44, all others at least 24", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-suggestions="One|Two"')),
  });
  await chat.open();
  const small = () =>
    page.evaluate(async () => {
      const root = document.querySelector("porch-light")?.shadowRoot;
      const moving = (root?.getAnimations() ?? []).filter((one) => one.effect?.getComputedTiming().iterations === 1);
      await Promise.allSettled(moving.map((one) => one.finished));
      const all = [...(root?.querySelectorAll<HTMLElement>("button,a[href],label.tool,[role=menuitem]") ?? [])].filter(
        (element) => !element.matches(":disabled") && element.checkVisibility(),
      );
      return all
        .filter((element) => {
          // Layout size: elements that animate have not reached their final size yet.
          const { offsetWidth: width, offsetHeight: height } = element;
          const least = element.matches(".launcher,.send,.suggestions button,[aria-label='Close chat']") ? 44 : 24;
          return width < least - 0.5 || height < least - 0.5;
        })
        .map((element) => `${element.outerHTML.slice(0, 60)} ${element.offsetWidth}x${element.offsetHeight}`);
    });
  await chat.panel.getByRole("button", { name: "One" }).waitFor();
  await chat.composer.fill("Hello");
  expect(await small()).toEqual([]);
  await chat.send("Hello");
  await echo(chat, "Hello").waitFor();
  expect(await small()).toEqual([]);
  testbed.harness.sandbox.failNext("incoming", 1, 400);
  await chat.send("refused");
  await chat.panel.getByRole("button", { name: "Retry" }).waitFor();
  expect(await small()).toEqual([]);
});

it("64 any accent colour gives text of 4.5:1 and a fill or a hairline of 3:1, light and dark", async () => {
  const { page, chat } = await testbed.visit();
  await converse(chat);
  const poor = await page.evaluate(() => {
    const root = document.querySelector("porch-light")?.shadowRoot;
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    /** The luminance of these colours, each painted over the one before. */
    const light = (...layers: string[]): number => {
      if (!canvas) return 0;
      canvas.clearRect(0, 0, 1, 1);
      for (const css of layers) {
        canvas.fillStyle = css;
        canvas.fillRect(0, 0, 1, 1);
      }
      const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) =>
        v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
      );
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a: string[], b: string): number => {
      const [high = 0, low = 0] = [light(...a), light(b)].sort((x, y) => y - x);
      return (high + 0.05) / (low + 0.05);
    };
    const style = (selector: string): CSSStyleDeclaration => getComputedStyle(root?.querySelector(selector) as Element);
    const found: string[] = [];
    let state = 7;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*{transition:none!important}");
    if (root) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
    for (let n = 0; n < 200; n++) {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      const accent = `#${(state % 16_777_216).toString(16).padStart(6, "0")}`;
      for (const theme of ["light", "dark"] as const) {
        (window as unknown as { Porchlight: (...call: unknown[]) => void }).Porchlight("update", { accent, theme });
        const launcher = style(".launcher");
        const text = contrast([launcher.color], launcher.backgroundColor);
        const surface = style(".panel").backgroundColor;
        // A fill that is similar to the surface has a hairline, which the browser paints over the fill.
        const shape = Math.max(
          contrast([launcher.backgroundColor], surface),
          contrast([launcher.backgroundColor, launcher.borderTopColor], surface),
        );
        const own = style(".own .bubble");
        const bubble = contrast([own.color], own.backgroundColor);
        if (text < 4.5 || bubble < 4.5 || shape < 3)
          found.push(`${accent} ${theme} ${text.toFixed(2)} ${bubble.toFixed(2)} ${shape.toFixed(2)}`);
      }
    }
    return found;
  });
  expect(poor).toEqual([]);
});

it("65 with reduced motion nothing moves", async () => {
  const { page, chat } = await testbed.visit({ options: { reducedMotion: "reduce" } });
  testbed.harness.sandbox.configure({ botScript: "silent" });
  await chat.open();
  await chat.send("anybody?");
  await page.locator(".dots").waitFor();
  const moving = await page.evaluate(() => {
    const root = document.querySelector("porch-light")?.shadowRoot;
    const own = (root?.getAnimations() ?? []).filter(
      (one) => Number(one.effect?.getComputedTiming().duration) > 0 && one.playState === "running",
    );
    const set = [...(root?.querySelectorAll("*") ?? [])].filter((element) => {
      const { transitionDuration, animationName, animationDuration } = getComputedStyle(element);
      return (
        Number.parseFloat(transitionDuration) > 0.001 ||
        (animationName !== "none" && Number.parseFloat(animationDuration) > 0.001)
      );
    });
    return [own.length, ...set.map((element) => `${element.localName}.${element.getAttribute("class")}`)];
  });
  expect(moving).toEqual([0]);
});

it("65 all animation in the launcher ends within five seconds", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-teaser="Questions?"')),
  });
  await converse(chat);
  await expect.poll(() => readUpTo(page)).toBeGreaterThan(0);
  await chat.panel.getByRole("button", { name: "Close chat" }).click();
  await testbed.reply("look here");
  await page.locator("porch-light .badge:not([hidden])").waitFor();
  const ends = await page
    .locator("porch-light .launcher")
    .evaluate((launcher) =>
      launcher.getAnimations({ subtree: true }).map((one) => Number(one.effect?.getComputedTiming().endTime)),
    );
  expect(Math.max(0, ...ends)).toBeLessThanOrEqual(5_000);
});

it("67 the name of every control contains its visible text", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(
      testbed.tag('data-site="default" data-launcher="text" data-label="Ask us (chat)" data-suggestions="One|Two"'),
    ),
  });
  const mislabelled = () =>
    page.evaluate(() => {
      const root = document.querySelector("porch-light")?.shadowRoot;
      const controls = [...(root?.querySelectorAll<HTMLElement>("button,a[href],[role=menuitem]") ?? [])].filter(
        (element) => element.checkVisibility() && element.ariaLabel,
      );
      const flat = (text: string) => text.toLowerCase().replace(/\s+/g, " ").trim();
      return (
        controls
          // biome-ignore lint/performance/useDomNodeTextContent: only visible text counts
          .filter((element) => !flat(element.ariaLabel ?? "").includes(flat(element.innerText)))
          .map((element) => `${element.ariaLabel} / ${element.textContent}`)
      );
    });
  await chat.launcher.first().waitFor();
  expect(await mislabelled()).toEqual([]);
  await chat.open();
  expect(await mislabelled()).toEqual([]);
  await chat.send("Hello");
  await echo(chat, "Hello").waitFor();
  expect(await mislabelled()).toEqual([]);
});
