import { expect, it } from "vitest";
import { frameWords, type Words, wordsFor } from "./words.ts";

const of = (tag: string, word: string): Words => ({ word, file: `/assets/${tag}-12345678.js` });
const WORDS = {
  en: { word: "Chat" },
  ar: of("ar", "محادثة"),
  de: of("de", "Chat"),
  ja: of("ja", "チャット"),
  nb: of("nb", "Chat"),
  "pt-BR": of("pt-BR", "Chat"),
  "pt-PT": of("pt-PT", "Chat"),
  sr: of("sr", "Чет"),
  "sr-Latn": of("sr-Latn", "Čet"),
  "zh-Hans": of("zh-Hans", "在线客服"),
  "zh-Hant": of("zh-Hant", "線上客服"),
};
const english = { lang: "en", word: "Chat" };
const japanese = { lang: "ja", ...WORDS.ja };
const arabic = { lang: "ar", dir: "rtl", ...WORDS.ar };

it("chooses the words of the browser's preferred language", () => {
  expect(wordsFor(WORDS, "auto", "ja-JP,ja;q=0.9,en;q=0.8")).toEqual(japanese);
  expect(wordsFor(WORDS, "auto", "ar")).toEqual(arabic);
});

it("falls back to the words of a less preferred language", () => {
  expect(wordsFor(WORDS, "auto", "en-GB,en;q=0.9,ar;q=0.8,ja;q=0.7")).toEqual(arabic);
});

it("distinguishes the scripts of one language", () => {
  expect(wordsFor(WORDS, "auto", "zh-TW").word).toBe("線上客服");
  expect(wordsFor(WORDS, "auto", "zh-CN").word).toBe("在线客服");
  expect(wordsFor(WORDS, "auto", "sr-Latn-RS").word).toBe("Čet");
  expect(wordsFor(WORDS, "auto", "sr").word).toBe("Чет");
});

it("distinguishes the regions of Portuguese, and finds Norwegian under all its codes", () => {
  expect(wordsFor(WORDS, "auto", "pt-BR").file).toBe(WORDS["pt-BR"].file);
  expect(wordsFor(WORDS, "auto", "pt-AO").file).toBe(WORDS["pt-PT"].file);
  expect(wordsFor(WORDS, "auto", "no").file).toBe(WORDS.nb.file);
  expect(wordsFor(WORDS, "auto", "nn-NO").file).toBe(WORDS.nb.file);
});

it("has the words of English for English and for invalid languages", () => {
  for (const accepted of [undefined, "", "*", '"><script>', ",,,", "en"])
    expect(wordsFor(WORDS, "auto", accepted)).toEqual(english);
});

it("uses the site's own language, whatever the browser prefers", () => {
  expect(wordsFor(WORDS, "ar", "ja")).toEqual(arabic);
  expect(wordsFor(WORDS, "de", "ja")).toEqual({ lang: "de", ...WORDS.de });
  expect(wordsFor(WORDS, "en", "ja")).toEqual(english);
});

const FRAME = {
  en: { word: "Chat", failed: "Couldn't load the chat.", retry: "Retry", close: "Close chat" },
  de: { ...WORDS.de, failed: "Nicht geladen.", retry: "Noch einmal", close: "Schließen", page: "Öffnen" },
  ar: WORDS.ar,
};

it("puts into the script the words that it needs while nothing else can be fetched", () => {
  const { close: _, page: _page, ...few } = FRAME.de;
  expect(wordsFor(FRAME, "de")).toEqual({ lang: "de", ...few });
  expect(wordsFor(FRAME, "auto", "en,de;q=0.9")).toEqual({ lang: "de", ...few });
  expect(wordsFor(FRAME, "auto", "en")).toMatchObject({ lang: "en", retry: "Retry" });
});

it("gives the frame all words of the page's language, else of the browser's, else English", () => {
  expect(frameWords(FRAME, "de_CH", "ar")).toBe(FRAME.de);
  expect(frameWords(FRAME, "en", "de")).toBe(FRAME.en);
  expect(frameWords(FRAME, "eo", "eo,ar;q=0.8")).toEqual({ dir: "rtl", ...WORDS.ar });
  expect(frameWords(FRAME, '"><script>', "")).toBe(FRAME.en);
});
