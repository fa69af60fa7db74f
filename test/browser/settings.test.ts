/** The launcher's settings from site and page, in a real browser, before any other file is fetched. */

import { devices, type Page } from "playwright-core";
import { expect, it } from "vitest";
import { callApi, pageOf, rectOf, setUpTestbed } from "./checks/testbed.ts";

const SQUARE = "M4 4h16v16H4z";
const testbed = setUpTestbed({
  site: {
    title: "Shop",
    position: "left",
    offsetX: 40,
    icon: SQUARE,
    launcher: "text",
    phone: { launcher: "icon", offsetX: 8 },
  },
});
const PHONE = { ...devices["Pixel 7"], viewport: { width: 390, height: 844 } };
const html = (attributes: string, lang = "en"): string =>
  pageOf(testbed.tag(`data-site="default" ${attributes}`)).replace('lang="en"', lang === "" ? "" : `lang="${lang}"`);

/** The path of the launcher's icon. */
const glyphOn = (page: Page): Promise<string> =>
  page.locator(".launcher b").evaluate((glyph) => getComputedStyle(glyph).clipPath);

it("the launcher follows the site's file, with other values on phones", async () => {
  const { page, chat } = await testbed.visit();
  await chat.launcher.waitFor();
  expect(await rectOf(page, ".launcher")).toMatchObject({ x: 40 });
  expect((await page.locator(".launcher").textContent())?.trim()).toBe("Chat");
  expect(await glyphOn(page)).toContain("M 4 4");

  const phone = await testbed.visit({ options: PHONE });
  await phone.chat.launcher.waitFor();
  expect(await rectOf(phone.page, ".launcher")).toMatchObject({ x: 8, width: 56 });
});

it("prefers the tag's settings to the site's, the page's to the tag's, and an update's to all others", async () => {
  const { page } = await testbed.visit({
    html: html(`data-offset-x="16" data-label="Ask us" data-phone='{"offsetX":4}' data-icon=""`).replace(
      "<script",
      `<script>PorchlightSettings={label:"Talk to us"}</script><script`,
    ),
  });
  await page.locator(".launcher").waitFor();
  expect(await rectOf(page, ".launcher")).toMatchObject({ x: 16 });
  expect((await page.locator(".launcher").textContent())?.trim()).toBe("Talk to us");
  expect(await glyphOn(page)).not.toContain("M 4 4");
  await callApi(page, "update", { offsetX: 60, label: "Write to us", icon: "M2 2h9v9z" });
  expect(await rectOf(page, ".launcher")).toMatchObject({ x: 60 });
  expect(await page.getByRole("button", { name: "Write to us" }).count()).toBe(1);
  expect(await glyphOn(page)).toContain("M 2 2");
  await page.setViewportSize({ width: 400, height: 700 });
  await expect.poll(async () => (await rectOf(page, ".launcher")).x).toBe(4);
});

it.each([
  'data-offset-x="far" data-offset-y="12px"',
  'data-offset-x="-50" data-offset-y="5000"',
  'data-offset-x="" data-offset-y="1e1"',
])("ignores an invalid distance: %s", async (attributes) => {
  const { page } = await testbed.visit({ html: html(`${attributes} data-z-index="top"`) });
  await page.locator(".launcher").waitFor();
  const { x, bottom } = await rectOf(page, ".launcher");
  expect([x, bottom]).toEqual([20, (page.viewportSize()?.height ?? 0) - 20]);
  expect(await page.locator("porch-light").evaluate((host) => getComputedStyle(host).zIndex)).toBe("2147483000");
  await callApi(page, "update", { offsetX: 999, offsetY: 0, zIndex: 5 });
  expect(await rectOf(page, ".launcher")).toMatchObject({ x: 999, bottom: page.viewportSize()?.height });
  expect(await page.locator("porch-light").evaluate((host) => getComputedStyle(host).zIndex)).toBe("5");
});

it("the chat opens despite invalid texts and suggestions", async () => {
  const { page, chat } = await testbed.visit({ html: html('data-suggestions=" | |a||b"') });
  await callApi(page, "update", { strings: { placeholder: 5, greeting: "Good day" } });
  await chat.open();
  await chat.panel.getByText("Good day").waitFor();
  expect(await page.getByPlaceholder("Write a message").count()).toBe(1);
  // The questions appear once the chat is connected.
  const questions = chat.panel.getByRole("group", { name: "Suggested questions" }).getByRole("button");
  await expect.poll(() => questions.count()).toBe(2);
});

it("a site can reword who answers, but the chat says in every language that a machine answers, visibly and to screen readers", async () => {
  const strings = {
    statusAi: "Maria from Acme",
    authorAi: "Maria",
    noticeAi: " ",
    working: "Maria is typing",
    ai: "!",
  };
  const { page, chat } = await testbed.visit({ html: html(`data-strings='${JSON.stringify(strings)}'`) });
  await chat.open();
  await chat.panel.getByText("Maria from Acme · AI", { exact: true }).waitFor();
  await chat.panel.getByText("You're chatting with an AI assistant.", { exact: false }).waitFor();
  await chat.send("Hello");
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  expect(await page.locator(".msg.reply > .author").textContent()).toBe("Maria · AI");
  expect(await page.locator(".msg.reply > .vh").textContent()).toContain("Maria · AI");
  await callApi(page, "update", { locale: "de" });
  await chat.panel.getByText("Maria from Acme · KI", { exact: true }).waitFor();
  await callApi(page, "update", { strings: { statusAi: "Maria, die KI von Acme" } });
  await chat.panel.getByText("Maria, die KI von Acme", { exact: true }).waitFor();
  await callApi(page, "update", { responder: "human", strings: { statusHuman: "Maria" } });
  await chat.panel.getByText("Maria", { exact: true }).waitFor();
});

