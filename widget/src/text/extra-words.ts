/**
 * Texts of features that few sites switch on: a third file per language, fetched by those features. Several parts of
 * the panel share this module, so it imports nothing from the panel.
 */

import { type Extra, type ExtraKey, extra } from "../locales/extra/en.ts";
import type { PanelSettings } from "../settings/options.ts";
import type { Language } from "./i18n.ts";

/** Set by the build: see `i18n.ts`. */
declare const LANGUAGE_VERSION: string | undefined;

export type ExtraTranslate = (key: ExtraKey) => string;

const loaded = new Map<string, Promise<Extra>>();

const fetchWords = (tag: string): Promise<{ extra: Extra }> => {
  const path = `./${tag}.extra-${LANGUAGE_VERSION}.js`;
  return import(/* @vite-ignore */ path).catch(() => import(/* @vite-ignore */ `${path}?${Math.random()}`)) as never;
};

/** The extra words of a language. English if they cannot be fetched; the next call tries again. */
function load(tag: string, fetch: typeof fetchWords): Promise<Extra> {
  if (tag === "en" || typeof LANGUAGE_VERSION !== "string") return Promise.resolve(extra);
  const words = loaded.get(tag) ?? fetch(tag).then((found) => found.extra);
  loaded.set(tag, words);
  return words.catch(() => {
    loaded.delete(tag);
    return extra;
  });
}

type Needed = {
  language: { readonly value: Language };
  settings: { readonly value: Pick<PanelSettings, "strings"> };
};

/**
 * The extra words in the current language. The site's own words come first.
 * @param current a signal that holds the loaded words, empty at first
 * @returns `follow`: loads the words; run it as an effect. `words`: the translation, undefined until the words are
 *   loaded
 */
export function createExtraWords(
  { language, settings }: Needed,
  current: { value: Extra | undefined },
  fetch: typeof fetchWords = fetchWords,
) {
  return {
    follow(): void {
      const { tag } = language.value;
      void load(tag, fetch).then((words) => {
        if (language.value.tag === tag) current.value = words;
      });
    },
    words(): ExtraTranslate | undefined {
      const words = current.value;
      const { strings } = settings.value;
      return words && ((key) => (Object.hasOwn(strings, key) && strings[key]) || words[key]);
    },
  };
}
