/** How a translation is handed to the panel. Used by the build, and by the test that weighs it. */

import { rare } from "../src/locales/en.rare.ts";
import { en } from "../src/locales/en.ts";
import type { Messages } from "../src/text/i18n.ts";

/** What each of a language's two files holds: the panel's words, and those of the parts that are fetched when first used. */
const PARTS = { common: Object.keys(en), rare: Object.keys(rare) } as {
  readonly [part in "common" | "rare"]: (keyof Messages)[];
};

/** A module with the texts alone, in the order of the English ones, which the panel has: a quarter less to fetch. */
export const pack = (messages: Messages, part: keyof typeof PARTS): string =>
  `export const messages=${JSON.stringify(PARTS[part].map((key) => messages[key]))}`;
