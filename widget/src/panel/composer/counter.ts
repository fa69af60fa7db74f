/** The character counter with its texts. Fetched when the visitor's text comes near the limit. */

import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";

addEnglish(rare);

export { charsLeft } from "../base/chars-left.ts";
