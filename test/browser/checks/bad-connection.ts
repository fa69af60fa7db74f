/** WIDGET 9, check 40: the order of replies over a connection that drops, duplicates and reorders frames. */

import { text as textOf } from "node:stream/consumers";
import { seededRandom } from "@porchlight/shared/seeded-random";
import type { Page, WebSocketRoute } from "playwright-core";
import { expect, it } from "vitest";
import { openSqlite } from "../../../relay/src/db/sqlite.ts";
import { type Chat, converse, type Testbed } from "./testbed.ts";

/** The whole conversation as the visitor can save it; the thread itself shows only a part. */
async function transcript(page: Page, chat: Chat): Promise<string> {
  await chat.panel.getByRole("button", { name: "Chat options" }).click();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Download conversation" }).click(),
  ]);
  return textOf(await file.createReadStream());
}

type BadConnection = {
  /** How often each fault happened. */
  faults: { dropped: number; doubled: number; reordered: number; cut: number };
  /** Whether all further frames pass unchanged. */
  isCalm: boolean;
};

/**
 * Drops, doubles and reorders frames with messages from the relay, and cuts connections.
 * @param share share of the frames with each fault, 0 to 0.25; half of it for cut connections
 */
function injectFaults(connection: BadConnection, socket: WebSocketRoute, random: () => number, share: number): void {
  const { faults } = connection;
  const server = socket.connectToServer();
  let late: string | Buffer | undefined;
  const pass = (frame: string | Buffer): void => {
    socket.send(frame);
    if (late !== undefined) socket.send(late);
    late = undefined;
  };
  server.onMessage((frame) => {
    if (connection.isCalm || !frame.includes('"t":"message"')) return pass(frame);
    const roll = random() / share;
    if (roll < 0.5) {
      faults.cut++;
      void Promise.all([socket.close({ code: 1011 }), server.close({ code: 1011 })]);
    } else if (roll < 1.5) faults.dropped++;
    else if (roll < 2.5) {
      faults.doubled++;
      socket.send(frame);
      pass(frame);
    } else if (roll < 3.5 && late === undefined) {
      faults.reordered++;
      late = frame;
    } else pass(frame);
  });
}

/**
 * Defines the test of check 40.
 * @param count number of replies, at least
 * @param share as in `injectFaults`
 */
export function repliesOverBadConnection(testbed: Testbed, count: number, share: number): void {
  it(`40 ${count} replies over a connection that drops, duplicates and reorders frames arrive once each, in order`, async () => {
    const random = seededRandom(40);
    const connection: BadConnection = { faults: { dropped: 0, doubled: 0, reordered: 0, cut: 0 }, isCalm: false };
    const breakFrames = (socket: WebSocketRoute): void => injectFaults(connection, socket, random, share);
    const { page, chat } = await testbed.visit({ before: (page) => page.routeWebSocket(/\/socket/, breakFrames) });
    await converse(chat);
    const toId = testbed.harness.sandbox.messages()[0]?.fromId ?? "";
    const bodies: string[] = [];
    // The `online` event makes the browser reconnect at once, instead of waiting longer after each loss.
    const back = () => page.evaluate(() => void dispatchEvent(new Event("online")));
    // A busy relay sends several replies in one frame, so it may take more replies until each fault has happened.
    while (bodies.length < count || Math.min(...Object.values(connection.faults)) < 3) {
      const next = Array.from({ length: 20 }, (_, n) => `reply number ${bodies.length + n}.`);
      bodies.push(...next);
      await Promise.all(next.map((body) => testbed.harness.sandbox.callbackTo({ toId, body })));
      await back();
    }
    connection.isCalm = true;
    await testbed.reply("the last of all");
    await back();
    await chat.thread.getByText("the last of all", { exact: true }).waitFor();
    const kept = await transcript(page, chat);
    const shown = [...kept.matchAll(/reply number \d+\./g)].map(String);
    // They were sent twenty at a time, so the relay's order counts.
    const db = openSqlite(`${testbed.harness.dataDir}/porchlight.db`);
    const written = await db.all<{ text: string }>(
      "SELECT text FROM messages WHERE visitor = $1 AND text LIKE 'reply number%' ORDER BY pos",
      toId,
    );
    await db.close();
    expect(written).toHaveLength(bodies.length);
    expect(shown).toEqual(written.map(({ text }) => text));
  });
}
