import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WORDING } from "../../widget/src/tag-page/word-list.ts";
import { root } from "./sources.ts";

const FILE = join(root, "relay", "src", "base", "settings", "wordkeys.ts");

/** `written`: the relay's list of text keys. `renewed`: that list with the widget's current texts. */
export function wordKeys(): { written: string; renewed: string } {
  const keys = WORDING.map(([key]) => `  "${key}",\n`).sort();
  const head =
    "/** Keys of the chat's words, from widget/src/locales/en.ts: `node test/conventions/wordkeys.ts` updates the list. */\n";
  return {
    written: readFileSync(FILE, "utf8"),
    renewed: `${head}export const WORD_KEYS: readonly string[] = [\n${keys.join("")}];\n`,
  };
}

if (import.meta.main) writeFileSync(FILE, wordKeys().renewed);
