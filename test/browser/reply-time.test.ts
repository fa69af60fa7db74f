/** The chat's statements about the reply time (WIDGET 8.2, 8.4): never more than is true. */

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { announced, record } from "./checks/recorder.ts";
import { converse, pageOf, rectOf, setUpTestbed } from "./checks/testbed.ts";

const testbed = setUpTestbed();
const html = (attributes: string) => pageOf(testbed.tag(`data-site="default" ${attributes}`));
const statusLine = (page: Page) => page.locator("#about");
const HOURS = `data-hours='{"timeZone":"Europe/Oslo","mon":"9:00-17:00"}'`;
const at = (time: string) => ({
  before: (page: Page) => page.clock.install({ time }),
  options: { timezoneId: "Europe/Oslo", locale: "en-GB" },
});

it("states the usual reply time of people under the title and below waiting messages, and shows no dots", async () => {
  const { page, chat } = await testbed.visit({ html: html('data-responder="human" data-reply-minutes="120"') });
  await chat.open();
  await expect.poll(() => statusLine(page).textContent()).toBe("Our team\u00a0· usually replies in about 2 hours");
  testbed.harness.sandbox.configure({ botScript: "silent" });
  const said = await record(page);
  await chat.send("Is it in stock?");
  const waits = chat.thread.getByText("Usually replies in about 2 hours");
  await waits.waitFor();
  await announced(said, /^usually replies in about 2 hours$/);
  expect(await page.locator(".dots").count()).toBe(0);
  await testbed.reply("It is.");
  await chat.thread.getByText("It is.").waitFor();
  await waits.waitFor({ state: "detached" });
});

it.each([
  ["20", "AI assistant\u00a0· usually replies in about 20 minutes"],
  ["2880", "AI assistant\u00a0· usually replies in about 2 days"],
])("states the time in suitable units: %s minutes", async (minutes, words) => {
  const { page, chat } = await testbed.visit({ html: html(`data-reply-minutes="${minutes}"`) });
  await chat.open();
  await expect.poll(() => statusLine(page).textContent()).toBe(words);
});

it.each([
  ["2026-01-05T06:30:00Z", "We'll be back today at 09:00"],
  ["2026-01-04T17:30:00Z", "We'll be back tomorrow at 09:00"],
  ["2026-01-03T17:30:00Z", "We'll be back Monday at 09:00"],
  // Monday evening: the next opening is in a week, not today.
  ["2026-01-05T17:30:00Z", "We'll be back Monday 12 January at 09:00"],
])("promises no quick answer while the site is closed, but states when it opens: %s", async (time, title) => {
  const { page, chat } = await testbed.visit({ html: html(HOURS), ...at(time) });
  await chat.launcher.first().click();
  await chat.panel.getByRole("heading", { name: title, exact: true }).waitFor();
  await expect.poll(() => statusLine(page).textContent()).toBe("AI assistant\u00a0· We're away right now");
});

it("has no dot at the end or the beginning of a line under the title, and one within a single line", async () => {
  const dotAndLines = async (width: number) => {
    const options = { ...at("2026-01-03T17:30:00Z").options, viewport: { width, height: 700 } };
    const { page, chat } = await testbed.visit({ html: html(HOURS), ...at("2026-01-03T17:30:00Z"), options });
    await chat.launcher.first().click();
    await expect.poll(() => statusLine(page).textContent()).toBe("AI assistant\u00a0· We're away right now");
    const [line, dot] = [await rectOf(page, "#about"), await rectOf(page, "#about .dot")];
    const [author, more] = await page
      .locator("#about .whole")
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().y));
    return { isCutOff: dot.right <= line.x + 1, lines: author === more ? 1 : 2 };
  };
  expect(await dotAndLines(1_280)).toEqual({ isCutOff: false, lines: 1 });
  expect(await dotAndLines(320)).toEqual({ isCutOff: true, lines: 2 });
});

it("says that nobody is available if the site never opens, and states the reply time while it is open", async () => {
  const never = await testbed.visit({ html: html(`data-hours='{"timeZone":"UTC","mon":""}'`) });
  await never.chat.launcher.first().click();
  await never.chat.panel.getByRole("heading", { name: "We're away right now", exact: true }).waitFor();
  await expect.poll(() => statusLine(never.page).textContent()).toBe("AI assistant");
  const open = await testbed.visit({ html: html(HOURS), ...at("2026-01-05T09:30:00Z") });
  await converse(open.chat);
  await expect.poll(() => statusLine(open.page).textContent()).toBe("AI assistant\u00a0· usually replies instantly");
});

it.each(["de", "ta", "th"])("the reply time fits under the title on a phone, in any language: %s", async (locale) => {
  const title = "Möbelhaus am Marienplatz, Kundendienst";
  const { page, chat } = await testbed.visit({
    html: html(`data-locale="${locale}" data-title="${title}" data-reply-minutes="120" data-responder="mixed"`),
    options: { viewport: { width: 390, height: 760 } },
  });
  await chat.launcher.first().click();
  await page.locator("textarea").waitFor();
  await expect.poll(() => statusLine(page).textContent()).toContain("·");
  const [head, heading, about] = await Promise.all([".head", "#title", "#about"].map((part) => rectOf(page, part)));
  expect(about?.bottom).toBeLessThanOrEqual((head?.bottom ?? 0) - 4);
  expect(heading?.y).toBeGreaterThanOrEqual((head?.y ?? 0) + 4);
  // One line of the title, and at most two lines below it.
  expect(about?.height).toBeLessThanOrEqual(2 * 1.36 * 13 + 1);
});
