/** Controls the time in the page, while the relay's time goes on as usual. */

import type { Page } from "playwright-core";
import { expect } from "vitest";

type Heard = { pongs: number; working: number };

/** Counts the answers to the widget's pings, and records when the relay reported that the service works on an answer. */
export const listenTo = (page: Page) =>
  page.addInitScript(() => {
    const heard = Object.assign(window, { pongs: 0, working: 0 });
    const Real = WebSocket;
    window.WebSocket = class extends Real {
      constructor(url: string | URL) {
        super(url);
        this.addEventListener("message", ({ data }) => {
          if (String(data).includes('"t":"pong"')) heard.pongs++;
          if (String(data).includes('"t":"typing","on":true')) heard.working ||= Date.now();
        });
      }
    };
  });

/** The page's present time, and the time when the work began. */
export const clockOf = (page: Page): Promise<{ now: number; working: number }> =>
  page.evaluate(() => ({ now: Date.now(), working: (window as unknown as Heard).working }));

/** Milliseconds of page time that the clock skips when it is paused: longer than the command takes to reach the page. */
const SKIPPED_MS = 10_000;

/** Pauses the page's clock, ten seconds later than it is. */
export const pause = async (page: Page): Promise<void> =>
  page.clock.pauseAt((await page.evaluate(() => Date.now())) + SKIPPED_MS);

/**
 * Advances the time of a page whose clock runs, by at least ten seconds, including the relay's heartbeat. Call `listenTo` before.
 * The clock is paused meanwhile: deadlines of the widget are page time, and an answer of the relay takes real time.
 */
export async function pass(page: Page, ms: number): Promise<void> {
  await pause(page);
  await passPaused(page, ms - SKIPPED_MS);
  await page.clock.resume();
}

/** The same for a page whose clock is paused, by any time. It stays paused. */
export async function passPaused(page: Page, ms: number): Promise<void> {
  const pongs = () => page.evaluate(() => (window as unknown as Heard).pongs);
  for (let left = ms; left > 0; left -= 15_000) {
    await page.clock.runFor(Math.min(left, 15_000));
    // Counted with the event: a heartbeat that came before does not answer this ping, whose deadline is page time.
    const before = await page.evaluate(() => {
      const { pongs } = window as unknown as Heard;
      dispatchEvent(new Event("focus"));
      return pongs;
    });
    await expect.poll(pongs).toBeGreaterThan(before);
  }
}
