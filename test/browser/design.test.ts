/** Design details: sizes, edges, colours and motion, as the browser computes them. */

import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { launch } from "./browser.ts";
import { pageOf, rectOf, setUpTestbed } from "./checks/testbed.ts";
import { frames, gap } from "./checks/threads.ts";

const testbed = setUpTestbed({ sandbox: { botScript: "silent" } });
const html = (attributes = "") => pageOf(testbed.tag(`data-site="default" ${attributes}`));

/** The computed value of one property. */
const styleOf = (page: Page, selector: string, property: string): Promise<string> =>
  page
    .locator(`porch-light ${selector}`)
    .first()
    .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

it("the drop frame has the panel's round corners", async () => {
  const { page, chat } = await testbed.visit({ html: html('data-radius="20"') });
  await chat.open();
  // Browsers repeat this event while the file is over the panel. The first one fetches the code.
  const dragOver = () =>
    page.locator("porch-light .app").evaluate((app) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(["a"], "a.txt"));
      app.dispatchEvent(new DragEvent("dragover", { dataTransfer, bubbles: true, cancelable: true }));
    });
  const sentence = chat.panel.getByText("Drop files to attach");
  await expect.poll(async () => [await dragOver(), await sentence.isVisible()].at(-1)).toBe(true);
  expect(await styleOf(page, ".drop", "border-start-start-radius")).toBe("20px");
  await page.locator("porch-light .app").dispatchEvent("dragleave");
  await page.locator("porch-light .drop").waitFor({ state: "detached" });
});

/** The right edge of an element's content, in pixels of the window. */
const rightOf = (page: Page, selector: string): Promise<number> =>
  page.locator(`porch-light ${selector}`).evaluate((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect().right;
  });
/** Position and size of an element, in pixels of the window. */
const boxOf = (page: Page, selector: string) => rectOf(page, `porch-light ${selector}`);
const answer = async (page: Page, body: string): Promise<void> => {
  const rows = page.locator("porch-light .reply");
  const before = await rows.count();
  await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length > 0);
  await testbed.reply(body);
  await rows.nth(before).waitFor();
};

it("nested lists have their own numbers and marks, and a message of emoji only is visible", async () => {
  const { page, chat } = await testbed.visit({ html: html() });
  await chat.open();
  await chat.send("👍");
  await answer(page, "3. **Pack it**\n   - Use the box\n   - Add the slip\n4. Call\n   on Monday");
  const bubble = page.locator("porch-light .reply .bubble");
  expect(await bubble.locator("> ol").getAttribute("start")).toBe("3");
  expect(await bubble.locator("> ol > li").count()).toBe(2);
  expect(await bubble.locator("> ol > li > ul > li").allTextContents()).toEqual(["Use the box", "Add the slip"]);
  expect(await bubble.locator("> ol > li").last().textContent()).toBe("Call\non Monday");
  // White on a transparent ground would be invisible.
  expect(await styleOf(page, ".own .big", "color")).toBe(await styleOf(page, ".app", "color"));
});

it("the dots are on one line", async () => {
  const { page, chat } = await testbed.visit({ html: html(), options: { reducedMotion: "reduce" } });
  await chat.open();
  await chat.send("Anybody?");
  await page.locator("porch-light .dots").waitFor();
  const tops = await page
    .locator("porch-light .dots i")
    .evaluateAll((dots) => dots.map((dot) => dot.getBoundingClientRect().y));
  expect(new Set(tops).size).toBe(1);
});

it("the dots are visible in forced colours, which remove backgrounds", async () => {
  const { page, chat } = await testbed.visit({ html: html(), options: { forcedColors: "active" } });
  await chat.open();
  await chat.send("Anybody?");
  await page.locator("porch-light .dots").waitFor();
  expect(Number.parseFloat(await styleOf(page, ".dots i", "border-top-width"))).toBeGreaterThan(2);
});

