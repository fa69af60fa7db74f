/** WIDGET 9, check 66: the widget never covers the element that has the keyboard focus. */

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { callApi, pageOf, rectOf, setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed();

/** The focused element, also in the page's shadow roots, and whether a part of the closed widget covers it completely. */
const look = (page: Page): Promise<{ id: string; covered: boolean; seen: boolean }> =>
  page.evaluate(() => {
    let active = document.activeElement as Element;
    while (active.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    const { x, y, right, bottom } = active.getBoundingClientRect();
    const own = document.querySelector("porch-light");
    const covered = [...(own?.shadowRoot?.querySelectorAll(".at") ?? [])]
      .filter((part) => part.checkVisibility({ visibilityProperty: true }))
      .some((part) => {
        const over = part.getBoundingClientRect();
        return over.x <= x && over.y <= y && over.right >= right && over.bottom >= bottom;
      });
    const seen = document.elementFromPoint((x + right) / 2, (y + bottom) / 2) !== own;
    return { id: active.id || active.className, covered, seen };
  });

/** Links of three sizes at the four corners of the launcher's place, and a distant link before and after them. */
function corner(side: string, [offsetX, offsetY]: readonly [number, number]): string {
  const places = [20, 36, 56].flatMap((size) =>
    [
      [0, 0],
      [56 - size, 0],
      [0, 56 - size],
      [56 - size, 56 - size],
    ].map(([x = 0, y = 0]) => ({ size, x: offsetX + x, y: offsetY + y })),
  );
  const links = places.map(
    ({ size, x, y }, n) =>
      `<a id="near${n}" href="#${n}" style="position:fixed;${side}:${x}px;bottom:${y}px;width:${size}px;height:${size}px">${n}</a>`,
  );
  return `<a id="first" href="#first">First</a>${links.join("")}<a id="last" href="#last">Last</a>`;
}

it("66 neither launcher nor teaser ever covers the focused control of the page", async () => {
  // Wider than the launcher, like most links: the teaser could hide them.
  const links = Array.from(
    { length: 60 },
    (_, n) => `<p style="margin-right:30px;text-align:right"><a href="#${n}">Link number ${n}</a></p>`,
  ).join("");
  for (const attributes of ['data-site="default"', 'data-site="default" data-teaser="Questions? We are here."']) {
    const { page, chat } = await testbed.visit({
      html: pageOf(links + testbed.tag(attributes)),
      before: (page) => page.clock.install(),
    });
    await chat.launcher.first().waitFor();
    await page.clock.runFor(10_000);
    if (attributes.includes("teaser")) await page.locator(".teaser").waitFor();
    /** The text of the focused link if a part of the widget covers it. */
    const covered = async (): Promise<string> => {
      await page.clock.runFor(50);
      return page.evaluate(() => {
        const active = document.activeElement as HTMLElement;
        if (active.localName !== "a") return "";
        const { x, y, right, bottom } = active.getBoundingClientRect();
        const parts = [...(document.querySelector("porch-light")?.shadowRoot?.querySelectorAll(".at") ?? [])].filter(
          (part) => part.checkVisibility({ visibilityProperty: true }),
        );
        const under = parts.some((part) => {
          const over = part.getBoundingClientRect();
          return over.x <= x && over.y <= y && over.right >= right && over.bottom >= bottom;
        });
        return under ? (active.textContent ?? "") : "";
      });
    };
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press("Tab");
      // The code that moves the launcher is fetched at the first press.
      await expect.poll(covered).toBe("");
    }
    if (!attributes.includes("teaser")) continue;
    // The teaser stays when the focus is on a distant link.
    await page.locator("a").first().focus();
    await page.clock.runFor(50);
    expect(await page.locator(".teaser").isVisible()).toBe(true);
  }
});

for (const [side, dir, offsets] of [
  ["right", "ltr", [20, 20]],
  ["left", "ltr", [0, 0]],
  ["right", "rtl", [8, 64]],
  ["left", "rtl", [120, 300]],
] as const)
  it(`66 the launcher does not cover small focused controls: ${side}, ${dir}, ${offsets.join(" and ")} pixels from the corner`, async () => {
    const attributes = `data-position="${side}" data-offset-x="${offsets[0]}" data-offset-y="${offsets[1]}"`;
    const { page, chat } = await testbed.visit({
      html: pageOf(corner(side, offsets) + testbed.tag(`data-site="default" ${attributes}`)).replace(
        "<html",
        `<html dir="${dir}"`,
      ),
      // Blocks the panel's code: its style would move the launcher back.
      before: (page) => page.route(/assets\/panel/, (route) => route.abort()),
    });
    await chat.launcher.waitFor();
    const home = await rectOf(page, "porch-light .launcher");
    const ids: string[] = [];
    for (let n = 0; n < 14; n++) {
      await page.keyboard.press("Tab");
      await expect.poll(() => look(page)).toMatchObject({ covered: false, seen: true });
      const found = await look(page);
      ids.push(found.id);
      // When the focus is elsewhere, the launcher is at its own place.
      if (!found.id.startsWith("near")) expect(await rectOf(page, "porch-light .launcher")).toEqual(home);
    }
    expect([ids.length, ids[0], ids.at(-1)]).toEqual([14, "first", "last"]);
    await page.keyboard.press("Tab");
    expect((await look(page)).id).toBe("at launcher");
    expect(await rectOf(page, "porch-light .launcher")).toEqual(home);
  });

it("66 the widget does not cover a focused control inside a component of the page", async () => {
  const links = ["left:0;bottom:0", "right:20px;bottom:20px", "right:40px;bottom:40px"].map(
    (place, n) => `<a id="inner${n}" href="#${n}" style="position:fixed;${place};width:24px;height:24px">${n}</a>`,
  );
  const { page, chat } = await testbed.visit({
    html: pageOf(`<my-app><template shadowrootmode="open">${links.join("")}</template></my-app>${testbed.tag()}`),
  });
  await chat.launcher.waitFor();
  const found = [];
  for (let n = 0; n < 3; n++) {
    await page.keyboard.press("Tab");
    await expect.poll(() => look(page)).toMatchObject({ covered: false });
    found.push(await look(page));
  }
  expect(found).toEqual(["inner0", "inner1", "inner2"].map((id) => ({ id, covered: false, seen: true })));
});

it("66 the widget does not cover a focused control that smooth scrolling brings to the launcher's place", async () => {
  const { page, chat } = await testbed.visit({
    html: pageOf(
      `<style>html{scroll-behavior:smooth}body{margin:0;height:5000px}a{position:absolute;right:30px;width:30px;height:30px}</style>
      <a id="top" href="#top" style="top:0">1</a><a id="far" href="#far" style="top:3000px">2</a>${testbed.tag()}`,
    ),
  });
  await chat.launcher.waitFor();
  // The visitor uses the keyboard.
  await page.keyboard.press("Tab");
  await page.locator("#far").evaluate((link) => link.focus({ preventScroll: true }));
  expect(await look(page)).toEqual({ id: "far", covered: false, seen: true });
  // The page itself scrolls the link into the corner: 30 px above the window's lower edge.
  await page.evaluate(() => scrollTo({ top: 3060 - innerHeight }));
  await page.waitForFunction(() => scrollY === 3060 - innerHeight);
  await expect.poll(() => look(page)).toEqual({ id: "far", covered: false, seen: true });
});

it("66 the launcher that moved away can be pressed there, is the next tab stop, and moves back", async () => {
  const link = `<a id="under" href="#under" style="position:fixed;right:30px;bottom:30px;width:30px;height:30px">1</a>`;
  const { page, chat } = await testbed.visit({ html: pageOf(`<button id="own">Page</button>${link}${testbed.tag()}`) });
  await chat.launcher.waitFor();
  const launcher = () => rectOf(page, "porch-light .launcher");
  const home = await launcher();
  const away = { ...home, y: home.y - home.height, bottom: home.y };

  // The focus moves to a distant control, or to nothing.
  await page.locator("#own").focus();
  await page.keyboard.press("Tab");
  await expect.poll(launcher).toEqual(away);
  await page.keyboard.press("Shift+Tab");
  expect(await launcher()).toEqual(home);
  await page.keyboard.press("Tab");
  expect(await launcher()).toEqual(away);
  await page.mouse.click(200, 200);
  expect(await launcher()).toEqual(home);

  // The launcher is still in the page's tab order; once it has the focus, the panel's code moves it back.
  await page.locator("#under").focus();
  await page.keyboard.press("Tab");
  expect(await page.evaluate(() => document.activeElement?.localName)).toBe("porch-light");
  await expect.poll(launcher).toEqual(home);

  await page.locator("#under").focus();
  expect(await launcher()).toEqual(away);
  await page.mouse.click(away.x + 28, away.y + 28);
  await chat.composer.waitFor();
  // The launcher grows under the pointer, so the pointer leaves it before it is measured.
  await page.mouse.move(0, 0);
  await expect.poll(launcher).toEqual(home);

  // Beside a panel that the page opened, the launcher is at its own place.
  await callApi(page, "close");
  await page.locator("#under").focus();
  await expect.poll(launcher).toEqual(away);
  await callApi(page, "open");
  await chat.composer.waitFor();
  expect(await launcher()).toEqual(home);
});

it("66 the teaser does not cover the launcher that moved away", async () => {
  const link = `<a id="under" href="#under" style="position:fixed;right:30px;bottom:30px;width:30px;height:30px">1</a>`;
  const { page, chat } = await testbed.visit({
    html: pageOf(`${link}<button id="own">Page</button>${testbed.tag('data-site="default" data-teaser="Questions?"')}`),
    before: (page) => page.clock.install(),
  });
  await chat.launcher.first().waitFor();
  await page.clock.runFor(10_000);
  await page.locator(".teaser").waitFor();
  await page.keyboard.press("Tab");
  await expect.poll(() => look(page)).toEqual({ id: "under", covered: false, seen: true });
  expect(await page.locator(".teaser").isVisible()).toBe(false);
  await page.keyboard.press("Tab");
  expect(await page.locator(".teaser").isVisible()).toBe(true);
});
