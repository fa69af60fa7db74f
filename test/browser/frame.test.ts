/** The frame before the panel's code has loaded, and pages that remove the widget's element. */

import { mkdirSync } from "node:fs";
import { devices, type Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { FRAME_WORDS } from "../../widget/build/frame-words.ts";
import { launch } from "./browser.ts";
import { callApi, converse, pageOf, rectOf, setUpTestbed } from "./checks/testbed.ts";

const testbed = setUpTestbed({ site: { account: "default", title: "Lamp Shop" } });
const PHONE = { ...devices["Pixel 7"], viewport: { width: 390, height: 844 } };
/** `SHOTS=folder` stores a picture of each state. */
const { SHOTS } = process.env;
async function shot(page: Page, name: string): Promise<void> {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: `${SHOTS}/${name}.png` });
}

const surfaceOf = (page: Page): Promise<string> =>
  page.locator("dialog.panel").evaluate((panel) => {
    // Compares pixels, because browsers write equal colours in different ways.
    const brush = new OffscreenCanvas(1, 1).getContext("2d");
    if (!brush) throw new Error("no canvas");
    brush.fillStyle = getComputedStyle(panel).backgroundColor;
    brush.fillRect(0, 0, 1, 1);
    return brush.getImageData(0, 0, 1, 1).data.join();
  });

