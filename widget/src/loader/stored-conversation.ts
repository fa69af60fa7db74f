/** One look at the storage, for the loader: whether it is worth fetching the panel to find out what is unread. */

/** Whether this browser may hold a conversation of the site; the panel knows for sure. Never throws. */
export function mayRecall(site: string): unknown {
  try {
    return localStorage[`porchlight:${site}`]?.includes("token");
  } catch {
    return undefined;
  }
}
