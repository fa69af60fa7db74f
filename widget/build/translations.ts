/** Packs translations for the panel. The test of their sizes also uses `pack`. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { transformWithOxc } from "vite";
import { rare } from "../src/locales/en.rare.ts";
import { en } from "../src/locales/en.ts";
import type { Messages } from "../src/locales/en.types.ts";
import type { Extra } from "../src/locales/extra/en.ts";

const LOCALES = join(import.meta.dirname, "..", "src", "locales");

/** The keys of each language's two files: the panel's texts, and the texts of parts that are fetched on first use. */
const FILES = { common: Object.keys(en), rare: Object.keys(rare) } as {
  readonly [part in "common" | "rare"]: (keyof Messages)[];
};

/** The third file: texts, by key, of features that few sites switch on. */
export const packExtra = (words: Extra): string => `export const extra=${JSON.stringify(words)}`;

/**
 * A module with the texts without their keys, in the order of the English texts. The panel contains the English keys, so this
 * saves a quarter of the bytes.
 */
export const pack = (messages: Messages, part: keyof typeof FILES): string =>
  `export const messages=${JSON.stringify(FILES[part].map((key) => messages[key]))}`;

/** The folder with the names of emoji: one file per language, written by `emoji-words.ts`. */
const EMOJI = join(LOCALES, "emoji");
/** BCP 47 tags of the languages with names of emoji, English included. The other languages use the English names. */
export const emojiTags = (): string[] => readdirSync(EMOJI).map((name) => name.replace(/\.txt$/, ""));
const namesOf = (tag: string): string => readFileSync(join(EMOJI, `${tag}.txt`), "utf8").trimEnd();

export type Translation = { tag: string; messages: Messages; extra: Extra };

/** Imports a file of texts. */
async function readWords(path: string): Promise<{ messages?: Messages; extra?: Extra }> {
  const { code } = await transformWithOxc(readFileSync(path, "utf8"), path);
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

/** @throws Error when a file is missing, or does not export its texts */
async function readTranslation(tag: string): Promise<Translation> {
  const { messages } = await readWords(join(LOCALES, `${tag}.ts`));
  if (!messages) throw new Error(`${tag}.ts exports no messages`);
  const { extra } = await readWords(join(LOCALES, "extra", `${tag}.ts`));
  if (!extra) throw new Error(`extra/${tag}.ts exports no extra`);
  return { tag, messages, extra };
}

/** BCP 47 tags of all languages except English, which is part of the panel, from the names of their files. */
export const tagsIn = (names: readonly string[]): string[] =>
  names.flatMap((name) => /^(?!en\b)([\w-]+)\.ts$/.exec(name)?.[1] ?? []);

/** All translations except English. Rejects when a language's file is missing, or does not export its texts. */
export const readTranslations = (): Promise<Translation[]> =>
  Promise.all(tagsIn(readdirSync(LOCALES)).map(readTranslation));

/** One version for all files of texts, so that the panel contains one version instead of a table. It changes with any text. */
export function versionOf(translations: readonly Translation[]): string {
  const hash = createHash("sha256");
  for (const { messages, extra } of translations)
    hash.update(pack(messages, "common")).update(pack(messages, "rare")).update(packExtra(extra));
  for (const tag of emojiTags()) hash.update(namesOf(tag));
  return hash.digest("hex").slice(0, 8);
}

/** Writes three files for each language, and a fourth for the languages that have names of emoji. */
export function writeTranslations(folder: string, translations: readonly Translation[]): void {
  const version = versionOf(translations);
  for (const { tag, messages, extra } of translations) {
    writeFileSync(join(folder, `${tag}-${version}.js`), pack(messages, "common"));
    writeFileSync(join(folder, `${tag}.rare-${version}.js`), pack(messages, "rare"));
    writeFileSync(join(folder, `${tag}.extra-${version}.js`), packExtra(extra));
  }
  for (const tag of emojiTags())
    writeFileSync(join(folder, `${tag}.emoji-${version}.js`), `export const names=${JSON.stringify(namesOf(tag))}`);
}
