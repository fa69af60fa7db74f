import { describe, expect, it } from "vitest";
import { cut, isBlank } from "./text.ts";

describe("blank text", () => {
  it.each(["", " ", "\u00a0\u3000\n\t", "\u200b\u200c\u200d\u2060\ufeff", " \u200b \r\n"])("is %j (R-231)", (text) => {
    expect(isBlank(text)).toBe(true);
  });

  it.each(["a", "👋", ".", "\u200da", "0"])("is not %j", (text) => {
    expect(isBlank(text)).toBe(false);
  });
});

describe("a cut", () => {
  it.each(["👋🏽", "👩‍👩‍👧‍👦", "🇳🇴", "1️⃣", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🧑🏿‍❤️‍💋‍🧑🏻", "e\u0301", "한", "क्षि"])(
    "never splits a grapheme: %s",
    (one) => {
      for (let max = 2; max < one.length + 2; max++) expect(cut(`aa${one}`, max)).toBe("aa");
      expect(cut(`aa${one}bb`, one.length + 2)).toBe(`aa${one}`);
    },
  );

  it("does not change a text that fits, and keeps at most the allowed length", () => {
    expect(cut("abc", 3)).toBe("abc");
    expect(cut("abcd", 3)).toBe("abc");
    expect(cut("x".repeat(100_000), 4_000)).toHaveLength(4_000);
  });
});