it("a header and a send button of the surface's colour have an edge, like the visitor's messages", async () => {
  const { page, chat } = await testbed.visit({ html: html('data-accent="#fff" data-header="accent"') });
  await chat.open();
  await chat.send("Hello");
  await page.locator("porch-light .own").waitFor();
  const edge = await styleOf(page, ".own .bubble", "box-shadow");
  const [colour] = /^rgba?\(.*?\)/.exec(edge) ?? [];
  expect(colour).not.toBe(await styleOf(page, ".app", "background-color"));
  expect(await styleOf(page, ".send", "box-shadow")).toBe(edge);
  expect(await styleOf(page, ".head", "border-bottom-color")).toBe(colour);
});

it("a reaction overlaps its bubble", async () => {
  const { page, chat } = await testbed.visit({ html: html() });
  await chat.open();
  await chat.send("Hello");
  await answer(page, "Hello to you");
  await page.locator("porch-light .react button").click();
  await page.locator("porch-light .palette button").first().click();
  const chip = page.locator("porch-light .reaction");
  await chip.waitFor();
  const isOnTop = () =>
    chip.evaluate((button) => {
      const { x, y, width } = button.getBoundingClientRect();
      return (button.getRootNode() as ShadowRoot).elementFromPoint(x + width / 2, y + 3) === button;
    });
  await expect.poll(isOnTop).toBe(true);
});

