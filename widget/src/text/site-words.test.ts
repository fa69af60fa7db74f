import { describe, expect, it } from "vitest";
import type { Messages } from "../locales/en.types.ts";
import { translator } from "./i18n.ts";
import { withAiMark } from "./site-words.ts";

/** The words shown for a site's own words, with English or a language with another mark for AI. */
const shown = (words: Partial<Messages>, language: Partial<Messages> = {}): Partial<Messages> =>
  withAiMark(words, translator("en", language));

describe("a site's own words for who answers", () => {
  it("get the AI mark if they hide that an AI answers", () => {
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
  ])("stay unchanged if they name the AI: %s", (authorAi, language) => {
    expect(shown({ authorAi }, language).authorAi).toBe(authorAi);
  });

  it.each(["MAIN desk", "Kai", "Mrs. AIken", "ai"])("do not count as naming the AI by chance: %s", (authorAi) => {
    expect(shown({ authorAi }).authorAi).toBe(`${authorAi} · AI`);
  });

  it("stay unchanged in texts about people", () => {
    const words = { authorHuman: "Maria", statusMixed: "Maria and colleagues" };
    expect(shown(words)).toMatchObject(words);
  });

  it("never replace the mark itself", () => {
    expect(shown({ ai: "Maria", authorAi: "Maria" })).toEqual({ ai: "AI", authorAi: "Maria · AI" });
  });
});
