/** All English texts of the chat by key, for the page that makes the tag. A separate file, because it is large. */

import { rare } from "../locales/en.rare.ts";
import { en } from "../locales/en.ts";
import { extra } from "../locales/extra/en.ts";

/**
 * Texts with plural forms appear in the form `other`. `ai`, the label of automatic replies, is left out: a site cannot change
 * it.
 */
export const WORDING: readonly (readonly [key: string, text: string])[] = Object.entries({
  ...en,
  ...rare,
  ...extra,
}).flatMap(([key, text]) => (key === "ai" ? [] : [[key, typeof text === "string" ? text : text.other]]));
