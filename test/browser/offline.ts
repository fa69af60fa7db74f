/** Cuts a page off the network, and connects it again. */

import type { Page } from "playwright-core";

/**
 * Returns when the browser applies the mode: Chromium may let a request through that begins right after its command.
 * Open WebSockets stay open, without traffic.
 */
export async function setOffline(page: Page, isOffline: boolean): Promise<void> {
  await page.context().setOffline(isOffline);
  await page.evaluate(requestsFail, isOffline);
}

/** Runs in the page, without timers: the page's clock may be a test's. */
async function requestsFail(isOffline: boolean): Promise<void> {
  const failed = (): Promise<boolean> =>
    fetch(location.href, { cache: "no-store" }).then(
      () => false,
      () => true,
    );
  while ((await failed()) !== isOffline);
}
