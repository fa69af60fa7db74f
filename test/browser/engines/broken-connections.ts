/** Checks of broken connections in one engine. */

import { expect, it } from "vitest";
import { startProxy } from "../../proxy.ts";
import { POLL } from "./panel.ts";
import type { Testbed } from "./testbed.ts";

/** @param name of the engine, for the names of the tests */
export function brokenConnectionsIn(name: string, testbed: Testbed): void {
  for (const [how, buffers] of [
    ["a stream", false],
    ["long polls", true],
  ] as const)
    it(`37 in ${name} where WebSockets are blocked, the conversation uses ${how}`, async () => {
      // The browser's console reports the requests that the proxy refused, and those it cut when it stopped.
      testbed.expectErrors(/ws:|127\.0\.0\.1|NetworkError/);
      const proxy = await startProxy(() => testbed.harness.url);
      Object.assign(proxy, { upgrades: "refuse", buffers });
      const { chat } = await testbed.visit({ body: testbed.tag('data-site="default"', proxy.url) });
      await chat.converse("around the wall");
      expect(proxy.seen.some((line) => line.endsWith(buffers ? "mode=poll" : "mode=stream"))).toBe(true);
      await testbed.reply("and back");
      await chat.shows("and back");
      await proxy.stop();
    });

  it(`41 in ${name} a message sent while the relay is down waits, and is sent when the relay is back`, async () => {
    testbed.expectErrors(/127\.0\.0\.1|NetworkError|WebSocket/);
    const { tab, chat } = await testbed.visit();
    await chat.converse();
    await testbed.harness.halt();
    await chat.send("into the dark");
    await chat.find({ css: ".own .state", text: "Waiting to send" });
    await testbed.harness.start();
    await tab.run(() => void dispatchEvent(new Event("online")));
    await chat.shows("echo: into the dark");
    expect(await chat.bubbles()).toEqual(["Hello", "echo: Hello", "into the dark", "echo: into the dark"]);
  });

  it(`30 in ${name} a page that the visitor returns to shows missed messages`, async () => {
    const { tab, chat } = await testbed.visit();
    await chat.converse();
    await tab.run(() => {
      addEventListener("pageshow", ({ persisted }) => Object.assign(window, { persisted }));
    });
    testbed.put("/away", { html: "<!doctype html><title>Away</title>" });
    await tab.goto(`${testbed.host}/away`);
    await testbed.reply("while you were away");
    await tab.back();
    // Firefox does not cache a page with an open socket. It decides before `pagehide`, when the widget closes the socket.
    if (name !== "Firefox")
      await expect.poll(() => tab.run(() => (window as unknown as { persisted?: boolean }).persisted), POLL).toBe(true);
    else await chat.reopen();
    await chat.shows("while you were away");
    await chat.send("back again");
    await chat.shows("echo: back again");
  });
}
