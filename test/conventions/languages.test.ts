import { expect, it } from "vitest";
import { MAIL_WORDS } from "../../relay/src/hooks/mail-words.ts";
import { ENGLISH, NOTICES } from "../../relay/src/http/notice-words.ts";
import { readTranslations } from "../../widget/build/translations.ts";
import { en } from "../../widget/src/locales/en.ts";

it("the full-page chat has texts in every language of the chat, with the same title", async () => {
  const titles = (await readTranslations()).map(({ tag, messages }): [string, string] => [tag, messages.title]);
  const notices = Object.entries(NOTICES).map(([tag, { title }]): [string, string] => [tag, title]);
  expect(new Map(notices)).toEqual(new Map(titles));
  expect(ENGLISH.title).toBe(en.title);
});

it("the page's texts are translated in each language, with typographic quotes and apostrophes", () => {
  const odd = Object.entries(NOTICES).flatMap(([tag, words]) =>
    Object.entries(words)
      .filter(
        ([key, text]) => text === ENGLISH[key as keyof typeof ENGLISH] || text !== text.trim() || /['"`]/.test(text),
      )
      .map(([key]) => `${tag}.${key}`),
  );
  expect(odd).toEqual([]);
});

it("mails have texts in every language of the chat, and address the reader like the chat", async () => {
  const you = (await readTranslations()).map(({ tag, messages }): [string, string] => [tag, messages.you]);
  const mails = Object.entries(MAIL_WORDS).map(([tag, words]): [string, string] => [tag, words.you]);
  expect(new Map(mails)).toEqual(new Map([["en", en.you], ...you]));
  const texts = Object.values(MAIL_WORDS).flatMap((words) => Object.values(words));
  expect(texts.filter((text) => text.trim() === "" || /['"`]/.test(text))).toEqual([]);
});
