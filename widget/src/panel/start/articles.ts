/** Loads and searches the owner's help articles. */

export type Article = {
  title: string;
  /** Markdown, shown in the chat. */
  text: string;
  /** Address of the article's page; empty: none. */
  url: string;
  /** Other words that visitors search for. */
  words: readonly string[];
};

/** Maximum number of articles read from a file. */
const ARTICLES_MAX = 500;

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/**
 * The articles of a parsed file, `[{ "title", "text", "url", "words" }]`. Entries without a title, or with neither text nor
 * url, are ignored.
 */
export function readArticles(file: unknown): Article[] {
  if (!Array.isArray(file)) return [];
  return file.slice(0, ARTICLES_MAX).flatMap((entry) => {
    const { title, text, url, words } = { __proto__: null, ...Object(entry) } as unknown as Record<string, unknown>;
    const address = isText(url) && /^(https?:\/\/|\/(?!\/))/i.test(url) ? url : "";
    if (!isText(title) || (!isText(text) && !address)) return [];
    return [
      { title, text: isText(text) ? text : "", url: address, words: Array.isArray(words) ? words.filter(isText) : [] },
    ];
  });
}

/** Without case, accents and punctuation: "Rückgabe?" and "ruckgabe" are the same. */
const plainWords = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** The articles that have every word of the query, those with the words in their title first. All for an empty query. */
export function search(articles: readonly Article[], query: string): readonly Article[] {
  const terms = plainWords(query).split(" ").filter(Boolean);
  if (!terms[0]) return articles;
  const has = (text: string): boolean => terms.every((term) => text.includes(term));
  const ranked = articles.flatMap((article) => {
    const title = plainWords([article.title, ...article.words].join(" "));
    const rank = has(title) ? 0 : has(`${title} ${plainWords(article.text)}`) ? 1 : 2;
    return rank < 2 ? [{ article, rank }] : [];
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ article }) => article);
}

/** Fetches the articles. Returns an empty list if that fails, because the chat works without them. */
export async function fetchArticles(address: string): Promise<Article[]> {
  try {
    const answer = await fetch(address, { credentials: "omit" });
    return answer.ok ? readArticles(await answer.json()) : [];
  } catch {
    return [];
  }
}