it("a header in the accent colour reaches every edge, also on a phone", async () => {
  for (const viewport of [
    { width: 1_280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    const { page, chat } = await testbed.visit({ html: html('data-header="accent"'), options: { viewport } });
    await chat.open();
    const [panel, head] = [await boxOf(page, ".panel"), await boxOf(page, ".head")];
    expect([head.x, head.y, head.right]).toEqual([panel.x, panel.y, panel.right]);
  }
});

it("the team's faces are opaque, and the title keeps its line in a narrow window", async () => {
  const options = { viewport: { width: 320, height: 480 } };
  const { page, chat } = await testbed.visit({
    html: html('data-header="accent" data-title="Moth &amp; Filament" data-team="Maria|Tom|Ada"'),
    options,
  });
  await chat.open();
  const faces = page.locator("porch-light .faces > *");
  await faces.first().waitFor();
  expect(await faces.evaluateAll((all) => all.map((face) => face.checkVisibility()))).toEqual([true, true, true]);
  expect((await boxOf(page, "h2")).height).toBeLessThan(24);
  await page.setViewportSize({ width: 1_280, height: 800 });
  await faces.nth(2).waitFor();
  // A colour with a slash has an alpha value.
  expect(await styleOf(page, ".faces > *", "background-color")).not.toMatch(/\/|rgba/);
});

it("on a phone, a header with one line is 52 pixels high, and buttons are large enough for a finger", async () => {
  const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page, chat } = await testbed.visit({ html: html("data-responder=human"), options });
  await chat.open();
  await expect.poll(async () => (await boxOf(page, ".head")).height).toBe(52);
  testbed.harness.sandbox.failNext("incoming", 1, 400);
  await chat.send("Lost");
  await page.locator("porch-light .failed button").nth(1).waitFor();
  await chat.send("Hello");
  await answer(page, "Hello to you");
  for (const button of [".react button", ".failed button", ".failed button:last-child"]) {
    const { width, height } = await boxOf(page, button);
    expect(Math.min(width, height), button).toBeGreaterThanOrEqual(44);
  }
});

it("the panel closes in 140 milliseconds, towards the launcher's corner, and the focus returns at once", async () => {
  const closing = async (reducedMotion: "no-preference" | "reduce", position: string) => {
    const { page, chat } = await testbed.visit({
      html: html(`data-position="${position}"`),
      options: { reducedMotion },
    });
    await chat.open();
    const [x] = (await styleOf(page, ".panel", "transform-origin")).split(" ");
    const seen = await page.locator("porch-light .panel").evaluate((panel) => {
      const root = panel.getRootNode() as ShadowRoot;
      root.querySelector<HTMLElement>("[aria-label='Close chat']")?.click();
      const { display, transitionDuration } = getComputedStyle(panel);
      return {
        display,
        transitionDuration,
        focus: root.activeElement?.className,
        moving: panel.getAnimations().length > 0,
      };
    });
    await chat.panel.waitFor({ state: "hidden" });
    return { x, ...seen };
  };
  const focus = "at launcher";
  expect(await closing("no-preference", "right")).toEqual({
    x: "400px",
    display: "block",
    transitionDuration: "0.14s",
    focus,
    moving: true,
  });
  expect(await closing("reduce", "left")).toEqual({
    x: "0px",
    display: "none",
    transitionDuration: "0s",
    focus,
    moving: false,
  });
});

it("the text field stays at its end when many lines replace a few", async () => {
  const { page, chat } = await testbed.visit({ html: html() });
  await chat.open();
  await chat.send("Hello");
  for (let n = 0; n < 12; n++) await answer(page, `${n} ${"word ".repeat(20)}`);
  const lines = (count: number) => Array.from({ length: count }, (_, n) => `Line ${n}`).join("\n");
  await chat.composer.fill(lines(3));
  await frames(page);
  await chat.composer.press("Control+a");
  await page.keyboard.insertText(lines(6));
  await frames(page);
  expect(await gap(page)).toBeLessThanOrEqual(1);
  expect(await page.locator("porch-light .newest").count()).toBe(0);
  // Six lines are visible.
  const { scroll, client } = await chat.composer.evaluate((field) => ({
    scroll: field.scrollHeight,
    client: field.clientHeight,
  }));
  expect(scroll).toBeLessThanOrEqual(client);
});

it("the form outside business hours keeps the greeting complete, and shows the privacy note", async () => {
  const attributes = `data-greeting="Hi! Ask me about our lamps, delivery or returns." data-privacy-url="https://e.test/p"`;
  for (const locale of ["en", "de", "my", "ta"]) {
    const { page } = await testbed.visit({
      html: pageOf(
        `<script>PorchlightSettings={locale:"${locale}",hours:{timeZone:"Europe/Oslo",mon:"9:00-9:01"}}</script>${testbed.tag(`data-site="default" ${attributes}`)}`,
      ),
      options: { viewport: { width: 1_200, height: 800 } },
      // The longest sentence about the opening has a date: the shop closed on this Monday and opens in a week.
      before: (page) => page.clock.setFixedTime("2026-11-23T09:00:00Z"),
    });
    await page.locator("porch-light .launcher").click();
    await page.locator("porch-light .form .privacy").waitFor();
    const thread = page.locator("porch-light .thread");
    // The thread gets its height once the form is measured.
    await expect.poll(() => thread.evaluate((el) => el.scrollHeight - el.clientHeight), { message: locale }).toBe(0);
    expect(await page.locator("porch-light .privacy").count()).toBe(1);
  }
});

it("menu entries take one line each, with a frame in forced colours", async () => {
  const { page, chat } = await testbed.visit({
    html: html('data-privacy-url="https://e.test/p"'),
    options: { forcedColors: "active" },
  });
  await chat.open();
  await page.locator("porch-light .head [aria-haspopup=menu]").click();
  const entries = page.locator("porch-light [role=menuitem]");
  await entries.first().waitFor();
  const drawn = await entries.evaluateAll((all) =>
    all.map((entry) => [
      entry.querySelector("span")?.getBoundingClientRect().x,
      getComputedStyle(entry).borderTopStyle,
    ]),
  );
  expect(new Set(drawn.map(([x]) => x)).size).toBe(1);
  expect(drawn.map(([, border]) => border)).toEqual(drawn.map(() => "solid"));
});

it("on the chat page, a form is in the column of the thread, and lines have at most 60 characters", async () => {
  const words =
    "For reading in bed we would take the lamp that is called Perch, since its arm stays where you put it. ".repeat(3);
  for (const width of [1_200, 390]) {
    const { page } = await testbed.visit({ options: { viewport: { width, height: 800 } } });
    await page.addInitScript(() => Object.assign(window, { PorchlightSettings: { prechat: ["name"] } }));
    await page.goto(`${testbed.harness.url}/c/default`);
    await page.locator("porch-light .form input").waitFor();
    const [form, hello] = [await boxOf(page, ".form input"), await boxOf(page, ".greeting")];
    expect([form.x, form.right]).toEqual([hello.x, hello.right]);
    await page.locator("porch-light .form input").fill("Ada");
    await page.locator("porch-light .form .primary").click();
    const sent = testbed.harness.sandbox.messages().length;
    await page.locator("porch-light .composer textarea").fill("Which lamp?");
    await page.locator("porch-light .send").click();
    await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length > sent);
    await answer(page, words);
    const longestLine = (paragraph: Element): number => {
      const text = paragraph.firstChild as Text;
      const lines = new Map<number, number>();
      const range = document.createRange();
      for (let at = 0; at < text.length; at++) {
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        const top = Math.round(range.getBoundingClientRect().top);
        lines.set(top, (lines.get(top) ?? 0) + 1);
      }
      return Math.max(...lines.values());
    };
    // Including the space at which it breaks. The paragraph is drawn again when the code for rich texts has loaded.
    await expect.poll(() => page.locator("porch-light .reply .bubble p").evaluate(longestLine)).toBeLessThanOrEqual(61);
  }
});

