/** Every word of the chat in English, by its key, for the page that lets an owner choose others. Apart, for its size. */

import { rare } from "../locales/en.rare.ts";
import { en } from "../locales/en.ts";
import { extra } from "../locales/extra/en.ts";

/** Of words that have several forms the most general; without the mark of the machine, which is nobody's to reword. */
export const WORDING: readonly (readonly [key: string, text: string])[] = Object.entries({
  ...en,
  ...rare,
  ...extra,
}).flatMap(([key, text]) => (key === "ai" ? [] : [[key, typeof text === "string" ? text : text.other]]));
