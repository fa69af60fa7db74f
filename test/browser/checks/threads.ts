/** Visitors with long threads, for the checks of the thread. */

import { randomId } from "@porchlight/shared/id";
import type { Page } from "playwright-core";
import { openSqlite } from "../../../relay/src/db/sqlite.ts";
import { appendReply } from "../../../relay/src/records/threads.ts";
import type { Harness } from "../../harness.ts";
import { converse, reopen, type Testbed, type Visit, type VisitOptions } from "./testbed.ts";

/** Pixels between the visible part of the thread and its end. */
export const gap = (page: Page): Promise<number> =>
  page.locator(".thread").evaluate((thread) => Math.abs(thread.scrollHeight - thread.scrollTop - thread.clientHeight));

/** Waits for two frames, so that all pending changes are drawn. */
export const frames = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/**
 * Writes replies to the newest visitor into the database while the relay is stopped: the same number of callbacks would take a
 * minute.
 */
export async function fillThread(harness: Harness, count: number): Promise<void> {
  const visitor = harness.sandbox.messages().at(-1)?.fromId ?? "";
  await harness.halt();
  const db = openSqlite(`${harness.dataDir}/porchlight.db`);
  await db.transaction(async (tx) => {
    for (let n = 1; n <= count; n++) {
      const id = randomId();
      const text = `reply number ${n}, of some length so that rows differ ${"x ".repeat(n % 40)}`;
      await appendReply(tx, { visitor, id, text, at: Date.now(), external: id });
    }
  });
  await db.close();
  await harness.start();
}

/** A visitor with a thread of this many replies, at its end, on a page that was just loaded. */
export async function withThread(testbed: Testbed, count: number, given: VisitOptions = {}): Promise<Visit> {
  const visit = await testbed.visit(given);
  await converse(visit.chat);
  await fillThread(testbed.harness, count);
  await visit.page.reload();
  await reopen(visit.chat);
  await visit.chat.thread.getByText(`reply number ${count},`).waitFor();
  // The code that only replies need is fetched for the first one.
  await visit.page.locator(".reply .react").waitFor({ state: "attached" });
  await visit.page.locator(".thread").evaluate((thread) => {
    thread.scrollTop = thread.scrollHeight;
  });
  await frames(visit.page);
  return visit;
}
