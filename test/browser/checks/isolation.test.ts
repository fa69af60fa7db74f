/** WIDGET 9, checks 1 to 18: the page does not affect the widget, and the widget does not affect the page. */

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { callApi, converse, pageOf, rectOf, setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed();

/** Extreme rules that nevertheless occur on real pages. */
const HOSTILE = `html{font-size:62.5%}*{all:unset!important}porch-light,div,button{display:none!important;visibility:hidden!important}
head,head *{display:none!important}
body.bad{display:block!important;transform:translateZ(0)!important;zoom:1.5!important;direction:rtl!important;text-transform:uppercase!important;letter-spacing:8px!important;line-height:4!important;color:red!important;font-family:cursive!important;writing-mode:vertical-rl!important;pointer-events:none!important;visibility:hidden!important}`;
const hostile = (): string =>
  pageOf(`<p>Host</p>${testbed.tag()}`, `<style>${HOSTILE}</style>`).replace("<body>", '<body class="bad">');

/** Styles of an inner element that the page must not change. */
const STYLES = [
  "direction",
  "letterSpacing",
  "textTransform",
  "visibility",
  "lineHeight",
  "writingMode",
  "fontFamily",
  "fontSize",
  "color",
  "wordSpacing",
  "textIndent",
  "whiteSpace",
  "pointerEvents",
] as const;

/**
 * Computed styles of an element. Reads again when it was removed and so has none: the first reply is drawn again when the code
 * for formatted texts has loaded.
 */
async function styleOf(page: Page, selector: string): Promise<object> {
  const read = () =>
    page
      .locator(selector)
      .first()
      .evaluate((element, names) => {
        const all = getComputedStyle(element);
        return element.isConnected ? names.map((name) => [name, all[name]]) : [];
      }, STYLES);
  let styles = await read();
  while (styles.length === 0) styles = await read();
  return Object.fromEntries(styles);
}

it("1 hostile page: the launcher is 56 by 56, in its corner, from left to right, in its own font", async () => {
  const { page, chat } = await testbed.visit({ html: hostile() });
  await chat.launcher.waitFor();
  const seen = await page.locator(".launcher").evaluate((element) => {
    const { right, bottom, width, height } = element.getBoundingClientRect();
    const zoom = (element as { currentCSSZoom?: number }).currentCSSZoom ?? 1;
    return {
      zoom,
      width: width / zoom,
      height: height / zoom,
      right: (innerWidth - right) / zoom,
      bottom: (innerHeight - bottom) / zoom,
    };
  });
  expect(seen).toEqual({ zoom: 1.5, width: 56, height: 56, right: 20, bottom: 20 });
  const style = await styleOf(page, ".launcher");
  expect(style).toMatchObject({
    direction: "ltr",
    textTransform: "none",
    letterSpacing: "normal",
    visibility: "visible",
    writingMode: "horizontal-tb",
    fontFamily: "system-ui",
    fontSize: "16px",
  });
  await converse(chat);
});

it("2 the panel has the same size at any font size of the page's root", async () => {
  const sizes = [];
  for (const size of ["100%", "62.5%", "200%"]) {
    const { page, chat } = await testbed.visit({
      html: pageOf(testbed.tag(), `<style>html{font-size:${size}}</style>`),
    });
    await chat.open();
    sizes.push(
      await page
        .locator(".panel")
        .evaluate((panel) => [(panel as HTMLElement).offsetWidth, (panel as HTMLElement).offsetHeight]),
    );
  }
  expect(sizes[1]).toEqual(sizes[0]);
  expect(sizes[2]).toEqual(sizes[0]);
});

it("3 inherited styles of the page do not reach the chat's texts", async () => {
  const styles = [];
  for (const body of [
    "",
    "direction:rtl;letter-spacing:8px;text-transform:uppercase;visibility:hidden;color:red;line-height:4;word-spacing:9px;text-indent:3em;white-space:pre;pointer-events:none;font:italic 40px cursive",
  ]) {
    const { page, chat } = await testbed.visit({ html: pageOf(testbed.tag(), `<style>body{${body}}</style>`) });
    await converse(chat);
    styles.push([
      await styleOf(page, ".reply .bubble p"),
      await styleOf(page, "#title"),
      await styleOf(page, "textarea"),
      await styleOf(page, ".launcher"),
    ]);
  }
  expect(styles[1]).toEqual(styles[0]);
});

it("4 a transformed body does not move the launcher when the page scrolls", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(`<div style="height:5000px"></div>${testbed.tag()}`, "<style>body{transform:translateZ(0)}</style>"),
  });
  await chat.launcher.waitFor();
  const bottom = async () => (await rectOf(page, ".launcher")).bottom;
  // The launcher moves to the top layer one frame after it is drawn.
  await expect.poll(bottom).toBe((page.viewportSize()?.height ?? 0) - 20);
  const before = await rectOf(page, ".launcher");
  await page.evaluate(() => scrollTo(0, 1_000));
  expect(await page.evaluate(() => scrollY)).toBe(1_000);
  expect(await rectOf(page, ".launcher")).toEqual(before);
});

