import { describe, expect, it } from "vitest";
import { backoff } from "./backoff.ts";
import { CLOSE, endingOf } from "./close.ts";
import { randomId } from "./id.ts";
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

it("ids use only characters that are safe in columns and addresses, and differ", () => {
  const ids = Array.from({ length: 1_000 }, () => randomId());
  for (const id of ids) expect(id).toMatch(/^[0-9a-z]{26}$/);
  expect(new Set(ids).size).toBe(1_000);
});

it("backoff waits a random time below a bound that doubles, and never longer than the cap", () => {
  expect(backoff(0, 1_000, 60_000, () => 0.999)).toBe(999);
  expect(backoff(3, 1_000, 60_000, () => 0.5)).toBe(4_000);
  expect(backoff(1_000, 1_000, 60_000, () => 0.999)).toBeLessThan(60_000);
  expect(backoff(5, 1_000, 60_000, () => 0)).toBe(0);
});

it("endingOf finds each close code, and reconnects after unknown codes", () => {
  for (const ending of Object.values(CLOSE)) expect(endingOf(ending.code)).toEqual(ending);
  expect(endingOf(1006).reconnect).toBe("backoff");
});
