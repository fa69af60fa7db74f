/** The counter of characters with its words. Fetched when a text comes near the limit. */

import { rare } from "../../locales/en.rare.ts";
import { addEnglish } from "../../text/i18n.ts";

addEnglish(rare);

export { roomLeft } from "./room-left.ts";
