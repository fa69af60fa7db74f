/** WIDGET 9, checks 54 to 57: announcements of a screen reader. */

import { describe, expect, it } from "vitest";
import { clockOf, listenTo, passPaused, pause } from "./clocks.ts";
import { announced, record } from "./recorder.ts";
import { converse, echo, readUpTo, reopen, setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed();

describe("a screen reader's announcements", () => {
  it("54 announce a reply once, with its author, and soon disappear; history is never announced", async () => {
    const { page, chat } = await testbed.visit({ before: (page) => page.clock.install() });
    await converse(chat, "history");
    await page.reload();
    const said = await record(page);
    await reopen(chat);
    await echo(chat, "history").waitFor();
    // The announcement is measured in the page's time, which stands still between the steps.
    await pause(page);
    await testbed.reply("a fresh reply");
    const fresh = async (): Promise<number> => {
      await page.clock.runFor(50);
      return (await said()).filter(({ text }) => /a fresh reply/.test(text)).length;
    };
    await expect.poll(fresh).toBe(1);
    await page.clock.runFor(1_500);
    const [one] = await announced(said, /a fresh reply/);
    expect(one?.text).toMatch(/assistant.* said: a fresh reply/i);
    expect(one?.ms).toBeLessThanOrEqual(1_500);
    await page.clock.resume();
    await testbed.reply("and another");
    await announced(said, /and another/);
    const all = (await said()).map(({ text }) => text);
    expect(all.filter((text) => /a fresh reply/.test(text))).toHaveLength(1);
    expect(all.filter((text) => /history/.test(text))).toEqual([]);
  });

  it("55 name the number of new messages while the panel is closed, only when it grows", async () => {
    const { page, context, chat } = await testbed.visit();
    await converse(chat);
    const said = await record(page);
    await expect.poll(() => readUpTo(page)).toBeGreaterThan(0);
    await chat.panel.getByRole("button", { name: "Close chat" }).click();
    await testbed.reply("first");
    await announced(said, /^1 new message$/);
    await testbed.reply("second");
    await announced(said, /^2 new messages$/);
    // Read in another tab: the number disappears without an announcement.
    const other = await testbed.visit({ context, path: "/other" });
    await reopen(other.chat);
    await page.getByRole("button", { name: "Chat", exact: true }).waitFor();
    expect(await page.locator("porch-light .badge").isVisible()).toBe(false);
    await other.page.close();
    await chat.open();
    await chat.send("noted");
    await announced(said, /noted/);
    expect((await said()).map(({ text }) => text).filter((text) => /new message/.test(text))).toEqual([
      "1 new message",
      "2 new messages",
    ]);
  });

  it("56 shorten a long reply to one announcement that says where the rest is", async () => {
    testbed.harness.sandbox.configure({ botScript: "long" });
    const { page, chat } = await testbed.visit();
    await chat.open();
    const said = await record(page);
    await chat.send("tell me");
    const [one] = await announced(said, /said:/);
    expect(one?.text).toMatch(/continues in the chat\.$/);
    await testbed.reply("the end");
    await announced(said, /the end/);
    expect((await said()).filter(({ text }) => /long answer/.test(text))).toHaveLength(1);
  });

  it("57 include at most three statuses while a reply is awaited, however long", async () => {
    testbed.harness.sandbox.configure({ botScript: "silent", latencyMs: 1_500, clock: "virtual" });
    const { page, chat } = await testbed.visit({
      before: async (page) => {
        await page.clock.install();
        await listenTo(page);
      },
    });
    await chat.open();
    const said = await record(page);
    await chat.send("anybody?");
    await page.locator(".own .state").getByText("Sent", { exact: true }).waitFor();
    // The service accepts the message only while the page's clock stands still, so that no stage of the wait is skipped.
    await pause(page);
    const isWorking = async (): Promise<boolean> => {
      await testbed.harness.sandbox.advance(1_500);
      return (await clockOf(page)).working > 0;
    };
    await expect.poll(isWorking).toBe(true);
    const statuses = async (): Promise<string[]> => {
      await page.clock.runFor(50);
      return (await said()).map(({ text }) => text).filter((text) => !/message sent/i.test(text));
    };
    const wanted: unknown[] = [];
    for (const [ms, text] of [
      [4_000, "The assistant is working on a reply"],
      [7_000, "Still working on it."],
      [20_000, expect.stringMatching(/^This is taking longer than usual/)],
    ] as const) {
      wanted.push(text);
      await passPaused(page, ms);
      await expect.poll(statuses).toEqual(wanted);
    }
    await passPaused(page, 100_000);
    await page.locator(".waiting").getByText("No reply yet").waitFor();
    await page.clock.runFor(2_000);
    expect(await statuses()).toEqual(wanted);
  });
});
