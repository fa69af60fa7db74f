/** WIDGET 9, checks 72 to 76: the thread. See also long-thread.test.ts. */

import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { clockOf, listenTo, passPaused, pause } from "./clocks.ts";
import { type Chat, readUpTo, setUpTestbed } from "./testbed.ts";
import { frames, gap, withThread } from "./threads.ts";

const testbed = setUpTestbed();
it("72 stays at the end when its content grows; when scrolled up, nothing moves and a button counts new messages", async () => {
  const { page, chat } = await withThread(testbed, 60);
  const thread = page.locator(".thread");
  await expect.poll(() => gap(page)).toBeLessThanOrEqual(1);
  // A picture that loads, a message that grows, a keyboard that appears.
  for (const height of ["200px", "320px", "120px"]) {
    await page
      .locator(".reply .bubble")
      .last()
      .evaluate((bubble, value) => {
        (bubble as HTMLElement).style.minHeight = value;
      }, height);
    await frames(page);
    expect(await gap(page)).toBeLessThanOrEqual(1);
  }
  await page.setViewportSize({ width: 1280, height: 480 });
  await frames(page);
  expect(await gap(page)).toBeLessThanOrEqual(1);
  await page.setViewportSize({ width: 1280, height: 720 });
  await frames(page);
  expect(await gap(page)).toBeLessThanOrEqual(1);
  await expect.poll(() => readUpTo(page)).toBeGreaterThan(60);
  const read = await readUpTo(page);
  await testbed.reply("one more at the end");
  await chat.thread.getByText("one more at the end").waitFor();
  await frames(page);
  expect(await gap(page)).toBeLessThanOrEqual(1);

  await expect.poll(() => readUpTo(page)).toBeGreaterThan(read);
  await thread.evaluate((element) => {
    element.scrollTop -= 900;
  });
  await frames(page);
  /** Position of the last visible row. */
  const place = () =>
    thread.evaluate((element) => {
      const inSight = [...element.querySelectorAll("li[data-row]")].filter(
        (row) => row.getBoundingClientRect().bottom < element.getBoundingClientRect().bottom,
      );
      return inSight.at(-1)?.getBoundingClientRect().top ?? Number.NaN;
    });
  const before = await place();
  await testbed.reply("while reading, 1");
  await testbed.reply("while reading, 2");
  const pill = chat.panel.getByRole("button", { name: "2 new messages" });
  await pill.waitFor();
  expect(Math.abs((await place()) - before)).toBeLessThanOrEqual(1);
  // A picture far above has loaded.
  await page
    .locator(".reply .bubble")
    .first()
    .evaluate((bubble) => {
      (bubble as HTMLElement).style.minHeight = "500px";
    });
  await frames(page);
  expect(Math.abs((await place()) - before)).toBeLessThanOrEqual(1);
  await pill.click();
  await expect.poll(() => gap(page)).toBeLessThanOrEqual(1);
});

it("74 long strings, both directions, emoji and code stay within the panel and keep their reading order", async () => {
  testbed.harness.sandbox.configure({ botScript: "silent" });
  const { page, chat } = await testbed.visit();
  await chat.open();
  const texts = ["W".repeat(3_900), "שלום world مرحبا 123", "👋🎉", "`code` and more"];
  for (const text of texts) await chat.send(text);
  await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === texts.length);
  await testbed.reply(`begin ${"M".repeat(5_000)} end`);
  await testbed.reply(`שלום לך\n\`\`\`\nconst long = ${"x".repeat(400)};\n\`\`\``);
  // Blocks need a part that is fetched on demand.
  await page.locator(".bubble pre").waitFor();
  const seen = await page.evaluate(() => {
    const root = document.querySelector("porch-light")?.shadowRoot;
    const panel = root?.querySelector(".panel")?.getBoundingClientRect();
    const thread = root?.querySelector(".thread");
    // The dots may stay for half a second after a reply.
    const bubbles = [...(root?.querySelectorAll(".bubble:not(.dots)") ?? [])];
    return {
      wide: (thread?.scrollWidth ?? 0) - (thread?.clientWidth ?? 0),
      out: bubbles.filter(
        (bubble) =>
          bubble.getBoundingClientRect().right > (panel?.right ?? 0) ||
          bubble.getBoundingClientRect().left < (panel?.left ?? 0),
      ).length,
      cut: bubbles.filter((bubble) => bubble.scrollWidth > bubble.clientWidth + 1).length,
      directions: bubbles.map((bubble) => getComputedStyle(bubble).direction),
      big: bubbles.map((bubble) => bubble.classList.contains("big")),
      code: getComputedStyle(root?.querySelector("pre") as Element).direction,
    };
  });
  expect(seen).toMatchObject({ wide: 0, out: 0, cut: 0, code: "ltr", big: [false, false, true, false, false, false] });
  expect(seen.directions.slice(0, 3)).toEqual(["ltr", "rtl", "ltr"]);
  const scrolled = await page.locator(".bubble pre").evaluate((code) => {
    code.scrollLeft = 90;
    return code.scrollLeft;
  });
  expect(scrolled).toBe(90);
});

