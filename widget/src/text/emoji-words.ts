/** The names of emoji in the visitor's language, fetched when the picker opens. English if a language has none. */

/** Set by the build: tags of the languages with names, and the version in their file names. */
declare const EMOJI_LANGUAGES: string | undefined;
declare const LANGUAGE_VERSION: string | undefined;

const fetchNames = async (tag: string): Promise<string> => {
  const path = `./${tag}.emoji-${LANGUAGE_VERSION}.js`;
  const file: { names: string } = await import(/* @vite-ignore */ path);
  return file.names;
};

/** The tag of the names for a language: its own, or English if it has none. */
export const emojiLanguage = (tag: string, offered: readonly string[]): string => (offered.includes(tag) ? tag : "en");

/**
 * One line of names for each emoji, in the order of the picker. Undefined if they cannot be fetched; the next call
 * tries again.
 */
export async function emojiNames(tag: string, fetch = fetchNames): Promise<string[] | undefined> {
  const offered = typeof EMOJI_LANGUAGES === "string" ? EMOJI_LANGUAGES.split(" ") : [];
  try {
    return (await fetch(emojiLanguage(tag, offered))).split("\n");
  } catch {
    return undefined;
  }
}
