/** WIDGET 9, check 40: the order of replies over a connection that drops, duplicates and reorders frames. */

import { text as textOf } from "node:stream/consumers";
import type { Page, WebSocketRoute } from "playwright-core";
import { expect, it } from "vitest";
import { openSqlite } from "../../../relay/src/db/sqlite.ts";
import { type Chat, converse, type Stage } from "./stage.ts";

/** Pseudo-random numbers, the same in every run. */
export function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

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
  /** How often each kind of harm happened. */
  harm: { dropped: number; doubled: number; reordered: number; cut: number };
  /** Whether the harm has ended. */
  isCalm: boolean;
};

/**
 * Harms the frames with messages from the relay.
 * @param share share of the frames that each kind of harm concerns, 0 to 0.25; half of it for cut connections
 */
function passBadly(connection: BadConnection, line: WebSocketRoute, random: () => number, share: number): void {
  const { harm } = connection;
  const server = line.connectToServer();
  let late: string | Buffer | undefined;
  const pass = (frame: string | Buffer): void => {
    line.send(frame);
    if (late !== undefined) line.send(late);
    late = undefined;
  };
  server.onMessage((frame) => {
    if (connection.isCalm || !frame.includes('"t":"message"')) return pass(frame);
    const roll = random() / share;
    if (roll < 0.5) {
      harm.cut++;
      void Promise.all([line.close({ code: 1011 }), server.close({ code: 1011 })]);
    } else if (roll < 1.5) harm.dropped++;
    else if (roll < 2.5) {
      harm.doubled++;
      line.send(frame);
      pass(frame);
    } else if (roll < 3.5 && late === undefined) {
      harm.reordered++;
      late = frame;
    } else pass(frame);
  });
}

/**
 * Defines the test of check 40.
 * @param count number of replies
 * @param share as in `passBadly`
 */
export function repliesOverBadConnection(stage: Stage, count: number, share: number): void {
  it(`40 ${count} replies over a connection that drops, duplicates and reorders frames arrive once each, in order`, async () => {
    const random = dice(40);
    const connection: BadConnection = { harm: { dropped: 0, doubled: 0, reordered: 0, cut: 0 }, isCalm: false };
    const harmFrames = (line: WebSocketRoute): void => passBadly(connection, line, random, share);
    const { page, chat } = await stage.visit({ before: (page) => page.routeWebSocket(/\/socket/, harmFrames) });
    await converse(chat);
    const toId = stage.house.sandbox.messages()[0]?.fromId ?? "";
    const bodies = Array.from({ length: count }, (_, n) => `reply number ${n}.`);
    // The `online` event makes the browser reconnect at once, instead of waiting longer after each loss.
    const back = () => page.evaluate(() => void dispatchEvent(new Event("online")));
    for (let from = 0; from < bodies.length; from += 20) {
      await Promise.all(bodies.slice(from, from + 20).map((body) => stage.house.sandbox.callbackTo({ toId, body })));
      await back();
    }
    connection.isCalm = true;
    await stage.reply("the last of all");
    await back();
    await chat.thread.getByText("the last of all", { exact: true }).waitFor();
    for (const times of Object.values(connection.harm)) expect(times).toBeGreaterThan(2);
    const kept = await transcript(page, chat);
    const shown = [...kept.matchAll(/reply number \d+\./g)].map(String);
    // They were sent twenty at a time, so the relay's order counts.
    const db = openSqlite(`${stage.house.dataDir}/porchlight.db`);
    const written = await db.all<{ text: string }>(
      "SELECT text FROM messages WHERE visitor = $1 AND text LIKE 'reply number%' ORDER BY pos",
      toId,
    );
    await db.close();
    expect(written).toHaveLength(bodies.length);
    expect(shown).toEqual(written.map(({ text }) => text));
  });
}
