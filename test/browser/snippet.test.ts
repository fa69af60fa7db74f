/** The page that makes the tag: changes show at once, and the tag to copy contains them. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { DAYS } from "@porchlight/shared/hours";
import { SETTINGS } from "@porchlight/shared/settings";
import type { BrowserContextOptions, Page } from "playwright-core";
import { expect, it } from "vitest";
import { pageOf, rectOf, setUpTestbed } from "./checks/testbed.ts";

const testbed = setUpTestbed({ site: { title: "Shop", accent: "#a8452b", radius: 20 } });

async function visitSnippet(options: BrowserContextOptions = {}): Promise<{ page: Page; logged: string[] }> {
  const logged: string[] = [];
  const { page, context } = await testbed.visit({
    options,
    before: async (page) => page.on("console", (message) => logged.push(message.text())),
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${testbed.harness.url}/c/default/snippet`);
  await page.locator(".launcher").waitFor();
  // The page fetches the code of its controls, which may arrive after the chat's.
  await page.locator("#settings fieldset").first().waitFor();
  return { page, logged };
}
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tagOn = (page: Page) => page.locator("#tag code");

it("shows the site's tag, and logs nothing to the console", async () => {
  const { page, logged } = await visitSnippet();
  await expect
    .poll(() => tagOn(page).textContent())
    .toBe(`<script async src="${testbed.harness.url}/widget.js" data-site="default"></script>`);
  expect(logged).toEqual([]);
});

it("on a desktop, the two columns of settings end at about the same height", async () => {
  const { page } = await visitSnippet({ viewport: { width: 1_280, height: 800 } });
  const ends = await page.locator("#settings fieldset").evaluateAll((groups) => {
    const bottoms = new Map<number, number>();
    for (const group of groups) {
      const { x, bottom } = group.getBoundingClientRect();
      bottoms.set(x, Math.max(bottom, bottoms.get(x) ?? 0));
    }
    return [...bottoms.values()];
  });
  expect(ends.length).toBe(2);
  expect(Math.max(...ends) - Math.min(...ends)).toBeLessThan(200);
});

it("offers a tag with integrity, whose script the browser verifies and runs", async () => {
  const { page, logged } = await visitSnippet();
  const tag = page.getByLabel("With integrity (fixed bytes)", { exact: true });
  await page.getByLabel("Distance from the side").fill("32");
  const copied = (await tag.locator("code").textContent()) ?? "";
  expect(copied).toMatch(
    /src="[^"]+\/v\/[\w-]{22}\/widget\.js" integrity="sha384-[^"]+" crossorigin="anonymous" data-site="default"/,
  );
  expect(logged).toEqual([]);
  const pasted = await testbed.visit({ path: "/fixed", html: pageOf(copied) });
  await pasted.chat.open();
  expect(await pasted.page.locator(".launcher").evaluate((node) => getComputedStyle(node).right)).toBe("32px");
});

it("writes changed settings into the tag, and applies them to the preview", async () => {
  const { page } = await visitSnippet();
  await page.getByLabel("Position").selectOption("left");
  await page.getByLabel("Distance from the side").fill("32");
  await page.getByLabel("Launcher", { exact: true }).selectOption("text");
  await page.getByLabel("Name of the launcher").fill('Ask "us"');
  expect(await rectOf(page, ".launcher")).toMatchObject({ x: 32 });
  await page.getByRole("button", { name: 'Ask "us"' }).waitFor();
  await page.getByLabel("Distance from the side").fill("");
  expect(await rectOf(page, ".launcher")).toMatchObject({ x: 20 });
  await page.getByRole("button", { name: "Copy: The tag" }).click();
  const copied = (await tagOn(page).textContent()) ?? "";
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(copied);
  expect(copied).not.toContain("offset");

  const pasted = await testbed.visit({ path: "/pasted", html: pageOf(copied) });
  await pasted.page.getByRole("button", { name: 'Ask "us"' }).waitFor();
  expect(await rectOf(pasted.page, ".launcher")).toMatchObject({ x: 20 });
});

it("an element of the page can be the launcher, and an emptied field leaves the site's own value", async () => {
  const { page, logged } = await visitSnippet();
  const selector = page.getByLabel("Launcher: selector");
  expect(await selector.isVisible()).toBe(false);
  await page.getByLabel("Launcher", { exact: true }).selectOption("Element of the page");
  await selector.fill("help");
  await page.getByText("Launcher must be one of").waitFor();
  await selector.fill("#help");
  await expect.poll(() => tagOn(page).textContent()).toContain('data-launcher="#help"');
  await page.locator(".launcher").waitFor({ state: "hidden" });
  await page.getByLabel("Launcher", { exact: true }).selectOption("icon");
  expect(await selector.isVisible()).toBe(false);
  await page.locator(".launcher").waitFor();
  await page.getByLabel("Rounded corners").fill("8");
  expect(await tagOn(page).textContent()).toContain('data-radius="8"');
  await page.getByLabel("Rounded corners").fill("");
  expect(await tagOn(page).textContent()).not.toContain("radius");
  expect(logged).toEqual([]);
});

it("shows the teaser while it is typed, even after the owner has opened the chat", async () => {
  const { page, logged } = await visitSnippet();
  const line = page.locator(".teaser button").first();
  await page.getByLabel("Teaser", { exact: true }).fill("Questions? We are here.");
  expect(await line.textContent()).toBe("Questions? We are here.");
  await page.getByLabel("Teaser", { exact: true }).fill("Ask us");
  await expect.poll(() => line.textContent()).toBe("Ask us");
  expect(await page.locator(".teaser").count()).toBe(1);
  await line.click();
  await page.getByRole("dialog").getByRole("button", { name: "Close chat" }).click();
  await line.waitFor({ state: "detached" });
  await page.getByLabel("Teaser", { exact: true }).fill("Ask us anything");
  await line.waitFor();
  await page.getByLabel("Teaser", { exact: true }).fill("");
  await line.waitFor({ state: "detached" });
  expect(logged).toEqual([]);
});

it("asks for consent in the preview as soon as the owner chooses it, and keeps earlier choices", async () => {
  const { page, logged } = await visitSnippet();
  const panel = page.getByRole("dialog");
  await page.getByLabel("Title").fill("Lamps");
  await page.locator(".launcher").click();
  await panel.getByRole("textbox", { name: "Message" }).waitFor();
  // Chromium complains about a WebSocket that is closed before it has opened.
  const stored = () => page.evaluate(() => String(localStorage["porchlight:default"]));
  await expect.poll(stored).toContain('"token"');
  await page.getByLabel("Ask for consent first").check();
  await panel.locator(".consent").waitFor();
  await panel.getByRole("heading", { name: "Lamps" }).waitFor();
  expect(await page.locator("porch-light").count()).toBe(1);
  await page.getByLabel("Position").selectOption("left");
  expect(await rectOf(page, ".launcher")).toMatchObject({ x: 20 });
  await page.getByLabel("Ask for consent first").uncheck();
  await panel.locator(".consent").waitFor({ state: "detached" });
  await panel.getByRole("textbox", { name: "Message" }).waitFor();
  expect(logged).toEqual([]);
});

it("the page has a control for every setting", async () => {
  const { page } = await visitSnippet();
  const named = page.locator("#settings :is([id^=set-][name],[data-setting])");
  const names = await named.evaluateAll((fields) =>
    fields.map((field) => field.getAttribute("name") ?? field.getAttribute("data-setting")),
  );
  expect(names.sort()).toEqual(Object.keys(SETTINGS).sort());
});

it("closes the preview outside the chosen hours, with a line for each day", async () => {
  const { page, logged } = await visitSnippet({ timezoneId: "Europe/Oslo" });
  const panel = page.getByRole("dialog");
  await page.locator(".launcher").click();
  await panel.getByRole("textbox", { name: "Message" }).waitFor();
  expect(await page.getByLabel("Monday").getAttribute("placeholder")).toBe("Always open");
  expect(await page.getByLabel("Time zone").inputValue()).toBe("Europe/Oslo");
  await page.getByLabel("Time zone").selectOption("UTC");
  expect(await tagOn(page).textContent()).not.toContain("hours");
  // Half a week away, so the chat is closed now, whenever this test runs.
  const day = DAYS[(new Date().getUTCDay() + 2) % 7] ?? "mon";
  const line = page.locator(`#set-hours-${day}`);
  await line.fill("9-17");
  expect(await line.getAttribute("aria-invalid")).toBe("true");
  await page.getByText(`Hours ${day} must be times like`).waitFor();
  await line.fill("9:00-17:00");
  await panel.getByText("We're away right now").waitFor();
  expect(await tagOn(page).textContent()).toContain(
    `data-hours="{&quot;timeZone&quot;:&quot;UTC&quot;,&quot;${day}&quot;:&quot;9:00-17:00&quot;}"`,
  );
  await line.fill("");
  await panel.getByText("We're away right now").waitFor({ state: "detached" });
  expect(await tagOn(page).textContent()).not.toContain("hours");
  expect(logged).toEqual([]);
});

it("shows forms with the ticked fields, including the owner's own fields", async () => {
  const { page, logged } = await visitSnippet();
  const panel = page.getByRole("dialog");
  const before = page.locator("#set-prechat");
  await page.locator(".launcher").click();
  await before.getByLabel("Email", { exact: true }).check();
  await before.getByLabel("optional: Email").check();
  await panel.getByRole("textbox", { name: /mail/ }).waitFor();
  expect(await tagOn(page).textContent()).toContain('data-prechat="email?"');
  await page.getByRole("button", { name: "Add a field" }).click();
  await page.keyboard.type("Order number");
  await before.getByLabel("Order number", { exact: true }).check();
  await panel.getByRole("textbox", { name: "Order number" }).waitFor();
  expect(await tagOn(page).textContent()).toContain('data-prechat="email?|orderNumber"');
  await page.getByLabel("Type", { exact: true }).selectOption({ label: "List of choices" });
  await page.getByLabel("Choices").fill("Returns\nDelivery");
  await panel.getByRole("combobox", { name: "Order number" }).selectOption("Delivery");
  await page.getByRole("button", { name: "Remove this field" }).click();
  await before.getByLabel("Email", { exact: true }).uncheck();
  await panel.getByRole("textbox", { name: "Message" }).waitFor();
  expect(await tagOn(page).textContent()).not.toMatch(/prechat|custom/);
  expect(logged).toEqual([]);
});

it("replaces texts of the chat with the owner's, and restores them", async () => {
  const { page, logged } = await visitSnippet();
  await page.locator(".launcher").click();
  const composer = page.getByRole("dialog").getByRole("textbox", { name: "Message" });
  await composer.waitFor();
  await page.getByLabel("Another word", { exact: true }).selectOption({ label: "Write a message…" });
  await page.getByRole("button", { name: "Add: Another word" }).click();
  await page.keyboard.type("Ask us");
  await expect.poll(() => composer.getAttribute("placeholder")).toBe("Ask us");
  expect(await tagOn(page).textContent()).toContain('data-strings="{&quot;placeholder&quot;:&quot;Ask us&quot;}"');
  await page.getByRole("button", { name: "Remove: Write a message…" }).click();
  await expect.poll(() => composer.getAttribute("placeholder")).toBe("Write a message…");
  expect(await tagOn(page).textContent()).not.toContain("strings");
  expect(logged).toEqual([]);
});

it("accepts different settings for phones, and shows them in a phone preview", async () => {
  const { page, logged } = await visitSnippet({ viewport: { width: 390, height: 800 } });
  await page.getByLabel("Another setting", { exact: true }).selectOption({ label: "Distance from the bottom" });
  await page.getByRole("button", { name: "Add: Another setting" }).click();
  await page.keyboard.type("90");
  await expect.poll(async () => 800 - (await rectOf(page, ".launcher")).bottom).toBe(90);
  expect(await tagOn(page).textContent()).toContain('data-phone="{&quot;offsetY&quot;:90}"');
  await page.getByRole("button", { name: "Remove: Distance from the bottom" }).click();
  await expect.poll(async () => 800 - (await rectOf(page, ".launcher")).bottom).toBe(20);
  expect(logged).toEqual([]);
});

it.each(["light", "dark"] as const)("the page is accessible, %s", async (colorScheme) => {
  // Only for axe, which is a script that the page's policy does not allow.
  const { page } = await visitSnippet({ colorScheme, bypassCSP: true, viewport: { width: 320, height: 640 } });
  await page.getByLabel("Distance from the side").fill("5000");
  await page.getByLabel("Monday").fill("9");
  for (const more of ["word", "setting", "field"])
    await page.getByRole("button", { name: `Add: Another ${more}` }).click();
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    type Result = { id: string; nodes: { html: string }[] };
    const { axe } = window as unknown as { axe: { run(): Promise<Record<"violations" | "incomplete", Result[]>> } };
    const { violations, incomplete } = await axe.run();
    // What axe leaves to a person counts too, except contrasts that it cannot see, and buttons whose only text is a cross.
    const unsure = incomplete.filter(({ id }) => id !== "color-contrast" && id !== "label-content-name-mismatch");
    return [...violations, ...unsure].map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
  });
  expect(found).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
});

it("names an invalid value, and omits it from the tag", async () => {
  const { page } = await visitSnippet();
  const before = await tagOn(page).textContent();
  await page.getByLabel("Distance from the side").fill("5000");
  await page.getByText("Distance from the side must be a whole number from 0 to 999.").waitFor();
  expect(await tagOn(page).textContent()).toBe(before);
});
