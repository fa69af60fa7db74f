import { describe, expect, it } from "vitest";
import { messages as german } from "../src/locales/de.ts";
import { extra } from "../src/locales/extra/de.ts";
import { FRAME_WORDS } from "./frame-words.ts";
import { pack, readTranslations, tagsIn, versionOf } from "./translations.ts";

it("the frame's texts exist in every language of the chat, and in no other language", async () => {
  const tags = (await readTranslations()).map(({ tag }) => tag);
  expect(Object.keys(FRAME_WORDS).sort()).toEqual(["en", ...tags].sort());
  const withPlainQuotes = Object.entries(FRAME_WORDS).filter(
    ([tag, words]) => tag !== "en" && /['"`]/.test(Object.values(words).join()),
  );
  expect(withPlainQuotes).toEqual([]);
});

describe("packed translations", () => {
  it("hold the texts in the order of the English keys", async () => {
    const { messages } = await import(
      /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(pack(german, "common"))}`
    );
    expect(messages.slice(0, 3)).toEqual([german.chat, german.title, german.close]);
  });

  it("take their language tags from file names, without English, tests and helpers", () => {
    expect(tagsIn(["de.ts", "pt-BR.ts", "en.ts", "en.rare.ts", "en.types.ts", "locales.test.ts"])).toEqual([
      "de",
      "pt-BR",
    ]);
  });

  it("have another version when a text changes", () => {
    const version = versionOf([{ tag: "de", messages: german, extra }]);
    expect(version).not.toBe(versionOf([{ tag: "de", messages: { ...german, forget: "anders" }, extra }]));
    expect(version).not.toBe(versionOf([{ tag: "de", messages: german, extra: { ...extra, yes: "anders" } }]));
  });
});
