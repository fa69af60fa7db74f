import { expect, it, vi } from "vitest";
import { languageOf } from "./language.ts";

it("names the languages whose words fit a tag, nearest first", () => {
  expect(languageOf("de")?.names).toEqual(["de-DE", "de-Latn", "de"]);
  expect(languageOf("zh_TW")?.names).toEqual(["zh-TW", "zh-Hant", "zh"]);
  expect(languageOf("nn")).toEqual({ language: "nn", names: ["nb-NO", "nb-Latn", "nb"] });
  expect(languageOf("pt-AO")?.names).toEqual(["pt-AO", "pt-Latn", "pt", "pt-PT"]);
  expect(languageOf("not a tag")).toBeUndefined();
});

it("does not parse a tag that no language has, because a long one takes quadratic time (A24)", () => {
  const parser = vi.spyOn(Intl, "Locale");
  expect(languageOf(`de-${"x-abcdefg".repeat(1_700)}`)).toBeUndefined();
  expect(parser).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});
