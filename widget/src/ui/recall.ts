/** One look at the storage, for the loader: whether it is worth fetching the panel to find out what is unread. */

/** Whether this browser may hold a conversation of the site; the panel knows for sure. Never throws. */
export function mayRecall(site: string): boolean {
  try {
    return /"token"/.test(localStorage[`porchlight:${site}`]);
  } catch {
    return false;
  }
}

/**
 * Milliseconds until the storage of a new browser is looked at. The first look at it makes the page wait for another
 * process, milliseconds on a phone: as much as all the rest of the launcher, and on a first visit for nothing.
 */
export const LOOK_MS = 3_000;

/**
 * Whether this browser has just fetched the whole script, which stays with those who were here lately. An answer without a
 * body (304) counts 300 bytes by definition (Resource Timing, section 4.3), the script thousands.
 */
export function isNew(src: string | undefined): boolean {
  const [entry] = performance.getEntriesByName(src as string) as PerformanceResourceTiming[];
  return (entry?.transferSize as number) > 999;
}
