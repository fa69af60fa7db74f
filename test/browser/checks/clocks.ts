/** Controls the time in the page, while the relay's time goes on as usual. */

import type { Page } from "playwright-core";
import { expect } from "vitest";

type FrameCounts = { pongs: number; working: number };

/** Makes the page count the pongs it receives, and record when the relay reported that an answer is being written. */
export const listenTo = (page: Page) =>
  page.addInitScript(() => {
    const counts = Object.assign(window, { pongs: 0, working: 0 });
    const Real = WebSocket;
    window.WebSocket = class extends Real {
      constructor(url: string | URL) {
        super(url);
        this.addEventListener("message", ({ data }) => {
          if (String(data).includes('"t":"pong"')) counts.pongs++;
          if (String(data).includes('"t":"typing","on":true')) counts.working ||= Date.now();
        });
      }
    };
  });

/** The page's present time, and when the relay reported that an answer is being written, in ms since 1970. */
export const clockOf = (page: Page): Promise<{ now: number; working: number }> =>
  page.evaluate(() => ({ now: Date.now(), working: (window as unknown as FrameCounts).working }));

/** Milliseconds of page time that the clock skips when it is paused: longer than the command takes to reach the page. */
const SKIPPED_MS = 10_000;

/** Pauses the page's clock, ten seconds later than it is. */
export const pause = async (page: Page): Promise<void> =>
  page.clock.pauseAt((await page.evaluate(() => Date.now())) + SKIPPED_MS);

/**
 * Advances the running clock of a page. Waits for the relay's pongs on the way, so that the widget does not take the connection
 * for dead. Pauses the clock meanwhile: the widget's deadlines are page time, but a pong takes real time. Call `listenTo` before.
 * @param ms at least ten seconds
 */
export async function pass(page: Page, ms: number): Promise<void> {
  await pause(page);
  await passPaused(page, ms - SKIPPED_MS);
  await page.clock.resume();
}

/** Advances a paused clock like `pass`, by any time. It stays paused. */
export async function passPaused(page: Page, ms: number): Promise<void> {
  const pongs = () => page.evaluate(() => (window as unknown as FrameCounts).pongs);
  for (let left = ms; left > 0; left -= 15_000) {
    await page.clock.runFor(Math.min(left, 15_000));
    // The event makes the widget send a ping. Count in the same step: an earlier pong does not answer this ping.
    const before = await page.evaluate(() => {
      const { pongs } = window as unknown as FrameCounts;
      dispatchEvent(new Event("focus"));
      return pongs;
    });
    await expect.poll(pongs).toBeGreaterThan(before);
  }
}