/** The visible shadows of the panel, outermost last. */
const shadowsOf = (page: Page): Promise<string[]> =>
  page.locator("dialog.panel").evaluate((panel) => {
    const all = getComputedStyle(panel).boxShadow.split(/, (?=\w+\()/);
    return all.filter((shadow) => !shadow.startsWith("rgba(0, 0, 0, 0)"));
  });

/** Where the parts of the header are that the frame shares with the panel: picture, title and cross. */
const headerParts = (page: Page): Promise<string[]> =>
  Promise.all(
    ["> :first-child", "h2", "> button:last-of-type"].map(async (part) => {
      const box = await page.locator("dialog.panel").locator(`header ${part}, .head ${part}`).boundingBox();
      return [part, ...[box?.x, box?.y, box?.height].map((length) => Math.round(length ?? -1))].join(" ");
    }),
  );

/** The launcher's visible glyphs, as they are drawn: the path of those that have one, and their style. */
const launcherGlyphs = (page: Page): Promise<string[]> =>
  page.locator(".launcher:not(dialog *) :is(b, svg)").evaluateAll((glyphs) =>
    glyphs.flatMap((glyph) => {
      const { opacity, width, insetInlineStart, transform, strokeWidth, strokeLinecap } = getComputedStyle(glyph);
      const path = glyph.querySelector("path")?.getAttribute("d");
      return opacity === "1" ? [[path, width, insetInlineStart, transform, strokeWidth, strokeLinecap].join(" ")] : [];
    }),
  );

for (const [name, options, attributes] of [
  ["desktop", {}, ""],
  ["dark desktop", { colorScheme: "dark" }, ""],
  ["phone", PHONE, ""],
  ["dark phone", { ...PHONE, colorScheme: "dark" }, 'data-header="accent"'],
  ["right to left", { locale: "ar" }, 'data-locale="ar"'],
] as const)
  it(`the frame shows the title and a close button before the panel's code has loaded: ${name}`, async () => {
    const held = Promise.withResolvers<void>();
    const { page, chat } = await testbed.visit({
      options,
      html: pageOf(testbed.tag(`data-site="default" ${attributes}`)),
      before: (page) =>
        page.route(/assets\/panel/, async (route) => {
          await held.promise;
          await route.continue();
        }),
    });
    await page.locator(".launcher").click();
    const frame = page.locator("dialog.panel");
    await frame.getByRole("heading", { name: "Lamp Shop" }).waitFor();
    await shot(page, `frame ${name}`);
    const surface = await surfaceOf(page);
    const shadows = await shadowsOf(page);
    const parts = await headerParts(page);
    const glyphs = await launcherGlyphs(page);
    await frame.getByRole("button").click();
    await frame.waitFor({ state: "hidden" });
    await page.locator(".launcher").click();
    await frame.getByRole("heading", { name: "Lamp Shop" }).waitFor();
    held.resolve();
    await page.locator("porch-light textarea").waitFor();
    expect(await chat.panel.getByRole("heading", { name: "Lamp Shop" }).count()).toBe(1);
    // The frame's styles stay with the panel, and hide none of its icons.
    const icons = chat.panel.locator("button[aria-expanded] svg");
    expect(await icons.evaluateAll((all) => all.map((one) => getComputedStyle(one).opacity))).toEqual(
      "hasTouch" in options ? ["1"] : ["1", "1"],
    );
    // No flash when the panel draws itself, and nothing moves.
    expect(await surfaceOf(page)).toBe(surface);
    expect(await shadowsOf(page)).toEqual(shadows);
    // In the dark, a ring of one pixel marks the edge.
    expect(shadows.length).toBe(name.startsWith("dark") ? 3 : 2);
    expect(await headerParts(page)).toEqual(parts);
    // The launcher is a cross, and stays the same one.
    expect(glyphs).toEqual([expect.stringContaining("m6 6 12 12m0-12-12 12 ")]);
    await expect.poll(() => launcherGlyphs(page)).toEqual(glyphs);
  });

it("with text twice as large on a phone, title and cross stay in their place when the panel draws itself", async () => {
  const browser = await launch(["--blink-settings=defaultFontSize=32"]);
  onTestFinished(() => browser.close());
  const held = Promise.withResolvers<void>();
  const { page } = await testbed.visit({
    browser,
    options: PHONE,
    html: pageOf(testbed.tag('data-site="default" data-title="Moth &amp; Filament"')),
    before: (page) =>
      page.route(/assets\/panel/, async (route) => {
        await held.promise;
        await route.continue();
      }),
  });
  const middleOf = async (part: string) => {
    const { x, y, width, height } = await rectOf(page, part);
    return { x: x + width / 2, y: y + height / 2 };
  };
  await page.locator(".launcher").click();
  await page.locator("dialog header h2").waitFor();
  const [title, cross] = [await rectOf(page, "dialog header h2"), await middleOf("dialog header > button")];
  held.resolve();
  await page.locator("porch-light textarea").waitFor();
  const [panelTitle, panelCross] = [await rectOf(page, ".head h2"), await middleOf(".head > button:last-of-type")];
  const moved = [panelTitle.x - title.x, panelTitle.y - title.y, panelCross.x - cross.x, panelCross.y - cross.y];
  expect(moved.filter((pixels) => Math.abs(pixels) > 2)).toEqual([]);
});

for (const [name, options, attributes, html] of [
  ["phone", { ...PHONE, locale: "de-DE" }, 'data-locale="de" data-accent="#b91c1c"', ""],
  ["language of data-locale", {}, 'data-locale="de"', ""],
  ["language of the page's settings", {}, "", '<script>PorchlightSettings={locale:"de"}</script>'],
  ["dark phone", { ...PHONE, colorScheme: "dark" }, 'data-locale="de" data-header="accent"', ""],
] as const)
  it(`says in the visitor's language that the chat could not be loaded, and loads it when asked again: ${name}`, async () => {
    const { page } = await testbed.visit({
      html: pageOf(`${html}${testbed.tag(`data-site="default" ${attributes}`)}`),
      options,
      before: (page) => page.route(/assets\//, (route) => route.abort()),
    });
    await page.locator(".launcher").click();
    const frame = page.locator("dialog.panel");
    const again = frame.getByRole("button", { name: "Erneut versuchen" });
    await again.waitFor();
    await frame.getByRole("heading", { name: "Lamp Shop" }).waitFor();
    expect(await frame.getByRole("alert").textContent()).toBe(FRAME_WORDS.de?.failed);
    expect(await frame.getByRole("link", { name: "Chat-Seite öffnen" }).getAttribute("href")).toBe(
      `${testbed.harness.url}/c/default`,
    );
    const [own, launcher] = await Promise.all(
      [again, page.locator(".launcher").first()].map((button) =>
        button.evaluate((element) => getComputedStyle(element).backgroundColor),
      ),
    );
    expect(own).toBe(launcher);
    await shot(page, `nothing loaded ${name}`);
    await frame.getByRole("button", { name: "Chat schließen" }).click();
    await frame.waitFor({ state: "hidden" });
    await page.locator(".launcher").first().click();
    await again.waitFor();
    await page.unroute(/assets\//);
    // This opening tries again too; if its attempt succeeds first, the button is gone.
    await again.evaluateAll((buttons) => {
      for (const button of buttons) (button as HTMLElement).click();
    });
    await page.locator("porch-light textarea").waitFor();
  });

it("draws a right-to-left language from right to left where the browser speaks another one", async () => {
  const { page } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-locale="ar"')),
    before: (page) => page.route(/assets\//, (route) => route.abort()),
  });
  await page.locator(".launcher").click();
  const frame = page.locator("dialog.panel");
  await frame.getByRole("link", { name: "محادثة" }).waitFor();
  expect(await frame.getByRole("alert").evaluate((sentence) => getComputedStyle(sentence).direction)).toBe("rtl");
  const [title, cross] = await Promise.all(
    [frame.getByRole("heading"), frame.getByRole("button").first()].map((one) => one.boundingBox()),
  );
  expect(cross?.x).toBeLessThan(title?.x ?? 0);
});

it("keeps the script's words for the failure where those of the page's language cannot be fetched", async () => {
  const { page } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-locale="ar"')),
    before: (page) => page.route(/assets\/|frame\/words/, (route) => route.abort()),
  });
  await page.locator(".launcher").click();
  const frame = page.locator("dialog.panel");
  const words = FRAME_WORDS.en;
  expect(await frame.getByRole("alert").textContent()).toBe(words?.failed);
  await frame.getByRole("button", { name: words?.retry ?? "no words" }).waitFor();
});

