/** Reads the storage once, for the loader: decides whether to fetch the panel to find unread replies. */

import { siteId } from "./tag.ts";

/** Whether this browser may hold a conversation of the site; only the panel can be sure. Never throws. */
export function mayHaveConversation(): unknown {
  try {
    return localStorage[`porchlight:${siteId}`]?.includes("token");
  } catch {
    return undefined;
  }
}
