/**
 * What the browser keeps of the teaser. Before the visitor has consented only, in the tab's session, that they have closed it: their own
 * choice. After consent that the teaser was shown, and when this visitor was here last. Storage throws where cookies are blocked; then
 * nothing is kept.
 */

const TEASER = "porchlight:teaser";
const VISITS = "porchlight:visits";

/** A visit ends half an hour after its last page, as web analytics count it. */
const VISIT_MS = 30 * 60_000;

function stored<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** Whether the visitor has closed the teaser in this tab's session or, after consent, has seen it before. */
export const wasTeased = (hasConsent: boolean): boolean =>
  stored(() => sessionStorage.getItem(TEASER) ?? (hasConsent ? localStorage.getItem(TEASER) : null)) === "1";

/** Keeps that the visitor has closed the teaser. */
export const keepClosed = (): unknown => stored(() => sessionStorage.setItem(TEASER, "1"));

/** Keeps that the visitor has seen the teaser. Only after consent. */
export const keepShown = (): unknown => stored(() => localStorage.setItem(TEASER, "1"));

let isLater: boolean | undefined;

/** Counts this page to a visit, once, and says whether it is a later one than the first. Only after consent. */
export function isLaterVisit(now = Date.now()): boolean {
  isLater ??= stored(() => {
    const [count = 0, last = 0] = (localStorage.getItem(VISITS) ?? "").split(" ").map(Number);
    const visit = count + (now - last > VISIT_MS ? 1 : 0);
    localStorage.setItem(VISITS, `${visit} ${now}`);
    return visit > 1;
  });
  return isLater ?? false;
}

/** Removes what was kept after consent: the visitor has withdrawn it. */
export function forget(): void {
  for (const key of [TEASER, VISITS]) stored(() => localStorage.removeItem(key));
}
