/** WIDGET 9, checks 39, 40 and 45: the order of messages, despite failing connections and wrong clocks. */

import { seededRandom } from "@porchlight/shared/seeded-random";
import type { Page, WebSocketRoute } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openSqlite } from "../../../relay/src/db/sqlite.ts";
import { setOffline } from "../offline.ts";
import { repliesOverBadConnection } from "./bad-connection.ts";
import { type Chat, converse, echo, reopen, setUpTestbed } from "./testbed.ts";

const testbed = setUpTestbed();

it("39 twenty quick messages arrive in typing order, although each takes up to two seconds and two fail", async () => {
  const random = seededRandom(39);
  const failing = new Set(["number 4.", "number 12."]);
  const failed: string[] = [];
  /** A frame takes up to two seconds, half a second on average. The first attempt of two messages is cut off. */
  const slow = (socket: WebSocketRoute): void => {
    const server = socket.connectToServer();
    let before = Promise.resolve();
    socket.onMessage((frame) => {
      const text = [...failing].find((one) => frame.includes(one));
      before = before.then(() => new Promise((done) => void setTimeout(done, random() ** 3 * 2_000)));
      if (text === undefined) return void before.then(() => server.send(frame));
      failing.delete(text);
      failed.push(text);
      void before.then(() => Promise.all([socket.close({ code: 1011 }), server.close({ code: 1011 })]));
    });
  };
  const { chat } = await testbed.visit({ before: (page) => page.routeWebSocket(/\/socket/, slow) });
  await chat.open();
  const texts = Array.from({ length: 20 }, (_, n) => `number ${n}.`);
  for (const text of texts) {
    await chat.composer.fill(text);
    await chat.composer.press("Enter");
  }
  await testbed.harness.sandbox.until((sandbox) => sandbox.messages().length === texts.length);
  expect(testbed.harness.sandbox.messages().map(({ body }) => body)).toEqual(texts);
  expect(failed).toHaveLength(2);
});

repliesOverBadConnection(testbed, 200, 0.1);

describe("45 a clock that is wrong by a day", () => {
  const DAY_MS = 86_400_000;
  /** A time zone in which it is about noon, so that no day ends during the test; it differs from the relay's. */
  const noon = (): string => {
    const east = 12 - new Date().getUTCHours();
    return `Etc/GMT${east < 0 ? "+" : "-"}${Math.abs(east)}`;
  };
  const dividers = (chat: Chat) => chat.thread.locator(".divider:not(.new)").allTextContents();
  const texts = (page: Page) => page.locator(".msg .bubble p").allTextContents();

  for (const [name, days] of [
    ["ahead of", 1],
    ["behind", -1],
  ] as const)
    it(`45 when the relay's clock is a day ${name} the browser's, order and days are right`, async () => {
      const { page, chat } = await testbed.visit({
        options: { timezoneId: noon() },
        before: (page) => page.clock.install({ time: Date.now() - days * DAY_MS }),
      });
      await converse(chat, "yesterday");
      // The messages so far were sent a day ago.
      await testbed.harness.halt();
      const db = openSqlite(`${testbed.harness.dataDir}/porchlight.db`);
      await db.run("UPDATE messages SET at = at - $1", DAY_MS);
      await db.close();
      await testbed.harness.start();
      await page.reload();
      await reopen(chat);
      await chat.send("today");
      await echo(chat, "today").waitFor();
      expect(await dividers(chat)).toEqual(["Yesterday", "Today"]);
      // Messages that have no time from the relay yet.
      await setOffline(page, true);
      await testbed.harness.halt();
      await chat.send("not sent yet");
      await chat.thread.getByText("not sent yet", { exact: true }).waitFor();
      expect(await dividers(chat)).toEqual(["Yesterday", "Today"]);
      expect(await texts(page)).toEqual(["yesterday", "echo: yesterday", "today", "echo: today", "not sent yet"]);
      await setOffline(page, false);
      await testbed.harness.start();
    });
});
