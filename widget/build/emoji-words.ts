/**
 * Generates the names of emoji, `src/locales/emoji`: one file per language, with a line for each emoji of the picker. The first
 * name in a line is the emoji's name, the others are search words. Run it after a change of `emoji-list.ts`:
 *
 *     npm pack emojibase-data && tar xzf emojibase-data-*.tgz && node widget/build/emoji-words.ts package
 *
 * Source: emojibase-data (MIT licence), which takes the words from Unicode CLDR (Unicode licence).
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { EMOJI_GROUPS } from "../src/panel/composer/emoji-list.ts";

const FOLDER = join(import.meta.dirname, "..", "src", "locales", "emoji");

/** The widget's languages that emojibase supports, each with emojibase's name for it. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "bn da de en es et fi fr hi hu it ja ko lt ms nb nl pl ru sv th uk vi".split(" ").map((tag) => [tag, tag]),
  ),
  "pt-BR": "pt",
  "pt-PT": "pt",
  "zh-Hans": "zh",
  "zh-Hant": "zh-hant",
};
/** Most search words besides the name. */
const WORDS_MAX = 3;
/** Largest file, in bytes after gzip. A part of the widget that is rarely used may have 8 kB. */
const BYTES_MAX = 7_400;

type Entry = { emoji: string; label: string; tags?: string[] };

/** An emoji without the variation selector U+FE0F. */
const withoutSelector = (emoji: string): string => emoji.replaceAll("\ufe0f", "");

/** The name of an emoji, and the words that the name does not contain. @param words most words */
function lineOf({ label, tags = [] }: Entry, words: number): string {
  const name = label.toLowerCase();
  return [label, ...tags.filter((tag) => !name.includes(tag.toLowerCase())).slice(0, words)].join(", ");
}

/** The file's text, with as many words as the size allows. */
function textOf(entries: readonly Entry[], words = WORDS_MAX): string {
  const text = `${entries.map((entry) => lineOf(entry, words)).join("\n")}\n`;
  return words > 0 && gzipSync(text).length > BYTES_MAX ? textOf(entries, words - 1) : text;
}

function writeWords(source: string): void {
  const all = EMOJI_GROUPS.flatMap(({ emoji }) => emoji);
  for (const [tag, name] of Object.entries(LANGUAGES)) {
    const path = join(source, name, "data.json");
    if (!existsSync(path)) throw new Error(`${path} is missing: is this emojibase-data?`);
    const entries = JSON.parse(readFileSync(path, "utf8")) as Entry[];
    const byEmoji = new Map(entries.map((entry) => [withoutSelector(entry.emoji), entry]));
    const found = all.map((emoji) => byEmoji.get(withoutSelector(emoji)) ?? { emoji, label: "" });
    writeFileSync(join(FOLDER, `${tag}.txt`), textOf(found));
  }
}

writeWords(process.argv[2] ?? "package");