it("says in the visitor's language that the chat could not be loaded when nothing at all can be fetched", async () => {
  const { page } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-locale="ar" data-accent="#b91c1c"')),
    options: { ...PHONE, locale: "ar" },
  });
  await page.locator(".launcher").waitFor();
  await page.route(`${testbed.harness.url}/**`, (route) => route.abort());
  await page.locator(".launcher").click();
  const frame = page.locator("dialog.panel");
  const words = FRAME_WORDS.ar;
  await frame.getByText(words?.failed ?? "no words").waitFor();
  await frame.getByRole("link").waitFor();
  await shot(page, "nothing at all");
  await page.unroute(`${testbed.harness.url}/**`);
  await frame.getByRole("button", { name: words?.retry ?? "no words" }).click();
  await page.locator("porch-light textarea").waitFor();
});

/** The words of the element in the widget that has the focus. */
const focused = (page: Page) =>
  page.evaluate(() => document.querySelector("porch-light")?.shadowRoot?.activeElement?.textContent);

/** A page on which the panel's code cannot be loaded, with the frame that says so. The page keeps timers of 300 ms and more. */
async function visitWithoutPanel() {
  const requested: string[] = [];
  const { page } = await testbed.visit({
    html: pageOf(
      `<script>window.kept=[];{const set=setTimeout;window.setTimeout=(run,ms,...more)=>ms>=300?kept.push(run):set(run,ms,...more)}</script>${testbed.tag()}`,
    ),
    before: async (page) => {
      page.on("request", (request) => requested.push(request.url()));
      await page.route(/assets\//, (route) => route.abort());
    },
  });
  await page.locator(".launcher").click();
  await page.locator("dialog.panel > header").waitFor();
  const again = page.locator("dialog.panel").getByRole("button", { name: "Retry" });
  await again.waitFor();
  const runKept = () => page.evaluate("for(const run of kept.splice(0))run()");
  const kept = () => page.evaluate("kept.length");
  /** Each attempt ends with a request of its own. */
  const attempts = () => requested.filter((url) => /assets\/panel\.js\?/.test(url)).length;
  return { page, again, runKept, kept, attempts };
}

it("keeps the focus on Retry while the attempts after the network's return fail", async () => {
  const { page, again, runKept, kept, attempts } = await visitWithoutPanel();
  await again.focus();
  await page.evaluate(() => void dispatchEvent(new Event("online")));
  await expect.poll(kept).toBe(3);
  const before = attempts();
  await runKept();
  await expect.poll(attempts).toBeGreaterThan(before);
  const sentence = page.locator("dialog.panel").getByRole("alert");
  // The failure of an attempt that the visitor starts is the next one, so the earlier ones have been handled.
  await again.press("Enter");
  await expect.poll(attempts).toBeGreaterThan(before + 1);
  await sentence.waitFor();
  expect(await focused(page)).toBe("Retry");
});

it("fetches nothing after the page has destroyed the widget", async () => {
  const { page, runKept, kept, attempts } = await visitWithoutPanel();
  await page.evaluate(() => void dispatchEvent(new Event("online")));
  await expect.poll(kept).toBe(3);
  await callApi(page, "destroy");
  const before = attempts();
  await runKept();
  // A request of the page is sent after those of the widget.
  await page.evaluate(() => fetch(location.href).then((response) => response.text()));
  expect(attempts()).toBe(before);
});

it("fetches the texts of the visitor's language in parallel with the panel", async () => {
  const requested: string[] = [];
  const held = Promise.withResolvers<void>();
  const { page } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-locale="de"')),
    options: { locale: "de-DE" },
    before: async (page) => {
      page.on("request", (request) => requested.push(request.url()));
      await page.route(/assets\/panel/, async (route) => {
        await held.promise;
        await route.continue();
      });
    },
  });
  await page.locator(".launcher").click();
  await expect.poll(() => requested.some((url) => /assets\/de-/.test(url))).toBe(true);
  held.resolve();
  await page.locator("porch-light textarea").waitFor();
  expect(requested.filter((url) => /assets\/de-/.test(url))).toHaveLength(1);
});

