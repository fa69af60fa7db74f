/** How a translation is handed to the panel. Used by the build, and by the test that weighs it. */

import type { Messages } from "./src/i18n.ts";
import { rare } from "./src/locales/en.rare.ts";
import { en } from "./src/locales/en.ts";

const keys = Object.keys({ ...en, ...rare }) as (keyof Messages)[];

/** A module with the texts alone, in the order of the English ones, which the panel has: a quarter less to fetch. */
export const pack = (messages: Messages): string =>
  `export const messages=${JSON.stringify(keys.map((key) => messages[key]))}`;
