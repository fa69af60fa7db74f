import type { Page } from "playwright-core";

/** What a page's origin has stored in the browser: the cookies and the storage, and the number of everything else. */
export const storageOf = (page: Page) =>
  page.evaluate(async () => ({
    cookie: document.cookie,
    local: { ...localStorage },
    session: { ...sessionStorage },
    databases: (await indexedDB.databases()).length,
    caches: (await caches.keys()).length,
    workers: (await navigator.serviceWorker.getRegistrations()).length,
  }));

/** The same of an origin that has stored nothing. */
export const NOTHING_STORED = { cookie: "", local: {}, session: {}, databases: 0, caches: 0, workers: 0 };