const dots = (page: Page) => page.locator(".dots");
const delivered = (page: Page) => page.locator(".own .state").getByText("Delivered").last().waitFor();

/** Sends a message that is not answered, on a page with a controlled clock. */
async function ask(): Promise<{ page: Page; chat: Chat }> {
  testbed.harness.sandbox.configure({ botScript: "silent" });
  const before = async (page: Page): Promise<void> => {
    await page.clock.install();
    await listenTo(page);
  };
  const { page, chat } = await testbed.visit({ before });
  await chat.open();
  return { page, chat };
}

it("75 dots appear only when the service has the message, texts after 10, 30 and 120 seconds (4.13-26; R-102)", async () => {
  const { page, chat } = await ask();
  testbed.harness.sandbox.configure({ latencyMs: 1_500, clock: "virtual" });
  await chat.send("anybody?");
  await page.locator(".own .state").getByText("Sent", { exact: true }).waitFor();
  expect(await dots(page).count()).toBe(0);
  // From here on the clock stands still between the steps: each text appears in its second, and not before.
  await pause(page);
  // The relay's request may still be on its way.
  const arrived = async (): Promise<number> => {
    await testbed.harness.sandbox.advance(1_500);
    return testbed.harness.sandbox.messages().length;
  };
  await expect.poll(arrived).toBe(1);
  await delivered(page);
  await expect.poll(async () => (await clockOf(page)).working).toBeGreaterThan(0);
  const words = async (): Promise<string> => (await page.locator(".waiting").textContent()) ?? "";
  const passTo = async (seconds: number): Promise<void> => {
    const { now, working } = await clockOf(page);
    await passPaused(page, working + seconds * 1_000 - now);
  };
  await passTo(1);
  await dots(page).waitFor();
  for (const [seconds, before, after] of [
    [10, "", "Still working on it."],
    [30, "Still working on it.", "This is taking longer than usual."],
    [120, "This is taking longer than usual.", "No reply yet."],
  ] as const) {
    await passTo(seconds - 0.5);
    expect(await words()).toContain(before);
    expect(await words()).not.toContain(after);
    await passTo(seconds + 0.5);
    await expect.poll(words).toContain(after);
  }
  expect(await dots(page).count()).toBe(0);
  expect(await chat.panel.getByRole("button", { name: "Ask again" }).isVisible()).toBe(true);
});

it("75 no dots appear after a failure, without a network, or where people answer", async () => {
  const failed = await ask();
  testbed.harness.sandbox.failNext("incoming", 1, 400);
  await failed.chat.send("refused");
  await failed.chat.panel.getByRole("button", { name: "Retry" }).waitFor();
  await failed.page.clock.runFor(5_000);
  expect(await dots(failed.page).count()).toBe(0);

  const offline = await ask();
  await offline.chat.send("and then the network goes");
  await dots(offline.page).waitFor();
  await testbed.harness.halt();
  await dots(offline.page).waitFor({ state: "detached" });
  await testbed.harness.start();

  const people = await testbed.visit({
    path: "/people",
    html: `<!doctype html><title>P</title>${testbed.tag('data-site="default" data-responder="human"')}`,
    before: (page) => page.clock.install(),
  });
  await people.chat.open();
  await people.chat.send("a person, please");
  await delivered(people.page);
  await people.page.clock.runFor(5_000);
  expect(await dots(people.page).count()).toBe(0);
});

it("76 the chat says that a machine answers: before the first message, and on every answer", async () => {
  const { page, chat } = await testbed.visit();
  await chat.open();
  await chat.panel.getByText("You're chatting with an AI assistant.", { exact: false }).waitFor();
  expect(
    await page
      .locator(".panel")
      .evaluate(
        (panel) =>
          (panel.getRootNode() as ShadowRoot).getElementById(panel.getAttribute("aria-describedby") ?? "")?.textContent,
      ),
  ).toMatch(/AI assistant/);
  await chat.send("one");
  await chat.thread.getByText("echo: one", { exact: true }).waitFor();
  await testbed.reply("two");
  await chat.thread.getByText("two", { exact: true }).waitFor();
  const authors = await page.locator(".msg.reply > .vh").allTextContents();
  expect(authors).toHaveLength(2);
  for (const author of authors) expect(author).toMatch(/\bAI\b/);
  expect(await page.locator(".msg.reply.first > .author:visible").allTextContents()).toEqual([
    expect.stringMatching(/\bAI\b/),
  ]);
});
