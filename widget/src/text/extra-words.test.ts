import { readdirSync } from "node:fs";
import { join } from "node:path";
import { signal } from "@preact/signals-core";
import { expect, it } from "vitest";
import { type Extra, extra } from "../locales/extra/en.ts";
import { createExtraWords, type ExtraWords } from "./extra-words.ts";
import { loadLanguage } from "./i18n.ts";

const LOCALES = join(import.meta.dirname, "..", "locales");
const tagsIn = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => /^(?!en\b)([\w-]+)\.ts$/.exec(name)?.[1] ?? []);

it("are English at first, and the site's own where it has some", async () => {
  const language = signal(await loadLanguage("en"));
  const settings = signal({ strings: { camera: "Snap" } as Record<string, string> });
  const { follow, words } = createExtraWords({ language, settings }, signal<ExtraWords | undefined>(undefined));
  expect(words()).toBeUndefined();
  follow();
  await Promise.resolve();
  expect([words()?.("camera"), words()?.("yes")]).toEqual(["Snap", "Yes"]);
});

it.each(tagsIn(join(LOCALES, "extra")))("are all there in %s, and belong to a language of the chat", async (tag) => {
  const { extra: words } = (await import(/* @vite-ignore */ `../locales/extra/${tag}.ts`)) as { extra: Extra };
  expect(Object.keys(words).sort()).toEqual(Object.keys(extra).sort());
  expect(Object.values(words).filter((text) => text === "" || text !== text.trim() || /['"`]/.test(text))).toEqual([]);
  expect(tagsIn(LOCALES)).toContain(tag);
});