it("5 adds only its element to the document, and only its own global", async () => {
  const look = (page: Page) =>
    page.evaluate(() => ({
      attributes: [document.documentElement, document.body].map((element) =>
        element.getAttributeNames().map((name) => [name, element.getAttribute(name)]),
      ),
      globals: Object.getOwnPropertyNames(window),
      children: [...document.body.children, ...document.head.children].map((element) => element.localName),
      sheets: document.adoptedStyleSheets.length + document.styleSheets.length,
    }));
  const { page, chat } = await testbed.visit({ html: pageOf("<p>Host</p>") });
  const before = await look(page);
  await page.addScriptTag({ url: `${testbed.harness.url}/widget.js` });
  await converse(chat);
  const after = await look(page);
  expect(after.attributes).toEqual(before.attributes);
  expect(after.sheets).toBe(before.sheets);
  const fresh = (now: string[], then: string[]) => now.filter((name) => !then.includes(name));
  expect(fresh(after.globals, before.globals)).toEqual(["Porchlight"]);
  expect(fresh(after.children, before.children).sort()).toEqual(["porch-light", "script"]);
});

it("6 a closed widget intercepts no click beside its launcher", async () => {
  const { page, chat } = await testbed.visit();
  await chat.launcher.waitFor();
  const taken = () =>
    page.evaluate(() => {
      const host = document.querySelector("porch-light");
      const { x, y, right, bottom } =
        host?.shadowRoot?.querySelector(".launcher")?.getBoundingClientRect() ?? new DOMRect();
      const probes = Array.from(
        { length: 400 },
        (_, n) => [((n % 20) + 0.5) * (innerWidth / 20), (Math.floor(n / 20) + 0.5) * (innerHeight / 20)] as const,
      );
      return probes.filter(
        ([px, py]) =>
          document.elementFromPoint(px, py) === host && !(px >= x && px <= right && py >= y && py <= bottom),
      );
    });
  expect(await taken()).toEqual([]);
  await converse(chat);
  await chat.panel.getByRole("button", { name: "Close chat" }).click();
  expect(await taken()).toEqual([]);
});

it("7 the page's shortcuts do not fire while the visitor types", async () => {
  const shortcuts = `window.fired=[];for(const type of ["keydown","keypress","keyup"])document.addEventListener(type,(event)=>{if("s/? ".includes(event.key)){fired.push(event.key);event.preventDefault()}})`;
  const { page, chat } = await testbed.visit({ html: pageOf(`<script>${shortcuts}</script>${testbed.tag()}`) });
  await chat.open();
  await chat.composer.focus();
  await page.keyboard.type("s/? s");
  expect(await chat.composer.inputValue()).toBe("s/? s");
  expect(await page.evaluate(() => (window as unknown as { fired: string[] }).fired)).toEqual([]);
  await page.mouse.click(5, 5);
  await page.keyboard.press("s");
  expect(await page.evaluate(() => (window as unknown as { fired: string[] }).fired)).toContain("s");
});

it("9 a native modal of the page does not lock the chat: draft, focus and scroll stay", async () => {
  testbed.harness.sandbox.configure({ botScript: "long" });
  const modal = `<dialog id="modal"><p>Modal</p><button id="ok">OK</button></dialog>`;
  const { page, chat } = await testbed.visit({ html: pageOf(`${modal}${testbed.tag()}`) });
  await chat.open();
  await chat.send("tell me everything");
  await chat.thread.getByText("This is a long answer").waitFor();
  const scroll = () => chat.thread.evaluate((thread) => Math.round(thread.scrollTop));
  // The dots may stay for half a second after a reply. Only without them, the thread has its final height.
  await chat.thread.locator(".waiting").waitFor({ state: "detached" });
  await chat.thread.evaluate(async (thread) => {
    thread.scrollTop = 120;
    // The browser reports the new position with the next frame.
    for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
  });
  await chat.composer.pressSequentially("dra");
  await page.evaluate(() => (document.getElementById("modal") as HTMLDialogElement).showModal());
  await page.locator("#modal porch-light").waitFor({ state: "attached" });
  const composer = page.getByRole("textbox", { name: "Message" });
  await composer.click();
  await page.keyboard.type("ft");
  expect(await composer.inputValue()).toBe("draft");
  expect(await scroll()).toBe(120);
  await page.evaluate(() => (document.getElementById("modal") as HTMLDialogElement).close());
  await page.locator("body > porch-light").waitFor({ state: "attached" });
  // The focus has not moved.
  await page.keyboard.type("!");
  expect(await composer.inputValue()).toBe("draft!");
  expect(await scroll()).toBe(120);
});