it("a page that removes unknown elements keeps working, and the widget stops with one log line", async () => {
  const lines: string[] = [];
  const { page } = await testbed.visit({
    html: pageOf(
      `<p id="own">Own</p><script>new MutationObserver(()=>{for(const one of [...document.body.children])if(one.localName.includes("-"))one.remove()}).observe(document.documentElement,{childList:true,subtree:true})</script>${testbed.tag()}`,
    ),
    before: async (page) => page.on("console", (message) => lines.push(message.text())),
  });
  await expect.poll(() => lines).toEqual(["Porchlight: this page keeps removing the chat, so it does not return"]);
  expect(await page.evaluate(() => document.querySelectorAll("porch-light").length)).toBe(0);
  // A later change of the page does not make it start again.
  await page.evaluate(() => document.body.append("more"));
  expect(await page.evaluate(() => document.querySelectorAll("porch-light").length)).toBe(0);
  expect(lines).toHaveLength(1);
});

it("the chat returns and works after the page has called document.open", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(testbed.tag('data-site="default" data-title="Kept title"')),
  });
  await converse(chat);
  await callApi(page, "close");
  await page.evaluate(() => {
    document.open();
    document.write("<!doctype html><title>Anew</title><h1>Anew</h1>");
    document.close();
  });
  // The first element has lost its listeners, but may stay until the script has run again.
  const works = () =>
    page.evaluate(() => {
      const root = document.querySelector("porch-light")?.shadowRoot;
      return typeof root?.querySelector<HTMLElement>(".launcher")?.onclick;
    });
  await expect.poll(works).toBe("function");
  await chat.launcher.waitFor();
  await chat.open();
  await chat.panel.getByRole("heading", { name: "Kept title" }).waitFor();
  await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
  await chat.send("still here");
  await chat.thread.getByText("echo: still here", { exact: true }).waitFor();
  expect(await page.locator("porch-light").count()).toBe(1);
});

it("tells the page whether the chat is open, and the number of unread replies", async () => {
  const { page, chat } = await testbed.visit();
  await chat.launcher.waitFor();
  const state = () =>
    page.evaluate(() => {
      const { Porchlight } = window as unknown as { Porchlight: { isOpen(): boolean; unread(): number } };
      return [Porchlight.isOpen(), Porchlight.unread()];
    });
  expect(await state()).toEqual([false, 0]);
  await converse(chat);
  await expect.poll(state).toEqual([true, 0]);
  await callApi(page, "close");
  await testbed.reply("while closed");
  await expect.poll(state).toEqual([false, 1]);
});

it("opens from the page elements that the setting launcher selects, and shows no launcher of its own", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(
      `<button class="help">Help <b>me</b></button>${testbed.tag('data-site="default" data-launcher=".help"')}`,
    ),
  });
  await page.locator("porch-light").waitFor({ state: "attached" });
  expect(await page.locator(".launcher").isVisible()).toBe(false);
  // The code that listens loads after the page.
  await expect
    .poll(async () => {
      if (!(await page.locator("dialog.panel").isVisible())) await page.locator(".help b").click();
      return page.locator("dialog.panel").isVisible();
    })
    .toBe(true);
  await chat.composer.waitFor();
});
