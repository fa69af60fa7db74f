/** Longest accepted tag (RFC 5646, section 4.4.1). Longer ones would take quadratic time, 40 ms for 16 kB (RELIABILITY A24). */
const TAG_MAX = 35;

/** A primary language, and the names under which its words may be listed: by region, by script, by the language alone. */
export type Language = { language: string; names: readonly string[] };

/**
 * The language of a tag with its likely region and script.
 * @param tag BCP 47
 * @returns undefined for an invalid tag
 */
export function languageOf(tag: string): Language | undefined {
  if (tag.length > TAG_MAX) return undefined;
  try {
    const { language, script, region } = new Intl.Locale(tag.replaceAll("_", "-")).maximize();
    const base = /^n[no]$/.test(language) ? "nb" : language;
    // Portuguese outside Brazil uses the words of Portugal (CLDR, parent locales).
    const names = [`${base}-${region}`, `${base}-${script}`, base, ...(base === "pt" ? ["pt-PT"] : [])];
    return { language, names };
  } catch {
    return undefined;
  }
}
