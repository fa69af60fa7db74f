/** Words in the visitor's language that the widget needs before it fetches its texts. */

/** The words of one language, by name; the build of the widget lists them. */
export type Words = Readonly<Record<string, string>>;
/** The words, and the direction of a language that is written from right to left. */
type Spoken = Words & { readonly dir?: "rtl" };

const RTL = /^(ar|fa|he|ps|ur)$/;
/** Number of languages in a header that are tried. */
const LOOKED_AT = 8;

/** Primary language and words of a BCP 47 tag. Undefined for English, other languages without words, and invalid tags. */
function found(tag: string, words: Readonly<Record<string, Words>>): [language: string, spoken: Spoken] | undefined {
  try {
    const { language, script, region } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
    const base = /^n[no]$/.test(language) ? "nb" : language;
    // Portuguese without a region uses the words of Portugal, except in Brazil (CLDR, parent locales).
    const variants = [`${base}-${region}`, `${base}-${script}`, base, ...(base === "pt" ? ["pt-PT"] : [])];
    const name = variants.find((variant) => Object.hasOwn(words, variant));
    const own = name === undefined ? undefined : words[name];
    return own === undefined ? undefined : [language, RTL.test(language) ? { ...own, dir: "rtl" } : own];
  } catch {
    return undefined;
  }
}

/**
 * The words to put into a script: of at most one language, so that a site has a few dozen variants of its script and requests
 * cannot create more.
 * @param words words by BCP 47 tag; English has none
 * @param locale the site's setting; `auto`: use `accepted`
 * @param accepted the request's Accept-Language
 * @returns words by primary language, because a cache may return the script to a browser with another language
 */
export function wordsFor(
  words: Readonly<Record<string, Words>>,
  locale: string,
  accepted = "",
): Readonly<Record<string, Spoken>> | undefined {
  const asked =
    locale === "auto" ? accepted.split(",", LOOKED_AT).map((part) => part.split(";")[0]?.trim() ?? "") : [locale];
  const tag = asked.find((one) => found(one, words) !== undefined);
  const [language, spoken] = found(tag ?? "", words) ?? [];
  return language === undefined || spoken === undefined ? undefined : { [language]: spoken };
}