it("10 the widget is hidden by attribute and by command; a z-index setting puts the page's banner above", async () => {
  const banner = `<div id="banner" style="position:fixed;inset:auto 0 0 0;height:100px;z-index:10000;background:#ccc">Cookies</div>`;
  const { page, chat } = await testbed.visit({ html: pageOf(`${banner}${testbed.tag('data-z-index="9000"')}`) });
  await chat.launcher.waitFor();
  const top = await page.locator(".launcher").evaluate((launcher) => {
    const { x, y } = launcher.getBoundingClientRect();
    return document.elementFromPoint(x + 20, y + 20)?.id;
  });
  expect(top).toBe("banner");
  const host = page.locator("porch-light");
  await host.evaluate((element) => element.setAttribute("hidden", ""));
  await chat.launcher.waitFor({ state: "hidden" });
  await callApi(page, "show");
  await chat.launcher.waitFor();
  await callApi(page, "hide");
  await chat.launcher.waitFor({ state: "hidden" });
});

it("11 is not printed", async () => {
  const { page, chat } = await testbed.visit();
  await converse(chat);
  await page.locator(".launcher").waitFor();
  await page.emulateMedia({ media: "print" });
  await chat.panel.waitFor({ state: "hidden" });
  await page.locator(".launcher").waitFor({ state: "hidden" });
});

/** Whether the middle of an element's upper edge is painted in another colour than a point four pixels further in. */
async function painted(page: Page, selector: string): Promise<boolean> {
  const { x, y, width } = await rectOf(page, selector);
  const clip = { x: Math.round(x + width / 2), y: Math.floor(y) - 1, width: 1, height: 8 };
  const png = (await page.screenshot({ clip, animations: "disabled" })).toString("base64");
  return page.evaluate(async (data) => {
    const picture = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(1, 8).getContext("2d");
    canvas?.drawImage(picture, 0, 0);
    const colours = Array.from({ length: 8 }, (_, at) => String(canvas?.getImageData(0, at, 1, 1).data));
    return colours.slice(0, 4).some((colour) => colour !== colours[6]);
  }, png);
}

it("12 forced colours: every element has a visible edge", async () => {
  const { page, chat } = await testbed.visit({ options: { forcedColors: "active" } });
  await converse(chat);
  const edges = await page.evaluate(() => {
    const root = document.querySelector("porch-light")?.shadowRoot;
    const edge = (selector: string) => {
      const element = root?.querySelector(selector);
      if (!element) return `${selector}: missing`;
      const { borderTopWidth, borderTopStyle, borderTopColor, backgroundColor } = getComputedStyle(element);
      return Number.parseFloat(borderTopWidth) >= 1 && borderTopStyle !== "none" && borderTopColor !== backgroundColor
        ? ""
        : `${selector}: ${borderTopWidth} ${borderTopStyle} ${borderTopColor}`;
    };
    return [".launcher", ".own .bubble", ".reply .bubble", ".field", ".panel"].map(edge).filter(Boolean);
  });
  expect(edges).toEqual([]);
  for (const part of [".launcher", ".own .bubble", ".reply .bubble", ".field", ".panel"])
    expect(await painted(page, part), part).toBe(true);
  /** The focused element if nothing in forced colours shows its focus; empty when the focus is visible. */
  const unseen = () =>
    page.evaluate(() => {
      const active = document.querySelector("porch-light")?.shadowRoot?.activeElement;
      if (!active) return "nothing has the focus";
      const places = [active, active.closest("label")].flatMap((one) => (one ? getComputedStyle(one) : []));
      const ringed = places.some((one) => one.outlineStyle !== "none" && Number.parseFloat(one.outlineWidth) >= 2);
      const field = active.matches("textarea") && active.closest(".field");
      const bordered = field && Number.parseFloat(getComputedStyle(field).borderTopWidth) >= 2;
      return ringed || bordered ? "" : active.outerHTML.slice(0, 80);
    });
  await page.locator(".launcher").focus();
  for (let stop = 0; stop < 7; stop++) {
    await page.keyboard.press("Tab");
    expect(await unseen()).toBe("");
  }
});

