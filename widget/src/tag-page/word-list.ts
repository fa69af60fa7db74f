/** All English texts of the chat by key, for the page that makes the tag. A separate file, because it is large. */

import { rare } from "../locales/en.rare.ts";
import { en } from "../locales/en.ts";
import { extra } from "../locales/extra/en.ts";

/** Of texts with plural forms, the most general form. The mark of the machine is left out, because a site cannot change it. */
export const WORDING: readonly (readonly [key: string, text: string])[] = Object.entries({
  ...en,
  ...rare,
  ...extra,
}).flatMap(([key, text]) => (key === "ai" ? [] : [[key, typeof text === "string" ? text : text.other]]));
