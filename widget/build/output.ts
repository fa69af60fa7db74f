/** The last step of the build: writes the list of files for the relay, and compresses each file. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { en } from "../src/locales/en.ts";
import { FRAME_WORDS } from "./frame-words.ts";
import { type Translation, versionOf } from "./translations.ts";

const assets = (dist: string): string[] =>
  readdirSync(join(dist, "assets"))
    .filter((name) => name.endsWith(".js"))
    .map((name) => `assets/${name}`);

/**
 * Path of the script that was built from the entry of this name.
 * @throws Error when there is none, or a part of the same name
 */
export function assetOf(dist: string, entry: string): string {
  const [found, ...others] = assets(dist).filter((name) => name.startsWith(`assets/${entry}-`));
  if (!found) throw new Error(`the build made no ${entry}`);
  if (others[0]) throw new Error(`two scripts are called ${entry}: rename one of their sources`);
  return found;
}

/**
 * Writes the list of files that the relay reads. `words`, by language: texts that the tag's script needs before the panel's
 * code has loaded.
 */
export function writeManifest(dist: string, translations: readonly Translation[]): void {
  const version = versionOf(translations);
  const wordsOf = (tag: string, { chat, close }: { chat: string; close: string }) => ({
    word: chat,
    close,
    ...(FRAME_WORDS[tag] ?? FRAME_WORDS.en),
  });
  const others = translations.map(({ tag, messages }) => {
    return [tag, { ...wordsOf(tag, messages), file: `/assets/${tag}-${version}.js` }] as const;
  });
  const words = { en: wordsOf("en", en), ...Object.fromEntries(others) };
  const manifest = { panel: assetOf(dist, "panel"), snippet: assetOf(dist, "snippet"), files: assets(dist), words };
  writeFileSync(join(dist, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Compresses every file at the highest level. The build does this, so that neither the relay's start nor a request takes time for it. */
export function compressAssets(dist: string): void {
  for (const name of assets(dist)) {
    const bytes = readFileSync(join(dist, name));
    writeFileSync(join(dist, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    writeFileSync(join(dist, `${name}.br`), brotliCompressSync(bytes));
  }
}
