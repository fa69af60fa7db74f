/** The launcher's name in the visitor's language, before the widget has fetched any. */

/** As the tag's script has it: how the language runs, and its word for chat. */
type Spoken = { dir: "ltr" | "rtl"; word: string };

const RTL = /^(ar|fa|he|ur)$/;
/** Languages of a header that are looked at. */
const LOOKED_AT = 8;

/** Primary language and word of a BCP 47 tag; nothing where the word is the English one, or the tag is none. */
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
 * The words that a script brings: one language's at most, so that a site has a few dozen forms of its script and a
 * request cannot ask for a new one each time.
 * @param words by BCP 47 tag, where they differ from English
 * @param locale the site's setting; `auto`: what the browser asks for
 * @param accepted the request's Accept-Language
 * @returns by primary language: a cache that looks at no header may hand it to a browser that asked for another
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
