/** Imitates a page that the browser prerenders, which the headless build does not do. */

import type { Page } from "playwright-core";

/** Lets every document of the page say that it is prerendered, until `showPrerendered`. */
export async function prerender(page: Page): Promise<void> {
  await page.addInitScript(() =>
    Object.defineProperty(Document.prototype, "prerendering", {
      configurable: true,
      get: () => !(window as { active?: boolean }).active,
    }),
  );
}

/** Shows the page: it is no longer prerendered, and gets the event that says so. */
export const showPrerendered = (page: Page): Promise<void> =>
  page.evaluate(() => {
    Object.assign(window, { active: true });
    document.dispatchEvent(new Event("prerenderingchange"));
  });