it("uses the visitor's language before anything but the script is fetched", async () => {
  const nameIn = async (locale: string, attributes: string, lang: string): Promise<string> => {
    const requests: string[] = [];
    const { page } = await testbed.visit({
      html: html(attributes, lang),
      options: { locale },
      before: async (page) => page.on("request", (request) => requests.push(request.url())),
    });
    await page.locator(".launcher").waitFor();
    expect(requests).toHaveLength(2);
    return page.locator(".launcher").evaluate((launcher) => {
      const { direction } = getComputedStyle(launcher);
      return `${launcher.textContent?.trim()} ${direction}`;
    });
  };
  expect(await nameIn("ar-EG", "", "")).toBe("محادثة rtl");
  expect(await nameIn("ar-EG", "", "ar")).toBe("محادثة rtl");
  expect(await nameIn("ar-EG", "", "en")).toBe("Chat ltr");
  expect(await nameIn("ja", 'data-locale="ja-JP"', "en")).toBe("チャット ltr");
  expect(await nameIn("de-DE", "", "")).toBe("Chat ltr");
});

it("follows the system from light to dark and back before and after it is opened, unless a theme is set", async () => {
  const looks = async (attributes: string, opened: boolean): Promise<string[][]> => {
    const { page, chat, context } = await testbed.visit({
      html: html(`data-accent="#111111" ${attributes}`),
      options: { colorScheme: "light" },
    });
    if (opened) await chat.open();
    const seen: string[][] = [];
    for (const colorScheme of ["light", "dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      seen.push(
        await page.locator(".launcher").evaluate((launcher) => {
          const { borderTopColor, colorScheme } = getComputedStyle(launcher);
          return [borderTopColor, colorScheme];
        }),
      );
    }
    await context.close();
    return seen;
  };
  for (const opened of [false, true]) {
    const [day = [], night = [], again] = await looks("", opened);
    expect([day[1], night[1]]).toEqual(["light", "dark"]);
    // On a dark page, a nearly black launcher is visible only by its light hairline.
    expect(night[0]).not.toBe(day[0]);
    expect(again).toEqual(day);
    expect(await looks('data-theme="dark"', opened)).toEqual([night, night, night]);
    expect(await looks('data-theme="light"', opened)).toEqual([day, day, day]);
  }
});

it("uses the language of the latest update, whichever file arrives last", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { page, chat } = await testbed.visit({
    before: (page) => page.route(/assets\/de-/, async (route) => [await held, await route.continue()]),
  });
  await chat.open();
  const placeholder = () => page.locator("porch-light textarea").getAttribute("placeholder");
  const german = page.waitForRequest(/assets\/de-/);
  await callApi(page, "update", { locale: "de" });
  const late = (await german).url();
  await callApi(page, "update", { locale: "fr" });
  await expect.poll(placeholder).toMatch(/^Écri/);
  release();
  // When this import has loaded the late file, the widget has it too. If it used the file, it would draw within two frames.
  const frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";
  await page.evaluate(`import(${JSON.stringify(late)}).then(() => ${frames})`);
  expect(await placeholder()).toMatch(/^Écri/);
});

it("leaves a link to the chat's own page in browsers that are too old for it", async () => {
  const { page } = await testbed.visit({
    before: (page) =>
      page.addInitScript(() => {
        Object.assign(window, {
          CSSStyleSheet: class {
            constructor() {
              throw new TypeError("Illegal constructor");
            }
          },
        });
      }),
  });
  const link = page.getByRole("link", { name: "Chat" });
  expect(await link.getAttribute("href")).toBe(`${testbed.harness.url}/c/default`);
  expect(await page.locator("porch-light").count()).toBe(0);
});

it("the launcher moves away while a phone's keyboard is open for a field of the page", async () => {
  const { page, chat } = await testbed.visit({
    options: PHONE,
    before: (page) =>
      page.addInitScript(() => {
        const mock = Object.assign(new EventTarget(), { height: innerHeight, scale: 1, offsetTop: 0 });
        Object.defineProperty(window, "visualViewport", { get: () => mock });
      }),
  });
  await chat.open();
  await chat.panel.getByRole("button", { name: "Close chat" }).click();
  const cover = (pixels: number, scale = 1) =>
    page.evaluate(
      ([pixels, scale]) => {
        const view = window.visualViewport as unknown as EventTarget;
        Object.assign(view, { height: (innerHeight - Number(pixels)) / Number(scale), scale });
        view.dispatchEvent(new Event("resize"));
      },
      [pixels, scale],
    );
  // The code that watches the viewport may load after the panel.
  await cover(336);
  await page.locator(".launcher").waitFor({ state: "hidden" });
  await cover(0);
  await page.locator(".launcher").waitFor();
  // The visitor zooms in with two fingers; no keyboard is open.
  await cover(0, 2);
  expect(await page.locator(".launcher").isVisible()).toBe(true);
});
