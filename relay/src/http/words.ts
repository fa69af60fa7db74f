/** The launcher's word in the visitor's language, before the widget fetches its texts. */

/** The direction of the language, and its word for chat. */
type Spoken = { dir: "ltr" | "rtl"; word: string };

const RTL = /^(ar|fa|he|ps|ur)$/;
/** Number of languages in a header that are considered. */
const LOOKED_AT = 8;

/** Primary language and word of a BCP 47 tag; nothing where the word is the English one, or the tag is invalid. */
function found(tag: string, words: Readonly<Record<string, string>>): [language: string, spoken: Spoken] | undefined {
  try {
    const { language, script } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
    const name = [`${language}-${script}`, language].find((variant) => Object.hasOwn(words, variant));
    const word = name === undefined ? undefined : words[name];
    return word === undefined ? undefined : [language, { dir: RTL.test(language) ? "rtl" : "ltr", word }];
  } catch {
    return undefined;
  }
}

/**
 * The words that a script contains: of one language at most, so that a site has a few dozen variants of its script and
 * requests cannot create more.
 * @param words by BCP 47 tag; only those that differ from English
 * @param locale the site's setting; `auto`: what the browser accepts
 * @param accepted the request's Accept-Language
 * @returns words by primary language, because a cache may give the script to a browser with another language
 */
export function wordsFor(
  words: Readonly<Record<string, string>>,
  locale: string,
  accepted = "",
): Readonly<Record<string, Spoken>> | undefined {
  const asked =
    locale === "auto" ? accepted.split(",", LOOKED_AT).map((part) => part.split(";")[0]?.trim() ?? "") : [locale];
  const tag = asked.find((one) => found(one, words) !== undefined);
  const [language, spoken] = found(tag ?? "", words) ?? [];
  return language === undefined || spoken === undefined ? undefined : { [language]: spoken };
}
