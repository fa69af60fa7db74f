import { expect, it } from "vitest";
import { wordsFor } from "./words.ts";

const WORDS = {
  ar: "محادثة",
  ja: "チャット",
  sr: "Чет",
  "sr-Latn": "Čet",
  "zh-Hans": "在线客服",
  "zh-Hant": "線上客服",
};
const japanese = { dir: "ltr", word: "チャット" };
const arabic = { dir: "rtl", word: "محادثة" };

it("names the chat in the language that the browser asks for", () => {
  expect(wordsFor(WORDS, "auto", "ja-JP,ja;q=0.9,en;q=0.8")).toEqual({ ja: japanese });
  expect(wordsFor(WORDS, "auto", "ar")).toEqual({ ar: arabic });
});

it("brings the word of a later language, for pages in that one", () => {
  expect(wordsFor(WORDS, "auto", "en-GB,en;q=0.9,ar;q=0.8,ja;q=0.7")).toEqual({ ar: arabic });
});

it("tells scripts of one language apart", () => {
  expect(wordsFor(WORDS, "auto", "zh-TW")?.zh?.word).toBe("線上客服");
  expect(wordsFor(WORDS, "auto", "zh-CN")?.zh?.word).toBe("在线客服");
  expect(wordsFor(WORDS, "auto", "sr-Latn-RS")?.sr?.word).toBe("Čet");
  expect(wordsFor(WORDS, "auto", "sr")?.sr?.word).toBe("Чет");
});

it("brings nothing where it is the English word, or nothing that is a language", () => {
  for (const accepted of [undefined, "", "*", "de-DE,de;q=0.9", '"><script>', ",,,", "en"])
    expect(wordsFor(WORDS, "auto", accepted)).toBeUndefined();
});

it("speaks the site's own language, whatever the browser asks for", () => {
  expect(wordsFor(WORDS, "ar", "ja")).toEqual({ ar: arabic });
  expect(wordsFor(WORDS, "de", "ja")).toBeUndefined();
});