it("the line above new messages looks like a day's line, and in the dark theme a reply's bubble is lighter than the panel", async () => {
  const { page, chat } = await testbed.visit({ html: html(), options: { colorScheme: "dark" } });
  await chat.open();
  await chat.send("Hello");
  await answer(page, "Hello to you");
  const lightness = (colour: string) => Number(/oklch\((\S+)/.exec(colour)?.[1]);
  expect(lightness(await styleOf(page, ".panel", "background-color"))).toBeCloseTo(0.205);
  expect(lightness(await styleOf(page, ".reply .bubble", "background-color"))).toBeCloseTo(0.25);
  await page.keyboard.press("Escape");
  await chat.panel.waitFor({ state: "hidden" });
  await testbed.reply("Something new");
  await page.locator("porch-light .badge:not([hidden])").waitFor();
  await chat.open();
  await page.locator("porch-light .new").waitFor();
  expect(await styleOf(page, ".new", "color")).toBe(await styleOf(page, ".divider:not(.new)", "color"));
});

it("copied text contains the messages without names, times and notes; three clicks select a paragraph", async () => {
  // All pages of a browser share its clipboard, and another file's tests write there too.
  const browser = await launch();
  onTestFinished(() => browser.close());
  const { page, chat, context } = await testbed.visit({ browser, html: html(), options: { reducedMotion: "reduce" } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: testbed.host });
  await chat.open();
  await chat.send("Hello");
  await answer(page, "Hello to you");
  const words = "See our terms before you order.";
  await answer(page, "See our [terms](https://shop.example/terms) before you order.");
  await page.locator("porch-light .bubble a").waitFor();
  const bubbles = page.locator("porch-light .bubble p");
  const last = await bubbles.last().boundingBox();
  const first = await bubbles.first().boundingBox();
  if (!first || !last) throw new Error("nothing to select");
  const selected = (): Promise<string> => page.evaluate(() => getSelection()?.toString() ?? "");
  const lines = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");

  await page.mouse.click(last.x + 4, last.y + 10, { clickCount: 3 });
  expect(lines(await selected())).toEqual([words]);

  await page.mouse.move(first.x + 1, first.y + 2);
  await page.mouse.down();
  await page.mouse.move(last.x + last.width - 1, last.y + last.height - 2, { steps: 4 });
  await page.mouse.up();
  const said = ["Hello", "Hello to you", words];
  expect(lines(await selected())).toEqual(said);
  await page.keyboard.press("Control+C");
  expect(lines(await page.evaluate(() => navigator.clipboard.readText()))).toEqual(said);
});

const LONG_TABLE =
  "| Lamp | Height | Light | Price | Delivery | Stock |\n|---|---|---|---|---|---|\n| Perch | 45 cm | warm white | €129 | 3 days | yes |";

it("a table wider than its bubble has a shadow at the edge, and scrolls by keyboard", async () => {
  const { page, chat } = await testbed.visit({ html: html() });
  await chat.open();
  await chat.send("Which lamps?");
  await answer(page, LONG_TABLE);
  const box = page.locator("porch-light .scroll");
  await box.focus();
  expect(await box.evaluate((node) => node.scrollWidth > node.clientWidth)).toBe(true);
  expect(await styleOf(page, ".scroll", "background-attachment")).toBe("local, local, scroll, scroll");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => box.evaluate((node) => node.scrollLeft)).toBeGreaterThan(0);
});