/** Code with which pages remove their content. */
const REMOVALS = [
  "document.body.replaceWith(document.createElement('body'))",
  "document.body.innerHTML=''",
  "document.documentElement.replaceChild(document.createElement('body'),document.body)",
];

/** Removes the widget in one of these ways. @returns whether it is back in the page before any other task runs or a frame is drawn */
const returnsAtOnce = (page: Page, way: string): Promise<boolean> =>
  page.evaluate(async (act) => {
    const host = document.querySelector("porch-light");
    const script = document.createElement("script");
    script.text = act;
    document.head.append(script);
    if (host?.isConnected) throw new Error("The widget was not removed");
    // Mutation observers run as microtasks, and so does the next line.
    await Promise.resolve();
    return host?.isConnected === true;
  }, way);

describe("a page that changes around the widget", () => {
  it("13 a page translated by the browser keeps receiving and sending", async () => {
    const { page, chat } = await testbed.visit();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await converse(chat);
    /** Chrome's translation wraps every text in two font elements. */
    const translate = () =>
      page.evaluate(() => {
        const root = document.querySelector("porch-light")?.shadowRoot;
        const walker = document.createTreeWalker(root as Node, NodeFilter.SHOW_TEXT);
        const texts: Text[] = [];
        while (walker.nextNode()) texts.push(walker.currentNode as Text);
        for (const text of texts) {
          const [outer, inner] = [document.createElement("font"), document.createElement("font")];
          text.replaceWith(outer);
          inner.append(text.data);
          outer.append(inner);
        }
      });
    for (let n = 1; n <= 5; n++) {
      await translate();
      await chat.send(`message ${n}`);
      await chat.thread.getByText(`echo: message ${n}`, { exact: true }).waitFor();
    }
    expect(errors).toEqual([]);
    expect(
      await chat.thread
        .getByRole("listitem")
        .filter({ hasText: /message \d/ })
        .count(),
    ).toBe(10);
    // Texts change later, although the translation has replaced them.
    testbed.harness.sandbox.configure({ latencyMs: 1, clock: "virtual" });
    await chat.send("one more");
    const state = page.locator(".own .state");
    await state.getByText("Sent", { exact: true }).waitFor();
    await translate();
    // The relay's request may still be on its way.
    const arrived = async (): Promise<boolean> => {
      await testbed.harness.sandbox.advance(1);
      return testbed.harness.sandbox.messages().some(({ body }) => body === "one more");
    };
    await expect.poll(arrived).toBe(true);
    await state.getByText("Delivered", { exact: true }).waitFor();
    await testbed.harness.sandbox.advance(1_000);
    await chat.thread.getByText("echo: one more", { exact: true }).waitFor();
    expect(errors).toEqual([]);
  });

  it("14 returns at once and unchanged when the page replaces or empties its body", async () => {
    const { page, chat } = await testbed.visit();
    await converse(chat);
    await chat.composer.fill("half a thought");
    for (const way of REMOVALS) {
      expect(await returnsAtOnce(page, way)).toBe(true);
      expect(await chat.composer.inputValue()).toBe("half a thought");
      expect(await page.locator("porch-light").count()).toBe(1);
      await chat.thread.getByText("echo: Hello", { exact: true }).waitFor();
    }
    await chat.send("still here");
    await chat.thread.getByText("echo: still here", { exact: true }).waitFor();
  });

  it("14 the launcher of an unused chat also returns, each time", async () => {
    const { page, chat } = await testbed.visit();
    await chat.launcher.waitFor();
    for (const way of REMOVALS) {
      expect(await returnsAtOnce(page, way)).toBe(true);
      expect(await page.locator("porch-light").count()).toBe(1);
      await chat.launcher.waitFor();
    }
    await converse(chat);
  });

  it("16 two tags and a later third one lead to one element and one socket", async () => {
    const { page, chat } = await testbed.visit({ html: pageOf(testbed.tag() + testbed.tag()) });
    const sockets: string[] = [];
    page.on("websocket", (socket) => sockets.push(socket.url()));
    await chat.launcher.first().waitFor();
    await page.addScriptTag({ url: `${testbed.harness.url}/widget.js` });
    await converse(chat);
    expect(await page.locator("porch-light").count()).toBe(1);
    expect(sockets).toHaveLength(1);
  });
});
