import { expect, it } from "vitest";
import { ENGLISH, NOTICES } from "../../relay/src/http/notice-words.ts";
import { readTranslations } from "../../widget/build/translations.ts";
import { en } from "../../widget/src/locales/en.ts";

it("the chat's page has words in every language of the chat, with the same title", async () => {
  const titles = (await readTranslations()).map(({ tag, messages }): [string, string] => [tag, messages.title]);
  const notices = Object.entries(NOTICES).map(([tag, { title }]): [string, string] => [tag, title]);
  expect(new Map(notices)).toEqual(new Map(titles));
  expect(ENGLISH.title).toBe(en.title);
});

it("the page's words say something in each language, with typographic quotes and apostrophes", () => {
  const odd = Object.entries(NOTICES).flatMap(([tag, words]) =>
    Object.entries(words)
      .filter(
        ([key, text]) => text === ENGLISH[key as keyof typeof ENGLISH] || text !== text.trim() || /['"`]/.test(text),
      )
      .map(([key]) => `${tag}.${key}`),
  );
  expect(odd).toEqual([]);
});
