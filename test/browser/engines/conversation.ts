/** Checks of a visitor's whole conversation in one engine. */

import { expect, it } from "vitest";
import { POLL } from "./panel.ts";
import type { Testbed } from "./testbed.ts";

/** @param name of the engine, for the names of the tests */
export function conversationIn(name: string, testbed: Testbed): void {
  const sent = (): string[] => testbed.harness.sandbox.messages().map(({ body }) => body);
  const arrived = (count: number) => testbed.harness.sandbox.until(() => sent().length === count);

  it(`in ${name} the typed text is sent unchanged, and the reply is shown`, async () => {
    const text = "Do you ship to Norway? <b>ÆØÅ</b> 👋";
    const { tab, chat } = await testbed.visit();
    await chat.open();
    await tab.type(text);
    expect(await chat.draft()).toBe(text);
    await chat.click({ css: "button", text: "Send message" });
    await chat.shows(`echo: ${text}`);
    expect(await chat.bubbles()).toEqual([text, `echo: ${text}`]);
    expect(await chat.see({ css: ".bubble b" })).toBeNull();
    expect(sent()).toEqual([text]);
  });

  it(`39 in ${name} three quick messages arrive in typing order, from one visitor`, async () => {
    const { tab, chat } = await testbed.visit();
    await chat.open();
    for (const text of ["first", "second", "third"]) {
      await chat.write(text);
      await tab.press("Enter");
    }
    await arrived(3);
    expect(sent()).toEqual(["first", "second", "third"]);
    expect(new Set(testbed.harness.sandbox.messages().map(({ fromId }) => fromId)).size).toBe(1);
  });

  it(`in ${name} a reload and the next page keep the conversation`, async () => {
    const { tab, chat } = await testbed.visit();
    await chat.converse("remember me");
    testbed.put("/next", { html: `<!doctype html><title>Next</title>${testbed.tag()}` });
    for (const move of [() => tab.reload(), () => tab.goto(`${testbed.host}/next`)]) {
      await move();
      await chat.reopen();
      await chat.shows("echo: remember me");
      expect(await chat.bubbles()).toEqual(["remember me", "echo: remember me"]);
    }
  });

  it(`43 in ${name} two tabs show messages of both sides live`, async () => {
    const first = await testbed.visit();
    await first.chat.converse("from the first");
    const second = await testbed.visit({ path: "/second" });
    await second.chat.reopen();
    await second.chat.shows("echo: from the first");
    await second.chat.send("from the second");
    await first.chat.shows("from the second");
    await first.chat.shows("echo: from the second");
    await first.chat.send("and back");
    await second.chat.shows("echo: and back");
    expect(sent()).toEqual(["from the first", "from the second", "and back"]);
  });

  it(`in ${name} a reply to a closed page is counted as unread, and shown`, async () => {
    const { tab, chat } = await testbed.visit();
    await chat.converse("back in a minute");
    await expect.poll(() => tab.run(readUpTo), POLL).toBeGreaterThan(1);
    await chat.click({ css: "button", text: "Close chat" });
    await tab.close();
    expect(await testbed.reply("here when you return")).toMatchObject({ status: "Sent" });
    const later = await testbed.visit();
    await later.chat.find({ css: ".launcher", text: "Chat, 1 unread message" });
    await later.chat.open();
    await later.chat.shows("here when you return");
    expect(await later.chat.bubbles()).toEqual(["back in a minute", "echo: back in a minute", "here when you return"]);
  });
}

const readUpTo = (): number => (JSON.parse(localStorage["porchlight:default"]) as { read: number }).read;