it("long words are hyphenated in greeting and messages, code is not, and no line of code is below its copy button", async () => {
  const { page, chat } = await testbed.visit({ html: html() });
  await chat.open();
  await chat.send("Hello");
  await answer(page, `Run \`npm start\`:\n\n\`\`\`\n${"npm start ".repeat(30)}\n\`\`\``);
  await page.locator("porch-light pre").waitFor();
  const places = [".hello", ".own p", ".reply p", "p code", "pre"];
  expect(await Promise.all(places.map((place) => styleOf(page, place, "hyphens")))).toEqual([
    "auto",
    "auto",
    "auto",
    "none",
    "none",
  ]);
  expect((await boxOf(page, "pre")).right).toBeLessThanOrEqual((await boxOf(page, ".code > .copy")).x);
});

it("the greeting is smaller where the window is narrow for its text, as on a phone with text of twice the size", async () => {
  const { page, chat } = await testbed.visit({ html: html(), options: { viewport: { width: 390, height: 844 } } });
  await chat.open();
  const sizes = [await styleOf(page, ".hello", "font-size")];
  await page.setViewportSize({ width: 260, height: 560 });
  sizes.push(await styleOf(page, ".hello", "font-size"));
  expect(sizes).toEqual(["22px", "18px"]);
});

it("in a right-to-left language, the name of a file begins at the edge of the line below it", async () => {
  const { page, chat } = await testbed.visit({ html: html('data-locale="ar"') });
  await page.locator(".launcher").click();
  await chat.panel.locator("textarea").waitFor();
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "a.exe", mimeType: "text/plain", buffer: Buffer.from("a") });
  // The line below the name is replaced when the file is refused.
  await page.locator("porch-light .tray .bad small").waitFor();
  expect(await rightOf(page, ".tray bdi")).toBeCloseTo(await rightOf(page, ".tray small"), 0);
});

it.each([
  ["an Arabic reply", "لدينا مصباح:"],
  ["a reply of its own", ""],
])("in a right-to-left language, texts and buttons of a Latin card in %s end at one edge", async (_, text) => {
  const { page, chat } = await testbed.visit({ html: html('data-locale="ar"') });
  await page.locator(".launcher").click();
  await chat.panel.locator("textarea").fill("Perch?");
  await page.keyboard.press("Enter");
  await answer(
    page,
    `${text}\n\n> ### Perch\n> Warm light\n> [See it](https://shop.example) [Ask](https://shop.example/ask)`,
  );
  await page.locator("porch-light .actions").waitFor();
  const edges = await Promise.all([1, 2, 3].map((at) => rightOf(page, `.card > :nth-child(${at})`)));
  const { right } = await boxOf(page, ".card");
  expect(edges.map((edge) => Math.round(right - edge))).toEqual([12, 12, 12]);
});

it("a long draft keeps its distance from the edges of the field", async () => {
  const { chat } = await testbed.visit({ html: html() });
  await chat.open();
  await chat.composer.fill("A long draft. ".repeat(60));
  const { field, text, lines } = await chat.composer.evaluate((area) => {
    const style = getComputedStyle(area);
    const lines = area.clientHeight / Number.parseFloat(style.lineHeight);
    return { field: style.borderTopWidth, text: style.paddingTop, lines };
  });
  // No part of a line at an edge.
  expect(lines).toBe(6);
  // Borders do not scroll, padding does.
  expect([Number.parseFloat(field) > 8, text]).toEqual([true, "0px"]);
});

it("a person is offered below the questions and topics, and not as one more pill", async () => {
  const { page, chat } = await testbed.visit({
    html: html('data-suggestions="Do you ship?" data-topics="Orders|Returns" data-ask-person="team"'),
  });
  await chat.open();
  await chat.thread.getByRole("button", { name: "Talk to a person" }).waitFor();
  const buttons = page.locator("porch-light .suggestions button");
  expect(await buttons.allTextContents()).toEqual(["Do you ship?", "Orders", "Returns", "Talk to a person"]);
  const looks = await buttons.evaluateAll((all) =>
    all.map((button) => {
      const { borderTopColor, backgroundColor } = getComputedStyle(button);
      return [borderTopColor, backgroundColor].map((colour) => (/[/,] 0\)$/.test(colour) ? "none" : "some"));
    }),
  );
  expect(looks).toEqual([
    ["some", "none"],
    ["none", "some"],
    ["none", "some"],
    ["none", "none"],
  ]);
  const look = async () => [await styleOf(page, ".person", "color"), (await boxOf(page, ".person")).right];
  const before = await look();
  await chat.send("Hello");
  await answer(page, "Hi!");
  // In the conversation, it has the same colour and is at the same side.
  expect(await look()).toEqual(before);
});

