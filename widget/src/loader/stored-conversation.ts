/** Reads the storage once, for the loader: decides whether to fetch the panel to find unread replies. */

/** Whether this browser may hold a conversation of the site; only the panel can be sure. Never throws. */
export function mayHaveConversation(site: string): unknown {
  try {
    return localStorage[`porchlight:${site}`]?.includes("token");
  } catch {
    return undefined;
  }
}
