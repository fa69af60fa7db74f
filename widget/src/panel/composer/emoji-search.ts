/** Finds emoji by words of the visitor's language. */

/** Lower case without accents, so that "cafe" finds "café". */
const withoutAccents = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * Rank of a match, 0 is best: 0 if the name starts with the first query word, 1 if another of its words does, 2 if the
 * query word is elsewhere in it. Undefined if the name lacks a query word.
 */
function rankOf(name: string, words: readonly string[]): number | undefined {
  if (!words.every((word) => name.includes(word))) return undefined;
  const [first = ""] = words;
  return name.startsWith(first) ? 0 : name.includes(` ${first}`) ? 1 : 2;
}

/**
 * The emoji whose names have all words of the query, best first.
 * @param names the names of each emoji of `all`, in the same order; undefined until they are loaded
 */
export function findEmoji(query: string, all: readonly string[], names: readonly string[] | undefined): string[] {
  const words = withoutAccents(query)
    .split(/[\s,]+/)
    .filter(Boolean);
  if (!names || !words[0]) return [];
  return names
    .map((name, at) => ({ emoji: all[at] ?? "", rank: rankOf(withoutAccents(name), words) }))
    .filter(({ emoji, rank }) => emoji && rank !== undefined)
    .sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0))
    .map(({ emoji }) => emoji);
}