it("a scrim covers the panel behind the question before a deletion", async () => {
  const { page, chat } = await testbed.visit({ html: html() });
  await chat.open();
  await chat.send("Hello");
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  await page.getByRole("menuitem").first().waitFor();
  expect(await styleOf(page, ".veil", "background-color")).toBe("rgba(0, 0, 0, 0)");
  await page.getByRole("menuitem", { name: "Delete conversation" }).click();
  await page.getByRole("alertdialog").waitFor();
  expect(await styleOf(page, ".veil", "background-color")).toBe("rgba(0, 0, 0, 0.4)");
});

it("menus and pickers are raised in the dark", async () => {
  const { page, chat } = await testbed.visit({ html: html('data-theme="dark"') });
  await chat.open();
  const surface = await styleOf(page, ".panel", "background-color");
  await chat.panel.getByRole("button", { name: "Insert an emoji" }).click();
  await page.locator("porch-light .emoji").waitFor();
  expect(await styleOf(page, ".emoji", "background-color")).not.toBe(surface);
  // Firefox's own scrollbars would be white in the dark.
  expect(await styleOf(page, ".found", "scrollbar-color")).toContain("rgba(255, 255, 255, 0.12");
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  await page.getByRole("menuitem").first().waitFor();
  expect(await styleOf(page, ".menu", "background-color")).not.toBe(surface);
});

it("emoji are found by a word, with Enter, and by group", async () => {
  const { page, chat } = await testbed.visit({ html: html('data-locale="de"') });
  await chat.launcher.click();
  await page.locator("porch-light textarea").waitFor();
  await page.locator("porch-light .composer [aria-expanded]").click();
  await page.locator('porch-light .emoji [title="grinsendes Gesicht"]').waitFor();
  const [glass, search] = [await boxOf(page, ".find .icon"), await boxOf(page, ".find input")];
  const inset = Number.parseFloat(await styleOf(page, ".find input", "padding-inline-start"));
  expect([glass.x > search.x, glass.right < search.x + inset]).toEqual([true, true]);
  await page.keyboard.type("Geschenk");
  await expect.poll(() => page.locator("porch-light .emoji .found button").first().textContent()).toBe("🎁");
  await page.keyboard.press("Enter");
  expect(await page.locator("porch-light textarea").inputValue()).toBe("🎁");
  await page.locator("porch-light .composer [aria-expanded]").click();
  await page.locator('porch-light .groups [aria-label="Essen und Trinken"]').click();
  await expect.poll(() => page.locator("porch-light .found").evaluate((list) => list.scrollTop)).toBeGreaterThan(0);
});

it("the emoji picker marks the group at the top of its list, and at the end the last one", async () => {
  const { page, chat } = await testbed.visit({ html: html() });
  await chat.open();
  await chat.panel.getByRole("button", { name: "Insert an emoji" }).click();
  const current = () =>
    page.locator("porch-light .groups [aria-current]").evaluateAll((all) => all.map((one) => one.ariaLabel));
  await expect.poll(current).toEqual(["Smileys"]);
  await page.locator('porch-light .groups [aria-label="Food and drink"]').click();
  await expect.poll(current).toEqual(["Food and drink"]);
  await page.locator("porch-light .found").evaluate((list) => list.scrollTo(0, 99_999));
  await expect.poll(current).toEqual(["Symbols"]);
});

it("the page of an unknown chat leaves no word alone on a line", async () => {
  const { page } = await testbed.visit();
  await page.goto(`${testbed.harness.url}/c/unknown`);
  const lines = await page.locator(".notice p").evaluateAll((all) =>
    all.map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return [...range.getClientRects()].map(({ width }) => width);
    }),
  );
  expect(lines.map((widths) => widths.length)).toEqual([1, 2]);
  const [first = 0, last = 0] = lines[1] ?? [];
  expect(last).toBeGreaterThan(first / 2);
});

