/** Words in the visitor's language that the widget needs before it fetches its texts. */
import { languageOf } from "../base/language.ts";

/** The words of one language, by name; the build of the widget lists them. English has no `file`: the panel contains it. */
export type Words = Readonly<Record<string, string>>;
/** The words, and the direction of a language that is written from right to left. */
export type LanguageWords = Words & { readonly dir?: "rtl" };
/** The words of every language, by BCP 47 tag. */
export type AllWords = Readonly<Record<string, Words>>;

const RTL = /^(ar|fa|he|ps|ur)$/;
/** Most languages of a header that are tried. */
const LANGUAGES_MAX = 8;

/** Primary language and words of a BCP 47 tag. Undefined for a language without words, and for an invalid tag. */
function wordsOfTag(tag: string, words: AllWords): [language: string, found: LanguageWords] | undefined {
  const { language = "", names = [] } = languageOf(tag) ?? {};
  const name = names.find((one) => Object.hasOwn(words, one));
  const own = name === undefined ? undefined : words[name];
  return own === undefined ? undefined : [language, RTL.test(language) ? { ...own, dir: "rtl" } : own];
}

/** The words of the first language, other than English, that has words; else those of English. */
function firstForeign(tags: readonly string[], words: AllWords): [language: string, found: LanguageWords] {
  const known = tags.map((tag) => wordsOfTag(tag, words));
  return known.find((one) => one !== undefined && one[0] !== "en") ?? ["en", words.en ?? {}];
}

/** The languages of an Accept-Language header, as the browser orders them. */
const languagesIn = (accepted: string): string[] =>
  accepted.split(",", LANGUAGES_MAX).map((part) => part.split(";")[0]?.trim() ?? "");

/**
 * The words that a script contains: of one language at most, so that a site has a few dozen variants of its script and
 * requests cannot create more. Only a few words, because every page downloads them; `frameWords` returns all.
 * @param words by BCP 47 tag
 * @param locale the site's setting; `auto`: what the browser accepts
 * @param accepted the request's Accept-Language
 * @returns the words with their primary language, because a cache may give the script to a browser with another language
 */
export function wordsFor(words: AllWords, locale: string, accepted = ""): LanguageWords & { readonly lang: string } {
  const [language, own] = firstForeign(locale === "auto" ? languagesIn(accepted) : [locale], words);
  const { close: _close, page: _page, ...few } = own;
  return { lang: language, ...few };
}

/**
 * The words of the panel's frame on a page in one language. For an invalid tag and for a language without words: of the first
 * language that the browser accepts, else English.
 * @param tag BCP 47
 * @param accepted the request's Accept-Language
 */
export function frameWords(words: AllWords, tag: string, accepted = ""): LanguageWords {
  for (const one of [tag, ...languagesIn(accepted)]) {
    const [, own] = wordsOfTag(one, words) ?? [];
    if (own !== undefined) return own;
  }
  return words.en ?? {};
}
