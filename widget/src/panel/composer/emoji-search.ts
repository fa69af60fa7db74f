/** Finds emoji by words of the visitor's language. */

/** Small letters without accents, so that "cafe" finds "café". */
const simple = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** How well a name fits: 0 where it begins with the first word, 1 where another of its words does, 2 where one holds it. */
function rankOf(name: string, words: readonly string[]): number | undefined {
  if (!words.every((word) => name.includes(word))) return undefined;
  const [first = ""] = words;
  return name.startsWith(first) ? 0 : name.includes(` ${first}`) ? 1 : 2;
}

/**
 * The emoji whose names have all words of the query, best first.
 * @param names a line for each emoji, in the same order; undefined until they have come
 */
export function findEmoji(query: string, all: readonly string[], names: readonly string[] | undefined): string[] {
  const words = simple(query)
    .split(/[\s,]+/)
    .filter(Boolean);
  if (!names || !words[0]) return [];
  return names
    .map((name, at) => ({ emoji: all[at] ?? "", rank: rankOf(simple(name), words) }))
    .filter(({ emoji, rank }) => emoji && rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ emoji }) => emoji);
}
