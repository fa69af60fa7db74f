/**
 * The browser's storage for the teaser. Before consent it stores only that the visitor has closed the teaser, in the tab's
 * session. After consent it stores that the teaser was shown, and the time of the last visit. Where cookies are blocked, storage
 * throws, and nothing is stored.
 */

const TEASER = "porchlight:teaser";
const VISITS = "porchlight:visits";

/** A visit ends half an hour after its last page, as in web analytics. */
const VISIT_MS = 30 * 60_000;

function tryStorage<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** Whether the visitor has closed the teaser in this tab's session or, after consent, has seen it before. */
export const wasTeaserSeen = (hasConsent: boolean): boolean =>
  tryStorage(() => sessionStorage.getItem(TEASER) ?? (hasConsent ? localStorage.getItem(TEASER) : null)) === "1";

/** Stores that the visitor has closed the teaser. */
export const rememberClosed = (): unknown => tryStorage(() => sessionStorage.setItem(TEASER, "1"));

/** Stores that the visitor has seen the teaser. Call it only after consent. */
export const rememberShown = (): unknown => tryStorage(() => localStorage.setItem(TEASER, "1"));

let isReturning: boolean | undefined;

/** Assigns this page to a visit, once. Call it only after consent. @returns whether it is not the visitor's first visit */
export function isReturningVisit(now = Date.now()): boolean {
  isReturning ??= tryStorage(() => {
    const [count = 0, last = 0] = (localStorage.getItem(VISITS) ?? "").split(" ").map(Number);
    const visit = count + (now - last > VISIT_MS ? 1 : 0);
    localStorage.setItem(VISITS, `${visit} ${now}`);
    return visit > 1;
  });
  return isReturning ?? false;
}

/** Removes the data stored after consent. Called when the visitor has withdrawn the consent. */
export function removeConsentedData(): void {
  for (const key of [TEASER, VISITS]) tryStorage(() => localStorage.removeItem(key));
}
