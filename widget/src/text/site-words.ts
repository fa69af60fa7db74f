/**
 * The site's own words in texts that say who answers. An owner may rephrase these texts, but not hide that an AI
 * answers (AI Act, Art. 50; WIDGET 8.4). Fetched only if the site sets such words.
 */

import type { Messages } from "../locales/en.types.ts";
import type { Translate } from "./i18n.ts";

/** The texts that say that an AI answers. */
const LABELS = ["authorAi", "statusAi", "noticeAi"] as const;

/** A letter of the scripts in which short marks are written. */
const LETTER = "[\\p{scx=Latin}\\p{scx=Cyrillic}]";

/** Whether the words contain the mark: a short mark must be a separate word ("AI" is not in "MAIN"). */
const containsMark = (words: string, mark: string): boolean =>
  mark.length > 3
    ? words.toLowerCase().includes(mark.toLowerCase())
    : new RegExp(`(^|(?!${LETTER}).)${mark}(?!${LETTER})`, "su").test(words);

/**
 * The site's own words. Those that would hide the AI get the language's short AI mark at their end.
 * @param words the site's
 * @param t the language's own words
 */
export function withAiMark(words: Partial<Messages>, t: Translate): Partial<Messages> {
  // A site cannot change the mark itself.
  const ai = t("ai");
  const hidesAi = (own: string | undefined): own is string =>
    !!own && ![ai, t("authorAi")].some((mark) => containsMark(own, mark));
  const marked = LABELS.flatMap((key) => (hidesAi(words[key]) ? [[key, `${words[key]} · ${ai}`]] : []));
  return { ...words, ...Object.fromEntries(marked), ai };
}
