/**
 * A site's own words where they would say who answers: an owner may say it in another way, but not hide that it is a machine
 * (AI Act, Art. 50; WIDGET 8.4). Fetched where a site has words of its own.
 */

import type { Messages, Translate } from "./i18n.ts";

/** What is shown and read out where a machine answers. */
const LABELS = ["authorAi", "statusAi", "noticeAi"] as const;

/** Of the scripts that short marks are written in. */
const LETTER = "[\\p{scx=Latin}\\p{scx=Cyrillic}]";

/** Whether the words say it: a short mark as a word by itself ("AI" is not in "MAIN"), a longer one in any form. */
const says = (words: string, mark: string): boolean =>
  mark.length > 3
    ? words.toLowerCase().includes(mark.toLowerCase())
    : new RegExp(`(^|(?!${LETTER}).)${mark}(?!${LETTER})`, "su").test(words);

/**
 * The site's own words, with the language's short mark behind those that would hide the machine.
 * @param words the site's
 * @param t the language's own words
 */
export function named(words: Partial<Messages>, t: Translate): Partial<Messages> {
  // The mark itself is nobody's to reword.
  const ai = t("ai");
  const hide = (own: string | undefined): own is string =>
    !!own && ![ai, t("authorAi")].some((mark) => says(own, mark));
  const marked = LABELS.flatMap((key) => (hide(words[key]) ? [[key, `${words[key]} · ${ai}`]] : []));
  return { ...words, ...Object.fromEntries(marked), ai };
}
