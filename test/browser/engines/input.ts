/** Checks of keyboards, input methods and phones in one engine. */

import { expect, it } from "vitest";
import { PHONE } from "./engine.ts";
import { POLL } from "./panel.ts";
import { recorder, type Testbed } from "./testbed.ts";

/** @param name of the engine, for the names of the tests */
export function inputIn(name: string, testbed: Testbed): void {
  const sent = (): string[] => testbed.harness.sandbox.messages().map(({ body }) => body);

  it(`58 in ${name} the keyboard reaches everything, in visual order, and the focus returns`, async () => {
    const { tab, chat } = await testbed.visit({ body: `<button id="own">Page</button>${testbed.tag()}` });
    await chat.find({ css: ".launcher" });
    await tab.run(() => document.getElementById("own")?.focus());
    await tab.press("Tab");
    expect(await chat.focus()).toBe("Chat");
    await tab.press("Enter");
    await chat.find({ css: "textarea" });
    await expect.poll(chat.focus, POLL).toBe("message");
    await tab.type("by hand");
    await tab.press("Enter");
    await chat.shows("echo: by hand");
    await chat.write("more");
    const order = [];
    for (let n = 0; n < 3; n++) {
      await tab.press("Shift", "Tab");
      order.push(await chat.focus());
    }
    expect(order.slice(0, 1)).toEqual(["Attach a file"]);
    expect(order).toContain("thread");
    await tab.run(() => document.querySelector("porch-light")?.shadowRoot?.querySelector("textarea")?.focus());
    await tab.press("Tab");
    expect(await chat.focus()).toBe("Insert an emoji");
    await tab.press("Tab");
    expect(await chat.focus()).toBe("Send message");
    await expect.poll(() => tab.run(ringOf), POLL).toBe(true);
    await tab.press("Escape");
    await chat.gone({ css: ".panel" });
    expect(await chat.focus()).toMatch(/^Chat/);
    await tab.press("Space");
    await chat.find({ css: "textarea" });
    expect(await chat.draft()).toBe("more");
  });

  it(`59 in ${name} the focus does not move when a message arrives or the page opens the chat`, async () => {
    const { tab, chat } = await testbed.visit({ body: `<input id="own">${testbed.tag()}` });
    await chat.converse();
    await tab.run(() => document.getElementById("own")?.focus());
    await testbed.reply("a reply");
    await chat.shows("a reply");
    expect(await chat.focus()).toBe("own");
    for (const command of ["close", "open"])
      await tab.run((what) => (window as unknown as { Porchlight(what: string): void }).Porchlight(what), command);
    await chat.find({ css: "textarea" });
    expect(await chat.focus()).toBe("own");
  });

  it(`60 in ${name} Enter that ends a composition does not send; the next Enter does; Shift+Enter inserts a line break`, async () => {
    const { tab, chat } = await testbed.visit();
    await chat.open();
    const word = await tab.compose();
    await tab.commit();
    await expect.poll(chat.draft, POLL).toBe(word);
    await tab.press("Shift", "Enter");
    await tab.type("two");
    expect(await chat.draft()).toBe(`${word}\ntwo`);
    expect(await chat.bubbles()).toEqual([]);
    await tab.press("Enter");
    await chat.find({ css: ".reply .bubble" });
    expect(sent()).toEqual([`${word}\ntwo`]);
    expect(await chat.draft()).toBe("");
  });

  it(`61 in ${name} every control can be reached at 320 by 256`, async () => {
    const { tab, chat } = await testbed.visit({ size: { width: 320, height: 256 } });
    await chat.converse();
    const panel = await chat.find({ css: ".panel" });
    // MiniBrowser's windows are at least 333 pixels wide.
    const width = await tab.run(() => innerWidth);
    expect(width).toBeLessThan(340);
    await chat.write("more");
    for (const css of [".head", "textarea", ".send", ".thread"]) {
      const part = await chat.find({ css });
      expect(part.y).toBeGreaterThanOrEqual(panel.y - 0.5);
      expect(part.bottom).toBeLessThanOrEqual(panel.bottom + 0.5);
      expect(part.right).toBeLessThanOrEqual(width + 0.5);
      expect(part.height).toBeGreaterThan(20);
    }
    expect(await tab.run(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });

  it(`66 in ${name} the launcher moves away from a focused control, can be pressed there, and moves back`, async () => {
    const under = `<button id="under" style="position:fixed;right:30px;bottom:30px;width:30px;height:30px">1</button>`;
    const { tab, chat } = await testbed.visit({ body: `<button id="own">Page</button>${under}${testbed.tag()}` });
    const launcher = async () => (await chat.find({ css: ".launcher" })).y;
    const home = await launcher();
    const places = async () => [await chat.focus(), await launcher()];
    await tab.run(() => document.getElementById("own")?.focus());
    await tab.press("Tab");
    await expect.poll(places, POLL).toEqual(["under", home - 56]);
    await tab.press("Shift", "Tab");
    await expect.poll(places, POLL).toEqual(["own", home]);
    await tab.press("Tab");
    await tab.press("Tab");
    expect(await chat.focus()).toBe("Chat");
    await expect.poll(launcher, POLL).toBe(home);
    await tab.press("Shift", "Tab");
    await expect.poll(places, POLL).toEqual(["under", home - 56]);
    await chat.click({ css: ".launcher" });
    await chat.find({ css: "textarea" });
    await expect.poll(async () => (await launcher()) > home - 5, POLL).toBe(true);
  });

  it(`68 and 69 in ${name} on a phone the keyboard covers neither header nor composer, and opening shows no keyboard`, async () => {
    const viewport = `const view=Object.assign(new EventTarget(),{height:innerHeight,width:innerWidth,offsetTop:0,offsetLeft:0,pageTop:0,scale:1,addEventListener(...given){window.viewportWatched=true;EventTarget.prototype.addEventListener.apply(view,given)}});Object.defineProperty(window,"visualViewport",{get:()=>view})`;
    testbed.put("/viewport.js", { html: viewport, headers: { "Content-Type": "text/javascript" } });
    await testbed.inEnvironment({ touch: true });
    const { tab, chat } = await testbed.visit({
      size: PHONE,
      head: `${recorder()}<script src="/viewport.js"></script>`,
    });
    await chat.open();
    // The title gets the focus only with touch input. WebKitGTK reports a mouse.
    const touch = await tab.run(() => matchMedia("(pointer:coarse)").matches);
    await expect.poll(chat.focus, POLL).toBe(touch ? "title" : "message");
    expect(await tab.run(fontSizeOfField)).toBeGreaterThanOrEqual(16);
    await chat.send("by phone");
    await chat.shows("echo: by phone");
    expect(await chat.focus()).toBe("message");
    // The code that watches the viewport may load after the panel.
    await expect.poll(() => tab.run(() => "viewportWatched" in window), POLL).toBe(true);
    const whole = await chat.find({ css: ".panel" });
    expect(whole).toMatchObject({ x: 0, y: 0, width: PHONE.width, height: PHONE.height });
    for (const offsetTop of [0, 120]) {
      await tab.run(keyboard, 336, offsetTop);
      const [head, thread, composer] = [
        await chat.find({ css: ".head" }),
        await chat.find({ css: ".thread" }),
        await chat.find({ css: ".composer" }),
      ];
      expect(head.y).toBeGreaterThanOrEqual(offsetTop - 0.5);
      expect(composer.bottom).toBeLessThanOrEqual(PHONE.height - 336 + offsetTop + 0.5);
      expect(thread.y).toBeGreaterThanOrEqual(head.bottom - 0.5);
      expect(thread.bottom).toBeLessThanOrEqual(composer.y + 0.5);
    }
    await tab.run(keyboard, 0, 0);
    expect(await chat.find({ css: ".panel" })).toEqual(whole);
  });

  it(`68 in ${name} a browser without a visual viewport shows the whole panel`, async () => {
    const viewport = `Object.defineProperty(window,"visualViewport",{get:()=>undefined})`;
    testbed.put("/viewport.js", { html: viewport, headers: { "Content-Type": "text/javascript" } });
    const { chat } = await testbed.visit({ size: PHONE, head: `${recorder()}<script src="/viewport.js"></script>` });
    await chat.converse();
    expect(await chat.find({ css: ".panel" })).toMatchObject({ x: 0, y: 0, width: PHONE.width, height: PHONE.height });
    expect((await chat.find({ css: ".composer" })).bottom).toBeLessThanOrEqual(PHONE.height);
  });

  it(`70 and 71 in ${name} on a phone the page behind does not move, and Escape closes the panel without a history entry`, async () => {
    testbed.harness.sandbox.configure({ botScript: "long" });
    const { tab, chat } = await testbed.visit({
      size: PHONE,
      body: `<div style="height:3000px">Tall</div>${testbed.tag()}`,
    });
    await tab.run(() => scrollTo(0, 700));
    const before = await tab.run(() => history.length);
    await chat.open();
    expect(
      await tab.run(() => document.querySelector("porch-light")?.shadowRoot?.querySelector("dialog:modal") !== null),
    ).toBe(true);
    const turn = async (css: string, by: number): Promise<void> => {
      const { x, y, width, height } = await chat.find({ css });
      for (let n = 0; n < 3; n++) await tab.wheel(Math.round(x + width / 2), Math.round(y + height / 2), by);
    };
    // A thread too short to scroll, then the ends of a long one.
    await turn(".thread", 500);
    await turn(".thread", -500);
    await chat.send("long");
    await chat.find({ css: ".reply .bubble" });
    await turn(".thread", 20_000);
    await turn(".thread", -20_000);
    await turn(".head", 500);
    expect(await tab.run(() => scrollY)).toBe(700);
    await tab.press("Escape");
    await chat.gone({ css: ".panel" });
    expect(await tab.run(() => [scrollY, history.length])).toEqual([700, before]);
  });
}

/** The functions below run in the page. */

/** Whether the focused element shows a focus ring. */
function ringOf(): boolean {
  const active = document.querySelector("porch-light")?.shadowRoot?.activeElement;
  if (!active) return false;
  const { outlineStyle, outlineWidth } = getComputedStyle(active);
  return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2;
}

function fontSizeOfField(): number {
  const field = document.querySelector("porch-light")?.shadowRoot?.querySelector("textarea");
  return field ? Number.parseFloat(getComputedStyle(field).fontSize) : 0;
}

/** Simulates the visual viewport of a phone whose keyboard appears or disappears. */
function keyboard(covered: number, offsetTop: number): void {
  const view = window.visualViewport as unknown as EventTarget;
  Object.assign(view, { height: innerHeight - covered, offsetTop });
  view.dispatchEvent(new Event("resize"));
}
