import { signal } from "@preact/signals-core";
import { expect, it } from "vitest";
import type { Extra } from "../locales/extra/en.ts";
import { createExtraWords } from "./extra-words.ts";
import { loadLanguage } from "./i18n.ts";

it("extra words come from the language, or from the site's own words", async () => {
  const language = signal(await loadLanguage("en"));
  const settings = signal({ strings: { camera: "Snap" } as Record<string, string> });
  const { follow, words } = createExtraWords({ language, settings }, signal<Extra | undefined>(undefined));
  expect(words()).toBeUndefined();
  follow();
  await Promise.resolve();
  expect([words()?.("camera"), words()?.("yes")]).toEqual(["Snap", "Yes"]);
});
