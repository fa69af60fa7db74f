/**
 * WIDGET 9, checks 52 and 53, in every state of the chat: axe finds nothing, and the accessibility tree is the
 * one that was reviewed. `states.full.test.ts` runs axe in the other themes and text directions.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { animationsEnded, axeTests, hostPage } from "./axe.ts";
import { FORM_STATES, STATES } from "./states.ts";
import { setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed();
axeTests(testbed, { desktop: [["dark", "rtl"]], phone: [["light", "ltr"]], forms: [["light", "ltr"]] });

/** The accessibility tree without what changes every second: times, the state of the newest message, and live regions. */
async function treeOf(page: Page, parts: string[]): Promise<string> {
  const trees = await Promise.all(parts.map((part) => page.locator(`porch-light ${part}`).ariaSnapshot()));
  const tree = trees.join("\n").replace(/\d{1,2}:\d\d\s?[AP]M/g, "TIME");
  return `${tree.replace(/· (Sent|Delivered)/g, "· STATE")}\n`;
}

/** Compares the tree with the reviewed one, once its last parts have loaded. Delete a reviewed file to write it again. */
async function expectReviewed(page: Page, name: string, parts: string[]): Promise<void> {
  await animationsEnded(page);
  const file = join(import.meta.dirname, "golden", `${name}.aria.yml`);
  if (existsSync(file)) await expect.poll(() => treeOf(page, parts)).toBe(readFileSync(file, "utf8"));
  await expect(await treeOf(page, parts)).toMatchFileSnapshot(file);
}

it("53 the accessibility tree of every state equals the reviewed one", async () => {
  const { page } = await testbed.visit({ html: hostPage(testbed, 'data-suggestions="One|Two"') });
  for (const { name, enter } of STATES) {
    await enter(page, testbed);
    const parts = name === "closed" || name === "unread" ? [".launcher"] : [".launcher", ".panel"];
    await expectReviewed(page, name, parts);
  }
});

it("53 the trees of the chat's forms and of a phone equal the reviewed ones", async () => {
  for (const { name, attributes, enter } of FORM_STATES) {
    const { page, context } = await testbed.visit({ html: hostPage(testbed, attributes) });
    await enter(page, testbed);
    await expectReviewed(page, name, [".launcher", ".panel"]);
    await context.close();
  }
  const { page } = await testbed.visit({
    html: hostPage(testbed, ""),
    options: { viewport: { width: 390, height: 844 } },
  });
  await page.locator("porch-light .launcher").click();
  await page.locator("porch-light textarea").waitFor();
  await expectReviewed(page, "phone", [".panel"]);
});

it("53 a lost label, a changed name and a changed role are detected", async () => {
  const { page, chat } = await testbed.visit({ html: hostPage(testbed, "") });
  await chat.open();
  const before = await treeOf(page, [".panel"]);
  for (const [selector, attribute, value] of [
    ["[aria-haspopup=menu]", "aria-label", ""],
    ["[aria-label='Close chat']", "aria-label", "Close"],
    [".thread", "role", "region"],
    ["textarea", "id", "elsewhere"],
  ] as const) {
    const part = page.locator(`porch-light ${selector}`).first();
    const handle = await part.elementHandle();
    const given = await part.getAttribute(attribute);
    await handle?.evaluate((element, [name, text]) => element.setAttribute(name, text), [attribute, value] as const);
    expect(await treeOf(page, [".panel"]), `${selector} ${attribute}`).not.toBe(before);
    await handle?.evaluate((element, [name, text]) => element.setAttribute(name, text), [
      attribute,
      given ?? "",
    ] as const);
    expect(await treeOf(page, [".panel"])).toBe(before);
  }
});
