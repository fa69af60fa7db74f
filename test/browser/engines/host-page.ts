/** Checks of the widget on another site's page: effects of the page on the widget, and of the widget on the page. */

import { expect, it } from "vitest";
import type { Tab } from "./engine.ts";
import { type Chat, POLL } from "./panel.ts";
import { recorder, type Testbed } from "./testbed.ts";

/** Extreme page rules that nevertheless occur on real pages. */
const HOSTILE = `<style>html{font-size:62.5%}*{all:unset!important}porch-light,div,button{display:none!important}
body{display:block!important;transform:translateZ(0)!important;direction:rtl!important;text-transform:uppercase!important;letter-spacing:8px!important;line-height:4!important;color:red!important;font-family:cursive!important;writing-mode:vertical-rl!important;pointer-events:none!important;visibility:hidden!important}</style>`;

/** Size of an element, and its distance from the right and lower edge of the window without scroll bars, in pixels. */
async function placeOf(tab: Tab, chat: Chat, css = ".launcher") {
  const { width, height, right, bottom } = await chat.find({ css });
  const window = await tab.run(() => ({ width: visualViewport?.width ?? 0, height: visualViewport?.height ?? 0 }));
  return { width, height, right: window.width - right, bottom: window.height - bottom };
}

/** @param name of the engine, for the names of the tests */
export function hostPageIn(name: string, testbed: Testbed): void {
  it(`1 in ${name} a hostile page changes neither the place nor the look of the launcher, nor the conversation`, async () => {
    const { tab, chat } = await testbed.visit({ head: recorder() + HOSTILE });
    await expect.poll(() => placeOf(tab, chat), POLL).toEqual({ width: 56, height: 56, right: 20, bottom: 20 });
    // The launcher's drawing: 24 pixels times 1.15.
    expect((await chat.find({ css: ".launcher b" })).width).toBeCloseTo(27.6, 1);
    await chat.converse();
    for (const css of [".launcher", ".reply .bubble p", "#title", "textarea"])
      expect(await tab.run(styleOf, css)).toMatchObject({
        direction: "ltr",
        letterSpacing: "normal",
        textTransform: "none",
        visibility: "visible",
        writingMode: "horizontal-tb",
        fontFamily: "system-ui",
        pointerEvents: "auto",
      });
    expect(await tab.run(() => document.querySelector("porch-light")?.shadowRoot?.mode)).toBe("open");
  });

  it.each([0, 5000])(`4 in ${name} a transformed body of %i px moves neither the launcher nor the chat`, async (px) => {
    const body = `<div style="height:${px}px"></div>${testbed.tag()}`;
    const { tab, chat } = await testbed.visit({
      head: `${recorder()}<style>body{transform:translateZ(0)}</style>`,
      body,
    });
    const inCorner = { width: 56, height: 56, right: 20, bottom: 20 };
    await expect.poll(() => placeOf(tab, chat), POLL).toEqual(inCorner);
    await tab.run(() => scrollTo(0, 1000));
    expect(await tab.run(() => scrollY)).toBe(px && 1000);
    expect(await placeOf(tab, chat)).toEqual(inCorner);
    await chat.converse();
    const { y } = await chat.find({ css: ".panel" });
    expect(await placeOf(tab, chat, ".panel")).toMatchObject({ width: 400, right: 20 });
    expect(y).toBeGreaterThan(0);
  });

  it(`7 in ${name} the page's shortcuts do not fire while the visitor types`, async () => {
    testbed.put("/keys.js", {
      html: `window.fired=[];for(const type of ["keydown","keypress","keyup"])document.addEventListener(type,(event)=>{if("s/? ".includes(event.key)){fired.push(event.key);event.preventDefault()}})`,
      headers: { "Content-Type": "text/javascript" },
    });
    const { tab, chat } = await testbed.visit({ head: `${recorder()}<script src="/keys.js"></script>` });
    const fired = () => tab.run(() => (window as unknown as { fired: string[] }).fired.join(""));
    await chat.open();
    await tab.type("s/? s");
    expect(await chat.draft()).toBe("s/? s");
    expect(await fired()).toBe("");
    await tab.click(5, 5);
    await tab.type("s");
    expect(await fired()).toContain("s");
  });

  it(`9 in ${name} a native modal of the page does not lock the chat: draft, focus and scroll stay`, async () => {
    testbed.harness.sandbox.configure({ botScript: "long" });
    const { tab, chat } = await testbed.visit({ body: `<dialog id="modal">Modal</dialog>${testbed.tag()}` });
    await chat.open();
    await chat.send("tell me everything");
    await chat.find({ css: ".reply .bubble" });
    const scrolled = () =>
      tab.run(() => {
        const thread = document.querySelector("porch-light")?.shadowRoot?.querySelector(".thread");
        return Math.round(thread?.scrollTop ?? -1);
      });
    await chat.write("dra");
    // Wait for the reply and for the state "delivered": until both are shown, the thread follows its end.
    await expect.poll(() => tab.run(scrollTo120).then(scrolled), POLL).toBe(120);
    await tab.run(() => (document.getElementById("modal") as HTMLDialogElement).showModal());
    await expect
      .poll(() => tab.run(() => document.querySelector("porch-light")?.parentElement?.id), POLL)
      .toBe("modal");
    await chat.click({ css: "textarea" });
    await tab.type("ft");
    expect([await chat.draft(), await scrolled()]).toEqual(["draft", 120]);
    await tab.run(() => (document.getElementById("modal") as HTMLDialogElement).close());
    await expect
      .poll(() => tab.run(() => document.querySelector("porch-light")?.parentElement?.localName), POLL)
      .toBe("body");
    // Two quick clicks on one place would be a double click, which selects the word.
    await chat.click({ css: ".thread" });
    await chat.click({ css: "textarea" });
    await tab.type("!");
    expect([await chat.draft(), await scrolled()]).toEqual(["draft!", 120]);
  });

  it(`14 in ${name} the chat returns unchanged when the page replaces its body`, async () => {
    const { tab, chat } = await testbed.visit();
    await chat.converse();
    await chat.write("half a thought");
    await tab.run(() => document.body.replaceWith(document.createElement("body")));
    await chat.shows("echo: Hello");
    expect(await chat.draft()).toBe("half a thought");
    await chat.send("still here");
    await chat.shows("echo: still here");
  });

  it(`22 and 23 in ${name} a whole conversation runs under the strictest policy, with Trusted Types`, async () => {
    const relay = testbed.harness.url;
    // The policy allows the page's own images, because the browser requests the page's icon.
    const policy = `default-src 'none'; script-src 'nonce-x'; style-src 'none'; img-src 'self' ${relay} blob:; connect-src ${relay} ${relay.replace("http", "ws")}; require-trusted-types-for 'script'; trusted-types 'none'`;
    testbed.harness.sandbox.configure({ botScript: "markdown" });
    const { tab, chat } = await testbed.visit({
      head: recorder('nonce="x"'),
      body: testbed.tag('data-site="default" nonce="x"'),
      headers: { "Content-Security-Policy": policy },
    });
    // Without enforcement by the engine, the rest of this test would prove nothing.
    const enforced = await tab.run(() => {
      try {
        document.createElement("div").innerHTML = "<b>markup</b>";
        return false;
      } catch {
        return true;
      }
    });
    expect(enforced).toBe(true);
    await tab.run(() => void (window as unknown as { pageErrors: string[] }).pageErrors.splice(0));
    // The browser reports the violation later.
    if (testbed.engine.reports) await expect.poll(() => testbed.engine.consoleErrors(), POLL).toHaveLength(1);
    testbed.engine.consoleErrors().splice(0);
    await chat.open();
    await chat.send("see https://shop.example/a and **bold**");
    await chat.find({ css: ".reply a" });
    await chat.click({ css: "button", text: "Insert an emoji" });
    await chat.find({ css: ".emoji" });
    await tab.press("Escape");
    await chat.gone({ css: ".emoji" });
    await chat.click({ css: "button", text: "Chat options" });
    await chat.find({ css: "[role=menuitem]" });
    await tab.press("Escape");
    await chat.click({ css: "button", text: "Close chat" });
    await chat.gone({ css: ".panel" });
  });

  it(`32 and 46 in ${name} the widget stores nothing and opens no connection before the chat is opened`, async () => {
    const { tab, chat } = await testbed.visit();
    await chat.find({ css: ".launcher" });
    const stored = await tab.run(
      async (relay) => ({
        cookie: document.cookie,
        local: localStorage.length,
        session: sessionStorage.length,
        databases: (await indexedDB.databases()).length,
        requested: performance.getEntriesByType("resource").filter(({ name }) => name.startsWith(relay)).length,
      }),
      testbed.harness.url,
    );
    expect(stored).toEqual({
      cookie: "",
      local: 0,
      session: 0,
      databases: 0,
      // The tag's script.
      requested: 1,
    });
  });

  it(`47 in ${name} the conversation works where the browser blocks storage`, async () => {
    await testbed.inEnvironment({ blocksStorage: true });
    const { tab, chat } = await testbed.visit();
    const denied = await tab.run(() => {
      try {
        localStorage.setItem("a", "b");
        return false;
      } catch {
        return true;
      }
    });
    expect(denied).toBe(true);
    await chat.converse();
    await chat.send("and once more");
    await chat.shows("echo: and once more");
  });
}

/** The functions below run in the page. */

function styleOf(css: string): Record<string, string> {
  const one = document.querySelector("porch-light")?.shadowRoot?.querySelector(css);
  if (!one) throw new Error(`no ${css}`);
  const { direction, letterSpacing, textTransform, visibility, writingMode, fontFamily, pointerEvents } =
    getComputedStyle(one);
  return { direction, letterSpacing, textTransform, visibility, writingMode, fontFamily, pointerEvents };
}

/** Resolves when the browser has drawn the new position. */
async function scrollTo120(): Promise<void> {
  const thread = document.querySelector("porch-light")?.shadowRoot?.querySelector(".thread");
  if (thread) thread.scrollTop = 120;
  for (let n = 0; n < 2; n++) await new Promise(requestAnimationFrame);
}