it.each([
  ["left to right", ""],
  ["on a page that zooms itself", "<style>body{zoom:0.75}</style>"],
  ["right to left", '<script>document.documentElement.dir="rtl"</script>'],
])("the teaser is as wide as its longest line: %s", async (_how, head) => {
  const words = "Not sure which lamp fits your reading corner? Ask us.";
  const { page } = await testbed.visit({
    html: pageOf(testbed.tag(`data-site="default" data-teaser="${words}"`), head),
  });
  const button = page.locator(".teaser button").first();
  await button.waitFor();
  const strips = await button.evaluate((element) => {
    const lines = document.createRange();
    lines.selectNodeContents(element);
    const [box, text] = [element.getBoundingClientRect(), lines.getBoundingClientRect()];
    return {
      left: text.left - box.left,
      right: box.right - text.right,
      lines: new Set([...lines.getClientRects()].map(({ y }) => y)).size,
    };
  });
  expect(Math.abs(strips.left - strips.right)).toBeLessThan(4);
  expect(strips.lines).toBe(2);
});

it("a refused file says so by its icon too", async () => {
  const { page, chat } = await testbed.visit({ html: html() });
  await chat.open();
  const files = ["empty.txt", "whole.txt"].map((name, at) => ({
    name,
    mimeType: "text/plain",
    buffer: Buffer.from("x".repeat(at)),
  }));
  await page.locator("porch-light input[type=file]").setInputFiles(files);
  await page.locator("porch-light .tray .bad").waitFor();
  const danger = await styleOf(page, ".tray .bad small", "color");
  expect(await styleOf(page, ".tray .bad > .icon", "color")).toBe(danger);
  expect(await styleOf(page, ".tray li:not(.bad) > .icon", "color")).not.toBe(danger);
});

it("a form fits into 320 by 480 pixels, where the greeting is hidden", async () => {
  const options = { viewport: { width: 320, height: 480 } };
  const { page } = await testbed.visit({ html: html('data-prechat="name|email"'), options });
  await page.locator("porch-light .launcher").click();
  await page.locator("porch-light .form").waitFor();
  expect(await page.locator("porch-light .greeting").isVisible()).toBe(false);
  const [form, panel] = [await boxOf(page, ".form"), await boxOf(page, ".app")];
  expect(form.bottom).toBeLessThanOrEqual(panel.bottom);
  expect((await boxOf(page, ".form .primary")).bottom).toBeLessThanOrEqual(panel.bottom);
});

it("a text gets the room of camera and microphone, which are there again when the field is empty", async () => {
  const options = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page, chat } = await testbed.visit({ html: html("data-camera data-voice"), options });
  await page.locator(".launcher").click();
  const tools = page.locator("porch-light .composer textarea ~ .tool");
  await expect.poll(() => tools.count()).toBe(2);
  const [before, gap] = [await boxOf(page, "#message"), (await boxOf(page, ".send")).x];
  await chat.composer.fill("Good morning");
  const typed = await boxOf(page, "#message");
  expect([typed.x, typed.right]).toEqual([before.x, gap]);
  await chat.composer.fill("");
  expect(await tools.evaluateAll((all) => all.map((tool) => tool.checkVisibility()))).toEqual([true, true]);
});

it("a form's small print has the size of other small print and no shadow above it; choices begin where texts begin", async () => {
  const fields = `data-custom-fields='{"topic":{"label":"Topic","type":"choice","choices":["One","Two"]}}'`;
  const { page } = await testbed.visit({ html: html(`data-prechat="name|topic" ${fields}`) });
  await page.locator("porch-light .launcher").click();
  await page.locator("porch-light .form .privacy").waitFor();
  expect(await styleOf(page, ".form .privacy", "font-size")).toBe(await styleOf(page, ".who p", "font-size"));
  // The shadow below the button is as high as a line of the form.
  const { bottom } = await boxOf(page, ".form .buttons");
  expect((await boxOf(page, ".form .privacy")).y - bottom).toBeGreaterThanOrEqual(16);
  // A native list insets its text by 4 more pixels.
  expect(await styleOf(page, ".form select", "appearance")).toBe("none");
});
