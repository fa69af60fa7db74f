/** Words in the visitor's language: which language, where its file is, how a text with numbers and names is put together. */

import type { rare } from "../locales/en.rare.ts";
import { en } from "../locales/en.ts";

/** The forms of a text with a number, by CLDR category. */
export type Plural = { readonly other: string } & { readonly [Category in Intl.LDMLPluralRule]?: string };
type English = typeof en & typeof rare;
export type Key = keyof English;
/** All texts of one language. */
export type Messages = { readonly [K in Key]: English[K] extends string ? string : Plural };
export type Values = { readonly [name: string]: string | number };
/** A translation as the build packs it: texts in the order of the English keys. */
export type Packed = readonly (string | Plural)[];
/** Answers the text of `key` with `{name}` replaced; `values.n` chooses the plural form. */
export type Translate = (key: Key, values?: Values) => string;
export type Language = {
  tag: string;
  /** How the visitor's region writes dates, times and numbers in this language: `en-GB` for `en`. */
  region: string;
  dir: "ltr" | "rtl";
  t: Translate;
  /** Fetches the words of the rarer parts (`en.rare.ts`). English stands in where that fails; the next call tries again. */
  more(): Promise<void>;
};

/** Put in by the build: the tags of all languages, and what their files are called after the tag. */
declare const LANGUAGES: string | undefined;
declare const LANGUAGE_VERSION: string;

/** Those of our languages that are written from right to left. */
const RTL = /^(ar|fa|he|ps|ur)/;

/** Tags of the languages that have texts. */
const languages = (): string[] => ["en", ...(typeof LANGUAGES === "string" ? LANGUAGES.split(" ") : [])];

/**
 * Two files per language, fetched when a visitor needs them: the panel's words, and those of its rarer parts. English is in
 * the panel: it also stands in where one is missing. A browser may remember a failed import by its address, so each second
 * try has another.
 */
const fetchWords = (name: string): Promise<{ messages: Packed }> => {
  const path = `./${name}-${LANGUAGE_VERSION}.js`;
  return import(/* @vite-ignore */ path).catch(() => import(/* @vite-ignore */ `${path}?${Math.random()}`)) as never;
};

/**
 * The best language that we have for what the page or the visitor asks.
 * @param wanted BCP 47 tags, most wanted first; what is not a tag is passed over
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
 * `zh-TW` → `zh-TW`, `zh-Hant`, `zh`: the script decides before the bare language does. Portuguese is written as in
 * Portugal everywhere but in Brazil (CLDR, parent locales). Pages say `de_DE`, too.
 */
function variants(tag: string): string[] {
  try {
    const { language, script, region } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
    const name = language === "no" || language === "nn" ? "nb" : language;
    return [tag, `${name}-${region}`, `${name}-${script}`, name, name === "pt" ? "pt-PT" : ""];
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

/** English grows: rarer parts of the panel bring their words with them. Its order is that of the packed translations. */
const english: Partial<Messages> = { ...en };
export const addEnglish = (words: Partial<Messages>): unknown => Object.assign(english, words);

/**
 * Puts texts together. A key that a language lacks is answered in English.
 * @param messages the site's own words, by key
 * @param region whose way of writing numbers is used
 */
export function translator(tag: string, messages: Partial<Messages>, packed: Packed = [], region = tag): Translate {
  const rules = new Intl.PluralRules(tag);
  const numbers = new Intl.NumberFormat(region);
  return (key, values = {}) => {
    const own = Object.hasOwn(messages, key) ? messages[key] : undefined;
    const entry: string | Plural = own ?? packed[Object.keys(english).indexOf(key)] ?? english[key] ?? key;
    const text = typeof entry === "string" ? entry : (entry[rules.select(Number(values.n))] ?? entry.other);
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return typeof value === "number" ? numbers.format(value) : (value ?? whole);
    });
  };
}

/**
 * Fetches the words of a language. Answers English when they cannot be fetched.
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
  const spoken = words ? tag : "en";
  const region = regionOf(spoken, wanted);
  return {
    tag: spoken,
    region,
    dir: RTL.test(spoken) ? "rtl" : "ltr",
    t: translator(spoken, overrides, packed, region),
    async more() {
      if (common === 0 || packed.length > common) return;
      const { messages } = await fetch(`${tag}.rare`).catch(() => ({ messages: [] }));
      packed.splice(common, messages.length, ...messages);
    },
  };
}
