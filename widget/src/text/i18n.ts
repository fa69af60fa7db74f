/** Texts in the visitor's language: chooses the language, fetches its file, and inserts numbers and names. */

import { en } from "../locales/en.ts";
import type { Key, Messages, Plural } from "../locales/en.types.ts";

export type Values = { readonly [name: string]: string | number };
/** A translation as the build packs it: the texts in the order of the English keys. */
export type Packed = readonly (string | Plural)[];
/** Returns the text of `key` with `{name}` replaced; `values.n` chooses the plural form. */
export type Translate = (key: Key, values?: Values) => string;
export type Language = {
  tag: string;
  /** How the visitor's region writes dates, times and numbers in this language: `en-GB` for `en`. */
  region: string;
  dir: "ltr" | "rtl";
  t: Translate;
  /**
   * Fetches the texts of the rarer parts (`en.rare.ts`). If that fails, they stay English, and the next call tries
   * again.
   */
  loadRare(): Promise<void>;
};

/** Set by the build: the tags of all languages, and the version in their file names. */
declare const LANGUAGES: string | undefined;
declare const LANGUAGE_VERSION: string;

/** The languages that are written from right to left. */
const RTL = /^(ar|fa|he|ps|ur)/;

/** Tags of the languages that have texts. */
const languages = (): string[] => ["en", ...(typeof LANGUAGES === "string" ? LANGUAGES.split(" ") : [])];

/**
 * Two files per language, fetched when a visitor needs them: the panel's texts, and those of its rarer parts. English
 * is built into the panel and replaces what is missing. A browser may cache a failed import by its address, so the
 * second try uses another address.
 */
const fetchWords = (name: string): Promise<{ messages: Packed }> => {
  const path = `./${name}-${LANGUAGE_VERSION}.js`;
  return import(/* @vite-ignore */ path).catch(() => import(/* @vite-ignore */ `${path}?${Math.random()}`)) as never;
};

/**
 * The best available language for what the page or the visitor wants.
 * @param wanted BCP 47 tags, most wanted first; invalid tags are ignored
 * @param offered tags that have texts
 */
export function chooseLanguage(wanted: readonly string[], offered: readonly string[] = languages()): string {
  for (const tag of wanted) {
    const found = variants(tag).find((variant) => offered.includes(variant));
    if (found !== undefined) return found;
  }
  return "en";
}

/**
 * Tags whose texts fit a tag, best first: `zh-TW` → `zh-TW`, `zh-Hant`, `zh`. The last tag ends in `-PT`: Portuguese outside Brazil
 * is written as in Portugal (CLDR, parent locales), and no other language has texts for such a tag. Some pages write `de_DE` with an
 * underscore.
 */
function variants(tag: string): string[] {
  try {
    const { language, script, region } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
    const name = language.replace(/^n[on]$/, "nb");
    return [tag, `${name}-${region}`, `${name}-${script}`, name, `${name}-PT`];
  } catch {
    return [];
  }
}

/**
 * The first tag that names a region of this language, for its dates and numbers; without one the language itself.
 * @param wanted BCP 47 tags, most wanted first
 */
export const regionOf = (tag: string, wanted: readonly string[]): string =>
  wanted.find((one) => /\w[-_]/.test(one) && variants(one).includes(tag))?.replaceAll("_", "-") ?? tag;

/** The English texts. Rarer parts of the panel add theirs when they load. Packed translations have the same order. */
const english: Partial<Messages> = { ...en };
/** Adds the English texts of a part that has loaded. */
export const addEnglish = (words: Partial<Messages>): unknown => Object.assign(english, words);

/**
 * Creates the function that translates keys. A key that the language lacks is translated to English.
 * @param overrides the site's own words, by key
 * @param packed the language's texts
 * @param region BCP 47 tag that decides the format of numbers
 */
export function translator(tag: string, overrides: Partial<Messages>, packed: Packed = [], region = tag): Translate {
  return (key, values = {}) => {
    const own = Object.hasOwn(overrides, key) ? overrides[key] : undefined;
    const entry: string | Plural = own ?? packed[Object.keys(english).indexOf(key)] ?? english[key] ?? key;
    // Both formats are created only when they are needed: the first of each takes a tenth of a second on a phone.
    const text =
      typeof entry === "string" ? entry : (entry[new Intl.PluralRules(tag).select(values.n as number)] ?? entry.other);
    // A string's `toLocaleString` returns the string.
    return text.replace(/\{(\w+)\}/g, (whole, name) => (values[name] as number)?.toLocaleString(region) ?? whole);
  };
}

/**
 * Fetches the texts of a language. Returns English if they cannot be fetched.
 * @param overrides the site's own words for some keys
 * @param wanted tags that may name a region
 */
export async function loadLanguage(
  tag: string,
  overrides: Partial<Messages> = {},
  wanted: readonly string[] = [],
  fetch: typeof fetchWords = fetchWords,
): Promise<Language> {
  const words = tag === "en" ? undefined : await fetch(tag).catch(() => undefined);
  const packed = [...(words?.messages ?? [])];
  const common = packed.length;
  const used = words ? tag : "en";
  const region = regionOf(used, wanted);
  return {
    tag: used,
    region,
    dir: RTL.test(used) ? "rtl" : "ltr",
    t: translator(used, overrides, packed, region),
    async loadRare() {
      if (common === 0 || packed.length > common) return;
      const { messages } = await fetch(`${tag}.rare`).catch(() => ({ messages: [] }));
      packed.splice(common, messages.length, ...messages);
    },
  };
}
