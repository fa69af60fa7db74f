import { describe, expect, it } from "vitest";
import { type Messages, translator } from "./i18n.ts";
import { named } from "./site-words.ts";

/** A site's words in English, or in a language that calls its machine so. */
const shown = (words: Partial<Messages>, language: Partial<Messages> = {}): Partial<Messages> =>
  named(words, translator("en", language));

describe("a site's own words for who answers", () => {
  it("get the mark of the machine behind them where they hide it", () => {
    const words = { statusAi: "Maria from Acme", authorAi: "Maria", noticeAi: "Hi there", working: "Maria is typing" };
    expect(shown(words)).toEqual({
      statusAi: "Maria from Acme · AI",
      authorAi: "Maria · AI",
      noticeAi: "Hi there · AI",
      working: "Maria is typing",
      ai: "AI",
    });
  });

  it.each([
    ["Acme AI", {}],
    ["Maria, AI", {}],
    ["AI-bot", {}],
    ["our ai assistant", {}],
    ["AI担当", {}],
    ["Maria (KI)", { ai: "KI" }],
    ["ИИ-помощник", { ai: "ИИ" }],
    ["Oma tekoälyapuri", { ai: "tekoäly" }],
    ["Gervigreind Acme", { ai: "gervigreind" }],
  ])("stay as they are where they name it: %s", (authorAi, language) => {
    expect(shown({ authorAi }, language).authorAi).toBe(authorAi);
  });

  it.each(["MAIN desk", "Kai", "Mrs. AIken", "ai"])("do not name it by chance: %s", (authorAi) => {
    expect(shown({ authorAi }).authorAi).toBe(`${authorAi} · AI`);
  });

  it("are left alone where people answer, too, or only they", () => {
    const words = { authorHuman: "Maria", statusMixed: "Maria and colleagues" };
    expect(shown(words)).toMatchObject(words);
  });

  it("never replace the mark itself", () => {
    expect(shown({ ai: "Maria", authorAi: "Maria" })).toEqual({ ai: "AI", authorAi: "Maria · AI" });
  });
});
