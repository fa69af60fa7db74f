/** A link to the chat's own page, which works even when the panel cannot be loaded. */

import { element } from "./dom.ts";
import { relay, siteId } from "./tag.ts";

/** The link in a new tab. @param text what the visitor reads */
export const pageLink = (text: string): HTMLElement =>
  element("a", { href: `${relay}/c/${siteId}`, target: "_blank" }, text);
